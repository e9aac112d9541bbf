"""ZeroMQ PUB/SUB over TCP against a plain libzmq loop (zmq.c): throughput, and latency at 1,000/s.

`python bench/zmq.py [--rounds N]`. Debian does not package libzmq's own benchmark programs, which
also measure PUSH/PULL and REQ/REP. The loop does the same on the sockets that the peer uses. Both
sides of a variant are separate processes; no message is dropped. A third variant of the flood
shows the cost of measuring: the same loop, writing a peer's record of each message to a file.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import output_parsers
from interleaving import parse_rounds, run_interleaved
from peer_pair import TOPIC, PairResult, PairSpec, free_port, open_peer_pair

SOURCE = Path(__file__).with_suffix(".c")
SIZES = {1000: 1_000_000, 100: 2_000_000}
PACED = 5_000
GAP_NS = 1_000_000
# The prefix of a message in both variants: the topic and the byte that ends it.
PREFIX = len(TOPIC) + 1


def plain(program: Path, size: int, count: int, gap_ns: int, *, records: bool = False) -> tuple[float, float]:
    """The loop's figures for one exchange. `records`: it writes a record of each message."""
    sent, got = ([f"{program}-{side}"] if records else [] for side in ("sent", "got"))
    endpoint = f"tcp://127.0.0.1:{free_port()}"
    publisher = subprocess.Popen(
        [program, "publish", endpoint, str(PREFIX + size), str(count), str(gap_ns), *sent]
    )
    try:
        done = subprocess.run(
            [program, "subscribe", endpoint, str(count), *got],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        publisher.wait(10)
    finally:
        publisher.kill()
    return output_parsers.parse_loop(done.stdout)


def ours(size: int, count: int, figure: Callable[[PairResult], float], kind: str, **schedule: Any) -> float:
    """The figures of wirelab's peers."""
    with tempfile.TemporaryDirectory() as folder:
        with open_peer_pair(PairSpec("zmq", "none", "block", count, size), Path(folder)) as pair:
            seen = pair.run(kind, **schedule)
        assert len(seen.got) == count, f"{count - len(seen.got)} messages lost"
        return figure(seen)


def on_the_way(seen: PairResult) -> float:
    """Median time from handing over to arrival, in us."""
    return float(np.median(seen.got["received"] - seen.sent["sent"][seen.got["seq"].astype(np.int64)])) / 1e3


def main() -> int:
    """Both comparisons. Exit code 1 if wirelab is more than 5 % slower."""
    rounds = parse_rounds(__doc__)
    met = True
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "zmq")
        subprocess.run(
            ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, SOURCE, "-lzmq"], check=True
        )
        for size, count in SIZES.items():
            ratio = run_interleaved(
                f"{count:,} messages of {size} B as fast as they go",
                "msg/s",
                {
                    "wirelab": lambda: ours(size, count, lambda seen: seen.rate, "flood"),  # noqa: B023
                    "libzmq": lambda: plain(program, size, count, 0)[0],  # noqa: B023
                    "libzmq with records": lambda: plain(program, size, count, 0, records=True)[0],  # noqa: B023
                },
                rounds,
            )
            met &= ratio >= 0.95
        ratio = run_interleaved(
            f"{PACED:,} messages of 1000 B at 1,000/s, median time on the way",
            "us",
            {
                "wirelab": lambda: ours(1000, PACED, on_the_way, "interval", interval_ns=GAP_NS),
                "libzmq": lambda: plain(program, 1000, PACED, GAP_NS)[1],
            },
            rounds,
        )
    return 0 if met and ratio <= 1.05 else 1


if __name__ == "__main__":
    sys.exit(main())
