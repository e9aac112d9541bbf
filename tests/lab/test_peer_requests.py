"""The description of a peer decides whether it gets a trial."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.factories import a_payload, a_trial
from wirelab.lab.peer_contract import Described, Qos, Role
from wirelab.lab.peer_requests import Unsupported, check_capabilities
from wirelab.model.trial import Link, Trial, Workload

PLAIN = Described(
    contract=1,
    name="coap-mine",
    protocol="coap",
    roles=("publisher",),
    qos=(Qos("con", "best-effort"),),
    options={"nstart": "1"},
)


def trial(transport: str) -> Trial:
    payload = a_payload(corpus="/x/messages", codec="")
    workload = Workload(rate_hz=50, count=30, warmup=0)
    return a_trial(
        seed=3,
        payload=payload,
        protocol="coap",
        qos="con",
        link=Link("ideal"),
        workload=workload,
        transport=transport,
    )


def test_a_peer_without_a_transport_gets_trials_over_the_usual_one() -> None:
    assert check_capabilities(PLAIN, trial(""), Role.PUBLISHER).delivery == "best-effort"


def test_a_peer_without_transports_gets_no_transport_option() -> None:
    with pytest.raises(Unsupported, match="coap-mine: does not speak coap over dtls"):
        check_capabilities(PLAIN, trial("dtls"), Role.PUBLISHER)


def test_a_peer_with_transports_may_get_any_of_them() -> None:
    offers = replace(PLAIN, options={"transport": "udp"})
    assert check_capabilities(offers, trial("dtls"), Role.PUBLISHER).delivery == "best-effort"
