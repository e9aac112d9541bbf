"""The flows of a trial's link, from the emulator's accounting (docs/contracts/lab.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wirelab.model.result import Flow

EPHEMERAL = range(32_768, 61_000)
"""Ports that the kernel picks."""


def flows_of(link: Mapping[str, Any]) -> tuple[Flow, ...]:
    """The flows of all links, in the order in which they began.

    Addresses are written as the names of hosts, and ports that the kernel picked are left out.
    Flows that are then alike are one: the connections of a client one after the other.
    """
    counted: Sequence[Mapping[str, Any]] = link.get("flows", [])
    hosts = {_address(one["source"]): one["host"] for one in counted if one["direction"] == "up"}
    hosts |= {_address(one["destination"]): one["host"] for one in counted if one["direction"] == "down"}
    alike: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for one in counted:
        ends = (_named(one["source"], hosts), _named(one["destination"], hosts))
        alike.setdefault((one["host"], one["direction"], one["protocol"], *ends), []).append(one)
    return tuple(_merged(key, some) for key, some in alike.items())


def _merged(key: tuple[str, ...], alike: Sequence[Mapping[str, Any]]) -> Flow:
    host, direction, protocol, source, destination = key

    def total(name: str) -> int:
        return sum(int(one[name]) for one in alike)

    causes = dict.fromkeys(cause for one in alike for cause in one["dropped"])
    dropped = {cause: sum(int(one["dropped"].get(cause, 0)) for one in alike) for cause in causes}
    packets = total("packets")
    waited = sum(float(one["sojourn_mean_ns"]) * int(one["packets"]) for one in alike)
    return Flow(
        host=host,
        direction=direction,
        protocol=protocol,
        source=source,
        destination=destination,
        packets=packets,
        l2_bytes=total("l2_bytes"),
        l3_bytes=total("l3_bytes"),
        payload_bytes=total("payload_bytes"),
        retransmissions=total("retransmissions"),
        dropped={cause: number for cause, number in dropped.items() if number},
        queue_max_bytes=max(int(one["queue_max_bytes"]) for one in alike),
        sojourn_mean_ns=waited / packets if packets else 0.0,
        sojourn_max_ns=max(int(one["sojourn_max_ns"]) for one in alike),
    )


def _address(end: str) -> str:
    return end.partition(":")[0]


def _named(end: str, hosts: Mapping[str, str]) -> str:
    address, _, port = end.partition(":")
    host = hosts.get(address, address) if address else ""
    return f"{host}:{port}" if port and int(port) not in EPHEMERAL else host
