"""Metrics with one value per trial."""

from __future__ import annotations

import math

from wirelab.model.metrics import metric
from wirelab.model.result import TrialResult, Wire


def value(name: str, result: TrialResult) -> float:
    found = metric(name).value
    assert found is not None
    return found(result)


def test_connecting_is_the_mean_over_publishers_in_both_directions() -> None:
    connecting = {
        "device.up": Wire(packets=4, l3_bytes=240),
        "device.down": Wire(packets=2, l3_bytes=116),
        "device-2.up": Wire(packets=6, l3_bytes=300),
        "device-2.down": Wire(packets=4, l3_bytes=216),
        "consumer.up": Wire(packets=9, l3_bytes=999),
    }
    result = TrialResult("one", connecting=connecting)
    assert value("connect_bytes", result) == (240 + 116 + 300 + 216) / 2
    assert value("connect_packets", result) == 8


def test_connecting_that_was_not_counted_is_not_zero() -> None:
    assert math.isnan(value("connect_bytes", TrialResult("one")))


def test_as_ipv6_each_packet_is_20_bytes_larger() -> None:
    wire = {"device.up": Wire(packets=3, l3_bytes=300), "device.down": Wire(packets=1, l3_bytes=52)}
    result = TrialResult("one", wire=wire, carried=2)
    assert value("wire_bytes", result) == 176
    assert value("wire_ipv6", result) == 176 + 20 * 4 / 2
