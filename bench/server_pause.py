"""MQTT at 1,000/s: the CPU use of peers, and the visibility of a server pause of 1.4 s.

`python bench/server_pause.py [--rounds N] [--seconds S]`. The first trial runs in a lab over an
ideal link: 200 B, QoS 0, through mosquitto. In the second, on loopback, signals stop and continue
mosquitto in the middle of 20 s. Latency counts from intended send times, so p99 is above 1 s.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from peer_pair import PairSpec, open_peer_pair
from qos import trial

from wirelab.lab.protocols import protocol

RATE = 1000
PAUSE_S = 1.4
PAUSED_RUN_S = 20
GOAL = 0.03


def shares(seconds: int) -> dict[str, float]:
    """The share of a core by process over one trial."""
    mosquitto = {"server": "mosquitto"}
    outcome = trial(protocol("mqtt"), "0", "tcp", "ideal", RATE, count=RATE * seconds, **mosquitto).outcome
    return {name: used.cpu_ns / outcome.elapsed_ns for name, used in outcome.usage.items()}


def paused() -> float:
    """The 99th percentile in s of a run with a server pause in the middle."""
    with (
        tempfile.TemporaryDirectory() as folder,
        open_peer_pair(PairSpec("mqtt", "mosquitto", "0", RATE * PAUSED_RUN_S, 200), Path(folder)) as pair,
    ):
        assert pair.server
        pair.start("interval", interval_ns=10**9 // RATE)
        time.sleep(PAUSED_RUN_S / 2)
        os.kill(pair.server.process.pid, signal.SIGSTOP)
        time.sleep(PAUSE_S)
        os.kill(pair.server.process.pid, signal.SIGCONT)
        pair.wait()
        seen = pair.stop({}, PAUSED_RUN_S)
    assert len(seen.got) == len(seen.sent), f"{len(seen.sent) - len(seen.got)} messages lost"
    planned = seen.sent["planned"][seen.got["seq"].astype(np.int64)]
    return float(np.quantile(seen.got["received"] - planned, 0.99)) / 1e9


def main() -> int:
    """Exit code 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=60)
    asked = parser.parse_args()
    met = True
    for _ in range(asked.rounds):
        took = shares(asked.seconds)
        told = ", ".join(f"{name} {share:.1%}" for name, share in took.items())
        p99 = paused()
        print(f"  of a core: {told}; p99 with a pause of {PAUSE_S} s: {p99:.2f} s", flush=True)
        met &= max(took["publisher"], took["subscriber"]) < GOAL and p99 > 1
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
