"""The bytes of a deployed device in a month."""

from __future__ import annotations

import math

import numpy as np
import pytest

from wirelab.advice.figures import Replicate
from wirelab.advice.month import deployed_hz_of, month_bytes
from wirelab.model.result import Idle, TrialResult, Wire

MINUTE = 60_000_000_000
NONE = np.empty(0)


def a_replicate(number: int, wire: int, idle: Idle) -> Replicate:
    """Ten messages that took `wire` bytes, after connecting with 400 B."""
    result = TrialResult(
        "one",
        carried=10,
        wire={"device.up": Wire(packets=10, l3_bytes=wire)},
        connecting={"device.up": Wire(packets=4, l3_bytes=400)},
        idle=idle,
    )
    return Replicate(number, result, NONE, NONE)


def test_a_month_is_messages_keep_alives_and_one_connection() -> None:
    observed = a_replicate(0, 2000, Idle(2 * MINUTE, 2, 320, 6))
    other = a_replicate(1, 1000, Idle())
    # 720 messages of 200 or 100 B, 160 B a minute, 400 B.
    assert month_bytes(24 / 86_400, [observed, other]) == pytest.approx(
        [720 * 200 + 43_200 * 160 + 400, 720 * 100 + 43_200 * 160 + 400]
    )


def test_without_an_observed_connection_there_is_no_month() -> None:
    assert math.isnan(month_bytes(1.0, [a_replicate(0, 2000, Idle())])[0])


def test_the_rate_of_the_deployed_device_is_that_of_the_study() -> None:
    assert deployed_hz_of({"study": {"messages": "24/day"}}) == pytest.approx(24 / 86_400)
    assert deployed_hz_of({"study": {}}) is None
