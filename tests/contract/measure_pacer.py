"""Measure the pacer as a trial uses it: `python tests/contract/measure_pacer.py [RATE SECONDS]...`.

A mock publisher follows an interval schedule. Its samples give the lateness of each message. Prints
mean rate error and lateness by percentile, with the load of the machine. Needs a release build.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from harness import Peer, now, read_samples, write_messages
from pairs import PAIRS
from trial import prepare_keys


def measure(rate: int, seconds: int) -> str:
    """One line of figures."""
    mock = next(pair for pair in PAIRS if pair.name == "mock")
    count = rate * seconds
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        messages = write_messages(Path(directory) / "messages", [bytes(1000)])
        peer = Peer(mock.peer)
        try:
            keys = prepare_keys(mock, None, "plain", messages, "publisher", capacity=count)
            peer.tell("prepare", **keys)
            peer.wait("prepared")
            schedule = {"kind": "interval", "interval_ns": 10**9 // rate, "count": count, "duration_ns": None}
            peer.tell("start", at_ns=now() + 10**8, schedule=schedule)
            peer.wait("settled", seconds + 10)
            peer.tell("stop")
            stopped = peer.wait("stopped")
        finally:
            peer.kill()
        samples = read_samples(Path(keys["samples"]))
    late = sorted(sample.start - sample.planned for sample in samples)
    asked = samples[-1].planned - samples[0].planned
    took = samples[-1].start - samples[0].start
    percentiles = " ".join(
        f"p{p}={late[min(count - 1, int(p / 100 * count))] / 1000:.1f}" for p in (50, 99, 99.9, 100)
    )
    return (
        f"{rate}/s for {seconds} s: rate error {abs(asked / took - 1):.5%}, late us {percentiles}, "
        f"cpu {stopped['cpu_ns'] / 1e9 / seconds:.1%} of a core"
    )


def main() -> None:
    """10,000/s and 1/s, or the given rates."""
    asked = [int(argument) for argument in sys.argv[1:]] or [10_000, 10, 1000, 10, 1, 10]
    print(f"{time.strftime('%F %T')}  load {os.getloadavg()[0]:.2f}  cores {os.cpu_count()}")
    for rate, seconds in zip(asked[::2], asked[1::2], strict=True):
        print(measure(rate, seconds), flush=True)


if __name__ == "__main__":
    main()
