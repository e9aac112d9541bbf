"""Packets from host to host: the two records that each leaves in the packet log as one hop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wirelab.lab.packets import sojourn_ns

UP, DOWN = 0, 1
Flows = Sequence[Mapping[str, Any]]


class Hop(Struct, frozen=True):
    """A packet from one host to another; `arrived` is 0 if it was lost. Times are ns.

    `waiting` is the time for capacity of both links: behind other packets, or in a gap of a trace.
    `serialization` is that of its bytes at the highest rate that a packet met on those links.
    """

    left: int
    arrived: int
    source: str
    target: str
    connection: frozenset[str]
    payload: int
    serialization: int
    waiting: int


class Hops(Struct, frozen=True):
    """The hops of a trial in order of time: those that arrived at a host, those that left it, and
    those that were lost, by connection.
    """

    arrived: dict[str, list[Hop]]
    left: dict[str, list[Hop]]
    lost: dict[frozenset[str], list[Hop]]


def read_hops(packets: NDArray[Any], flows: Flows) -> Hops:
    """Join records: a packet enters its receiver's link when it leaves its sender's."""
    # The log goes on after the counters were read, with flows that they do not have.
    packets = packets[packets["flow"] < len(flows)]
    ends = [frozenset((str(flow.get("source")), str(flow.get("destination")))) for flow in flows]
    sources = [str(flow.get("source")) for flow in flows]
    hosts = [str(flow["host"]) for flow in flows]
    sojourn = sojourn_ns(packets)
    serialization = np.minimum(sojourn, _at_best_rate(packets, flows, sojourn))
    names = ("ingress", "egress", "flow", "l3_bytes", "payload_bytes", "drop", "direction")
    columns = [packets[name].tolist() for name in names]
    rows = list(zip(*columns, sojourn.tolist(), serialization.tolist(), strict=True))
    sent = {
        (egress, sources[flow], ends[flow], size): row
        for row in rows
        for _, egress, flow, size, _, drop, way, _, _ in (row,)
        if way == UP and drop == 0
    }
    found = []
    for row in rows:
        ingress, egress, flow, size, payload, drop, way, held, bits = row
        if way == DOWN:
            before = sent.get((ingress, sources[flow], ends[flow], size))
            if before is None:
                continue
            left, own, first, first_bits = before[0], hosts[before[2]], before[7], before[8]
        elif way == UP and drop:
            left, own, first, first_bits = ingress, hosts[flow], 0, 0
        else:
            continue
        waiting = held - bits + first - first_bits
        arrived = 0 if drop else egress
        found.append(Hop(left, arrived, own, hosts[flow], ends[flow], payload, bits + first_bits, waiting))
    return _in_order(found)


def _at_best_rate(packets: NDArray[Any], flows: Flows, sojourn: NDArray[np.int64]) -> NDArray[np.int64]:
    """The time in ns that each packet's bytes take at the highest rate of its link's direction."""
    links = {link: n for n, link in enumerate({(flow["host"], flow["direction"]) for flow in flows})}
    of_flow = np.array([links[flow["host"], flow["direction"]] for flow in flows], dtype=np.int64)
    link, size = of_flow[packets["flow"]], np.maximum(packets["l3_bytes"].astype(np.float64), 1.0)
    best = np.full(len(links), np.inf)
    kept = packets["drop"] == 0
    np.minimum.at(best, link[kept], sojourn[kept] / size[kept])
    best[np.isinf(best)] = 0.0
    bits: NDArray[np.int64] = np.round(best[link] * size).astype(np.int64)
    return bits


def _in_order(found: Sequence[Hop]) -> Hops:
    arrived: dict[str, list[Hop]] = {}
    left: dict[str, list[Hop]] = {}
    lost: dict[frozenset[str], list[Hop]] = {}
    for hop in sorted(found, key=lambda hop: hop.arrived):
        if hop.arrived:
            arrived.setdefault(hop.target, []).append(hop)
    for hop in sorted(found, key=lambda hop: hop.left):
        left.setdefault(hop.source, []).append(hop)
        if not hop.arrived:
            lost.setdefault(hop.connection, []).append(hop)
    return Hops(arrived, left, lost)
