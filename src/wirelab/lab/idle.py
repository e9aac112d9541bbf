"""The traffic of open connections between messages: keep-alives, and whatever else a library sends."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from wirelab.model.host_role import DEVICE, role_of
from wirelab.model.result import Idle

POLL_S = 0.1
# Packets that follow each other within this time belong to one exchange, on an ideal link.
GAP_NS = 2_000_000_000
# ... and within this many of the link's exchanges.
GAP_EXCHANGES = 3


def watch_idle(
    snapshot: Callable[[], Mapping[str, Any]],
    idle_ns: int,
    exchange_s: float,
    listen: Callable[[], object],
    clock: Callable[[], int] = time.monotonic_ns,
    sleep: Callable[[float], None] = time.sleep,
) -> Idle:
    """What the publishers' links carry in `idle_ns`, from the counters of `snapshot`.

    Counters are read every 0.1 s. Silence separates exchanges. `listen` is called each time, to
    notice a peer or server that ends.
    """
    gap_ns = max(GAP_NS, round(GAP_EXCHANGES * exchange_s * 1e9))
    began = last = clock()
    seen = _counted(snapshot())
    starts: list[int] = []
    first = (0, 0)
    total = (0, 0)
    while (now := clock()) - began < idle_ns:
        sleep(POLL_S)
        listen()
        counted = _counted(snapshot())
        if counted == seen:
            continue
        now = clock()
        if not starts or now - last > gap_ns:
            starts.append(now)
        last = now
        more = (counted[0] - seen[0], counted[1] - seen[1])
        seen = counted
        total = (total[0] + more[0], total[1] + more[1])
        if len(starts) == 1:
            first = (first[0] + more[0], first[1] + more[1])
    if len(starts) < 2:
        return Idle(clock() - began, len(starts), *total)
    # From the start of the first exchange to that of the last: whole periods.
    return Idle(starts[-1] - starts[0], len(starts) - 1, total[0] - first[0], total[1] - first[1])


def _counted(link: Mapping[str, Any]) -> tuple[int, int]:
    """Bytes and packets on the links of all publishers."""
    ways = [
        way
        for host, directions in link.get("hosts", {}).items()
        if role_of(host) == DEVICE
        for way in directions.values()
    ]
    return sum(int(way["l3_bytes"]) for way in ways), sum(int(way["packets"]) for way in ways)
