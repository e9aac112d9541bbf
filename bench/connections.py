"""10,000 MQTT connections of one peer process through mosquitto on loopback, all sending telemetry.

`python bench/connections.py [--connections N] [--rounds N]`. Each connection sends a message of
100 B every 5 s, four times, QoS 0. Prints the time to connect, the resident memory beyond that of
one connection (without the kernel's memory for sockets), losses, latencies, and the share of a
core.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from pathlib import Path

import numpy as np
from msgspec import Struct
from peer_pair import PairSpec, open_peer_pair

EVERY_S = 5
TIMES = 4
# Descriptors in addition to those of connections.
OTHERS = 100


class Result(Struct):
    """The result of one round."""

    connect_s: float
    resident: int
    lost: int
    p99_ms: float
    shares: str


def exchange(connections: int, count: int) -> Result:
    """Connect, send, and read the publisher's usage when all is sent."""
    options = {"connections": str(connections)}
    with tempfile.TemporaryDirectory() as folder:
        with open_peer_pair(PairSpec("mqtt", "mosquitto", "0", count, 100, options), Path(folder)) as pair:
            connect_s = pair.connect_s
            status = Path(f"/proc/{pair.peers['publisher'].process.pid}/status")
            resident = 0

            def look() -> None:
                nonlocal resident
                resident = _resident(status)

            seen = pair.run("interval", before_end=look, interval_ns=EVERY_S * TIMES * 10**9 // count)
        ages = seen.got["received"] - seen.sent["planned"][seen.got["seq"].astype(np.int64)]
        lost, p99_ms = count - len(seen.got), float(np.quantile(ages, 0.99)) / 1e6
        return Result(connect_s, resident, lost, p99_ms, seen.shares())


def _resident(status: Path) -> int:
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024


def main() -> int:
    """Exit code 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most < asked.connections + OTHERS:
        print(f"connections: {most} descriptors are allowed: ulimit -Hn {asked.connections + OTHERS}")
        return 2
    # The peer and mosquitto inherit it.
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    count = TIMES * asked.connections
    met = True
    for _ in range(asked.rounds):
        one, many = exchange(1, count), exchange(asked.connections, count)
        each = (many.resident - one.resident) / (asked.connections - 1)
        print(
            f"  {asked.connections:,} connected in {many.connect_s:.1f} s, {each / 1000:.1f} kB each "
            f"({many.resident / 1e6:.0f} MB against {one.resident / 1e6:.0f} MB with one); {count:,} messages at "
            f"{asked.connections / EVERY_S:,.0f}/s: {many.lost} lost, p99 {many.p99_ms:.1f} ms; of a core: {many.shares}",
            flush=True,
        )
        met &= many.connect_s < 20 and each < 20_000 and many.lost == 0
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
