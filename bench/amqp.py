"""AMQP 0-9-1 against RabbitMQ PerfTest: a flood of 1 kB through one RabbitMQ.

`python bench/amqp.py [--rounds N]`. Both have automatic acknowledgements, one publisher and one
consumer. The figure is messages received per second while messages are sent: the median of the
seconds after the first two.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import maven_tools
import numpy as np
import output_parsers
from interleaving import parse_rounds, run_interleaved
from peer_pair import PairResult, PairSpec, open_peer_pair, serving

SECONDS = 8
# Records for more messages than arrive.
SPEC = PairSpec("amqp", "rabbitmq", "auto", count=1_000_000)


def median_second(seen: PairResult) -> float:
    """Arrivals in each whole second of sending, as PerfTest counts them."""
    assert len(seen.got) == len(seen.sent), f"{len(seen.sent) - len(seen.got)} messages lost"
    whole = np.arange(0, SECONDS + 1) * 10**9 + int(seen.sent["planned"][0])
    seconds, _ = np.histogram(seen.got["received"], whole)
    return float(np.median(seconds[output_parsers.SKIPPED_S :]))


def main() -> int:
    """Exit code 1 if wirelab is slower."""
    rounds = parse_rounds(__doc__)
    with tempfile.TemporaryDirectory() as folder, serving(SPEC, Path(folder)) as at:

        def ours() -> float:
            with tempfile.TemporaryDirectory() as own, open_peer_pair(SPEC, Path(own), at) as pair:
                seen = pair.run("flood", duration_ns=SECONDS * 10**9)
                print(f"  of a core: {seen.shares()}")
                return median_second(seen)

        def perf_test() -> float:
            uri = f"amqp://127.0.0.1:{at[1]}"
            arguments = ["--autoack", "--size", str(SPEC.size), "--time", str(SECONDS), "--uri", uri]
            return output_parsers.parse_perf_test(
                maven_tools.run("perf-test", "com.rabbitmq.perf.PerfTest", *arguments)
            )

        ratio = run_interleaved(
            f"messages of {SPEC.size} B as fast as they go for {SECONDS} s",
            "msg/s",
            {"wirelab": ours, "PerfTest": perf_test},
            rounds,
        )
    return 0 if ratio >= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
