"""The emulator's packet log, and the latency breakdown from it (docs/contracts/lab.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wirelab.model.errors import MeasurementFailed

HEADER_BYTES = 16
RECORD = np.dtype(
    [
        ("ingress", "<i8"),
        ("egress", "<i8"),
        ("flow", "<u4"),
        ("l3_bytes", "<u4"),
        ("payload_bytes", "<u4"),
        ("short_host", "u1"),
        ("direction", "u1"),
        ("drop", "u1"),
        ("ip_protocol", "u1"),
        ("due", "<i8"),
        ("host", "<u2"),
        ("sojourn", "<u2", 3),
    ]
)

Times = NDArray[np.int64]
Floats = NDArray[np.float64]


def read(path: Path) -> NDArray[Any]:
    """All complete records of a packet log. Raises MeasurementFailed for another kind of file."""
    data = path.read_bytes()
    size = int.from_bytes(data[12:16], "little")
    if data[:8] != b"WLPKTS01" or size != RECORD.itemsize:
        raise MeasurementFailed(f"packet log {path}", "not one of ours")
    whole = (len(data) - HEADER_BYTES) // RECORD.itemsize
    return np.frombuffer(data, RECORD, count=whole, offset=HEADER_BYTES)


def sojourn_ns(packets: NDArray[Any]) -> Times:
    """The time of each packet from its arrival at a link to its last bit sent: 48 bits of ns."""
    low, middle, high = (packets["sojourn"][:, part].astype(np.int64) for part in range(3))
    return low | middle << 16 | high << 32


def server_times(
    packets: NDArray[Any], flows: list[dict[str, Any]], sent: Times, received: Times
) -> Floats | None:
    """The time in ns of each message in the server: from its last packet in to its first packet
    out.

    `sent` and `received` are those of delivered messages in the order of sending. NaN if server and
    wire are not separable: exchanges overlap, or the log lacks a packet of either side. None if the
    log shows no path through the server.
    """
    into, out = _busiest(flows, "down"), _busiest(flows, "up")
    if into is None or out is None or len(sent) == 0:
        return None
    carries = packets["payload_bytes"] > 0
    arrivals = np.sort(packets["egress"][(packets["flow"] == into) & carries & (packets["drop"] == 0)])
    departures = np.sort(packets["ingress"][(packets["flow"] == out) & carries])
    if not len(arrivals) or not len(departures):
        return None
    first_out = np.searchsorted(departures, sent)
    left = departures[np.minimum(first_out, len(departures) - 1)]
    last_in = np.searchsorted(arrivals, left, side="right") - 1
    entered = arrivals[np.maximum(last_in, 0)]
    seen = (sent <= entered) & (entered <= left) & (left <= received)
    own = np.where(seen & _alone(sent, received), left - entered, np.nan)
    return own.astype(np.float64)


def _alone(sent: Times, received: Times) -> NDArray[np.bool_]:
    """The exchanges that overlap no other."""
    alone = np.ones(len(sent), dtype=bool)
    begun_before = np.maximum.accumulate(received)[:-1] > sent[1:]
    alone[1:] &= ~begun_before
    alone[:-1] &= sent[1:] >= received[:-1]
    return alone


def _busiest(flows: list[dict[str, Any]], direction: str) -> int | None:
    """The flow with the most payload into (down) or out of (up) the server."""
    own = [
        (int(flow["payload_bytes"]), -index)
        for index, flow in enumerate(flows)
        if flow["host"] == "server" and flow["direction"] == direction and flow["payload_bytes"]
    ]
    return -max(own)[1] if own else None
