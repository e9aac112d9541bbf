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
    initial = seen = _counted(snapshot())
    # The start of each exchange, and the counters before it.
    exchanges: list[tuple[int, tuple[int, int]]] = []
    while clock() - began < idle_ns:
        sleep(POLL_S)
        listen()
        counted = _counted(snapshot())
        if counted == seen:
            continue
        now = clock()
        if not exchanges or now - last > gap_ns:
            exchanges.append((now, seen))
        last, seen = now, counted
    if len(exchanges) < 2:
        return Idle(clock() - began, len(exchanges), *_since(initial, seen))
    # From the start of the first exchange to that of the last: whole periods.
    (first, _), (_, second_before), *_ = exchanges
    return Idle(exchanges[-1][0] - first, len(exchanges) - 1, *_since(second_before, seen))


def _since(before: tuple[int, int], now: tuple[int, int]) -> tuple[int, int]:
    return now[0] - before[0], now[1] - before[1]


def _counted(link: Mapping[str, Any]) -> tuple[int, int]:
    """Bytes and packets on the links of all publishers."""
    ways = [
        way
        for host, directions in link.get("hosts", {}).items()
        if role_of(host) == DEVICE
        for way in directions.values()
    ]
    return sum(int(way["l3_bytes"]) for way in ways), sum(int(way["packets"]) for way in ways)
