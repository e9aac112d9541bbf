"""The emulator's packet log, and what it tells of where a message's time went (docs/contracts/lab.md)."""

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
        ("host", "u1"),
        ("direction", "u1"),
        ("drop", "u1"),
        ("ip_protocol", "u1"),
        ("due", "<i8"),
        ("reserved", "<u8"),
    ]
)

Times = NDArray[np.int64]
Floats = NDArray[np.float64]


def read(path: Path) -> NDArray[Any]:
    """All records of a packet log, an incomplete last one left out. Raises MeasurementFailed for a foreign file."""
    data = path.read_bytes()
    size = int.from_bytes(data[12:16], "little")
    if data[:8] != b"WLPKTS01" or size != RECORD.itemsize:
        raise MeasurementFailed(f"packet log {path}", "not one of ours")
    whole = (len(data) - HEADER_BYTES) // RECORD.itemsize
    return np.frombuffer(data, RECORD, count=whole, offset=HEADER_BYTES)


def server_times(
    packets: NDArray[Any], flows: list[dict[str, Any]], sent: Times, received: Times
) -> Floats | None:
    """ns each message spent in the server: from its last packet delivered there to the first packet of it sent on.

    `sent` and `received` are those of delivered messages in order of sending. None where exchanges overlap, or
    where the packets do not show both sides: then the server cannot be told from the wire.
    """
    if len(sent) == 0 or np.any(sent[1:] < received[:-1]):
        return None
    into, out = _busiest(flows, "down"), _busiest(flows, "up")
    if into is None or out is None:
        return None
    carries = packets["payload_bytes"] > 0
    arrivals = np.sort(packets["egress"][(packets["flow"] == into) & carries & (packets["drop"] == 0)])
    departures = np.sort(packets["ingress"][(packets["flow"] == out) & carries])
    first_out = np.searchsorted(departures, sent)
    if np.any(first_out >= len(departures)):
        return None
    left = departures[first_out]
    last_in = np.searchsorted(arrivals, left, side="right") - 1
    if np.any(last_in < 0):
        return None
    entered = arrivals[last_in]
    if np.any(left > received) or np.any(entered < sent):
        return None
    own: Floats = (left - entered).astype(np.float64)
    return own


def _busiest(flows: list[dict[str, Any]], direction: str) -> int | None:
    """The flow that carries most payload into (down) or out of (up) the server: the publisher's, the subscriber's."""
    own = [
        (int(flow["payload_bytes"]), -index)
        for index, flow in enumerate(flows)
        if flow["host"] == "server" and flow["direction"] == direction and flow["payload_bytes"]
    ]
    return -max(own)[1] if own else None
