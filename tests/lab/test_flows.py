"""Flows of a trial from the emulator's accounting."""

from __future__ import annotations

from typing import Any

from wirelab.lab.flows import flows_of
from wirelab.model.result import Flow

NONE = {"loss": 0, "queue": 0, "mtu": 0, "own": 0}


def counted(host: str, direction: str, source: str, destination: str, **counts: Any) -> dict[str, Any]:
    return {
        "host": host, "direction": direction, "protocol": "tcp", "source": source, "destination": destination,
        "packets": 10, "l2_bytes": 1140, "l3_bytes": 1000, "payload_bytes": 600, "retransmissions": 0,
        "dropped": NONE, "queue_max_bytes": 100, "sojourn_mean_ns": 2000, "sojourn_max_ns": 5000, **counts,
    }  # fmt: skip


def test_flows_name_hosts_and_leave_ports_out_that_the_kernel_picked() -> None:
    there = ("10.77.0.1:49152", "10.77.0.2:1883")
    found = flows_of({"flows": [counted("device", "up", *there), counted("server", "down", *there)]})
    assert [(flow.host, flow.direction, flow.source, flow.destination) for flow in found] == [
        ("device", "up", "device", "server:1883"),
        ("server", "down", "device", "server:1883"),
    ]


def test_connections_one_after_the_other_are_one_flow() -> None:
    first = counted("device", "up", "10.77.0.1:40000", "10.77.0.2:80", dropped={**NONE, "loss": 2})
    second = counted(
        "device", "up", "10.77.0.1:40001", "10.77.0.2:80", packets=30, sojourn_mean_ns=6000,
        sojourn_max_ns=9000, queue_max_bytes=70, dropped={**NONE, "loss": 1, "queue": 4}, retransmissions=3,
    )  # fmt: skip
    assert flows_of({"flows": [first, second]}) == (
        Flow(
            "device", "up", "tcp", "device", "10.77.0.2:80", packets=40, l2_bytes=2280, l3_bytes=2000,
            payload_bytes=1200, retransmissions=3, dropped={"loss": 3, "queue": 4}, queue_max_bytes=100,
            sojourn_mean_ns=5000.0, sojourn_max_ns=9000,
        ),
    )  # fmt: skip


def test_a_flow_without_addresses_is_kept() -> None:
    (flow,) = flows_of({"flows": [counted("device", "up", "", "", protocol="ipv6")]})
    assert (flow.protocol, flow.source, flow.destination) == ("ipv6", "", "")
