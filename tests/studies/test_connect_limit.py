"""The connect timeout that a link asks for."""

from __future__ import annotations

import pytest

from tests.factories import a_trial
from wirelab.lab.link import LinkFacts, Way
from wirelab.model.trial import Link
from wirelab.studies.connect_limit import options_for, too_slow

SLOW = LinkFacts(Way(60_000.0, 0.8), Way(30_000.0, 0.8))


@pytest.mark.parametrize(
    ("link", "options"),
    [
        (LinkFacts(), {}),
        (LinkFacts(Way(None, 0.02), Way(None, 0.02)), {}),
        (SLOW, {"connect_timeout_s": "44"}),  # 20 x (1.6 s + 0.2 s up + 0.4 s down)
        # 20 x 1.6 s, of which 64 % arrive
        (LinkFacts(Way(None, 0.8, 0.0, 0.2), Way(None, 0.8, 0.0, 0.2)), {"connect_timeout_s": "50"}),
        # 20 x (1 s + 0.25 s of jitter)
        (LinkFacts(Way(None, 0.5, 0.125), Way(None, 0.5, 0.125)), {"connect_timeout_s": "25"}),
        (LinkFacts(Way(None, 0.8, 0.0, 1.0), Way(None, 800.0)), {"connect_timeout_s": "3600"}),
    ],
)
def test_a_link_with_long_round_trips_gets_a_longer_timeout(link: LinkFacts, options: dict[str, str]) -> None:
    assert options_for({}, link) == options


def test_a_timeout_that_the_study_names_stays() -> None:
    assert options_for({"connect_timeout_s": "5", "inflight": "1"}, SLOW) == {
        "connect_timeout_s": "5",
        "inflight": "1",
    }


def test_a_link_over_which_nothing_connects_is_named_with_its_reason() -> None:
    slow, usual = (
        a_trial(link=Link(text, exchange_s=took_s), options={"connect_timeout_s": limit})
        for text, took_s, limit in (("far", 200.0, "3600"), ("wifi", 0.1, "10"))
    )
    assert too_slow([slow, slow, usual]) == [
        "link far: an exchange takes 200 s with its losses, and connecting up to 20 of them; trials fail "
        "that are not connected after 3,600 s; protocols with few round trips, such as CoAP, may still connect"
    ]


def test_a_timeout_that_is_shorter_than_a_handshake_is_named() -> None:
    short = a_trial(link=Link("far", exchange_s=2.0), options={"connect_timeout_s": "5"})
    assert too_slow([short]) == [
        "link far: an exchange takes 2.00 s with its losses, and connecting up to 20 of them; trials fail "
        "that are not connected after 5.00 s; leave out the option connect_timeout_s, or give a longer one"
    ]
