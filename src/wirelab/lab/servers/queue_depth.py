"""The queue depth of a server, read by a separate process on the server's host over loopback."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from wirelab.lab.servers.server import Site, Watcher
from wirelab.model.result import Waiting

# Started as a separate program. Importing it would load urllib in every trial.
PROBE = Path(__file__).with_name("queue_depth_probe.py")


def seen(watcher: Watcher | None, since_ns: int) -> Waiting:
    """The queue depth since a time, less that before it; empty if it is not watched."""
    if watcher is None:
        return Waiting()
    try:
        # The last line may be incomplete.
        lines = watcher.path.read_text().split("\n")[:-1]
    except OSError:
        return Waiting()
    return depth_since([tuple(map(int, line.split())) for line in lines], since_ns)


def depth_since(readings: Sequence[tuple[int, ...]], since_ns: int) -> Waiting:
    """Peak and last of the readings (ns, queue depth, dropped if known) since a time, and what was
    dropped since, each less the last reading before it.
    """
    if not readings:
        return Waiting()
    before = [reading for reading in readings if reading[0] < since_ns]
    _, level, *earlier = before[-1] if before else (0, 0, 0)
    numbers = [max(0, one[1] - level) for one in readings if one[0] >= since_ns] or [0]
    last = readings[-1]
    dropped = last[2] - sum(earlier) if len(last) > 2 else -1
    return Waiting(max(numbers), numbers[-1], dropped)


def watch(site: Site, kind: str, port: int, environment: dict[str, str] | None = None) -> Watcher | None:
    """Start the process for a server that is ready, if its queue depth is to be watched."""
    if not site.watched:
        return None
    path = site.folder / "waiting"
    words = [sys.executable, "-I", "-S", str(PROBE), kind, str(port), str(path)]
    return Watcher(site.launch(words, environment), path)
