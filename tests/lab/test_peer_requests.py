"""The description of a peer decides whether it gets a trial."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.factories import a_payload, a_trial
from wirelab.lab.peer_contract import Described, Qos, Role
from wirelab.lab.peer_requests import Unsupported, check_capabilities, identity
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


@pytest.mark.parametrize(
    ("lines", "size", "sent", "expected"),
    [
        ("abcd", 2, 2, "content"),
        ("aabb", 2, 2, "content"),
        ("aaaa", 2, 2, "header"),
        ("abc", 2, 3, "content"),
        ("abc", 2, 4, "header"),
    ],
)
def test_batches_are_identified_by_content_if_all_that_are_sent_differ(
    tmp_path: Path, lines: str, size: int, sent: int, expected: str
) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("\n".join(lines))
    workload = Workload(count=size * sent, warmup=0, batch=size)
    batches = a_trial(payload=a_payload(corpus=str(corpus), pack="/x/libpack.so"), workload=workload)
    assert identity(batches) == expected
