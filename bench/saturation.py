"""Find which process saturates first: a flood of 1 kB, MQTT QoS 0, through mosquitto on loopback.

`python bench/saturation.py [COUNT]`. Rounds show the spread. Prints for each round the delivered
rate, losses, and the share of a core of publisher, subscriber and broker.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from peer_pair import HEADER, PairSpec, open_peer_pair

ROUNDS = 5
SIZE = 1000


def flood(count: int, folder: Path) -> str:
    """One round, as a line of figures."""
    with open_peer_pair(PairSpec("mqtt", "mosquitto", "0", count, HEADER + SIZE), folder) as pair:
        seen = pair.run("flood")
    seconds = (int(seen.got["received"].max()) - int(seen.sent["sent"].min())) / 1e9
    return f"{len(seen.got) / seconds:,.0f} msg/s, {count - len(seen.got)} lost; of a core: {seen.shares(seconds)}"


def main() -> None:
    """All rounds, each with its own broker."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500_000
    version = subprocess.run(
        ["mosquitto", "-h"], capture_output=True, text=True, check=False
    ).stdout.splitlines()
    print(f"{version[0] if version else 'mosquitto'}; {count:,} messages of {SIZE:,} B, {ROUNDS} rounds")
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            print(flood(count, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
