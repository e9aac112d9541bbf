"""Factories of trials and payloads: each test names only the fields it is about."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from wirelab.model.trial import Link, PayloadSpec, Trial, Workload


def a_payload(**changes: Any) -> PayloadSpec:
    """Ready-made messages; `changes` are fields of PayloadSpec."""
    return replace(PayloadSpec(corpus="", schema="", codec="bytes", pack=""), **changes)


def a_trial(name: str = "t", **changes: Any) -> Trial:
    """30 messages over MQTT at QoS 0, 5 a second, over a link that adds nothing; `changes` are
    fields of Trial.
    """
    trial = Trial(
        id=name,
        levels={},
        replicate=0,
        seed=1,
        payload=a_payload(),
        protocol="mqtt",
        qos="0",
        link=Link(),
        workload=Workload(),
    )
    return replace(trial, **changes)
