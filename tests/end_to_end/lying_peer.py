"""A proxy of a shipped peer that changes its events: `lying_peer.py LIE REAL-PEER ...`."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import threading
from typing import IO

HEADER_BYTES, RECORD_BYTES = 64, 64


def spoil(path: str, lie: str) -> None:
    """Change the sample file after it was written."""
    with open(path, "r+b") as file:
        if lie == "sequence":
            file.seek(HEADER_BYTES)
            file.write(struct.pack("<Q", 1 << 40))
        if lie == "written":
            file.seek(16)
            file.write(struct.pack("<Q", 1 << 40))
        if lie == "times":
            file.seek(HEADER_BYTES + 8)
            file.write(struct.pack("<6q", *[-(1 << 63)] * 3, *[(1 << 63) - 1] * 3))
        if lie == "no samples":
            os.unlink(path)


def told(event: dict[str, object], lie: str) -> dict[str, object]:
    """The event in its place."""
    if lie == "shape" and event["event"] == "described":
        return {**event, "qos": 5, "roles": None}
    if lie == "numbers" and event["event"] == "stopped":
        return {**event, "sent": 10**30}
    return event


def main(lie: str, argv: list[str]) -> None:
    """Commands go to the real peer, its events come back changed."""
    real = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    assert real.stdin is not None
    assert real.stdout is not None
    samples: list[str] = []

    def pass_on(to: IO[str]) -> None:
        for line in sys.stdin:
            samples.append(json.loads(line).get("samples", ""))
            to.write(line)
            to.flush()

    threading.Thread(target=pass_on, args=(real.stdin,), daemon=True).start()
    for line in real.stdout:
        event = json.loads(line)
        if event["event"] == "stopped":
            spoil(max(samples), lie)
        print(json.dumps(told(event, lie)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
