"""The default rate of a link: well under what it carries, and stated where it is not the usual."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.factories import a_payload
from wirelab.lab.link import LinkFacts, Way, link_facts
from wirelab.model.study import Study
from wirelab.model.trial import Trial
from wirelab.studies.default_rate import DefaultRate, stated_rates
from wirelab.studies.plan import trials

NB_IOT = LinkFacts(Way(62_000.0, 0.8), Way(26_000.0, 0.8))
STUDY = Study(payload="p.json", protocol=("mqtt", "coap"), link=("nb-iot",), replicates=2)


def plan(study: Study, message_bytes: float = 160.0) -> list[Trial]:
    return trials(study, ("json/serde_json",), a_payload(), message_bytes)


def test_the_facts_of_a_link_are_those_of_its_text() -> None:
    assert link_facts("up.rate=62kbit/s,down.rate=26kbit/s,rtt=1600ms") == NB_IOT
    assert link_facts("rtt=20ms,loss=10%").up == Way(None, 0.01, 0.0, 0.1)
    assert link_facts("ideal") == LinkFacts()


@pytest.mark.parametrize(
    ("link", "usual", "hz"),
    [
        (LinkFacts(), DefaultRate(160.0, waits=True), 5.0),
        (LinkFacts(Way(None, 0.035), Way(None, 0.035)), DefaultRate(160.0, waits=True), 5.0),
        # A fifth of 62,000 bit/s, in messages of 360 bytes with their headers, are 4.3 a second; of
        # 26,000 bit/s 1.8.
        (NB_IOT, DefaultRate(160.0), 1.5),
        # An exchange takes 1.71 s, so half of the time is 0.29 a second.
        (NB_IOT, DefaultRate(160.0, waits=True), 0.25),
        # Two blocks of 1,024 bytes take two exchanges.
        (NB_IOT, DefaultRate(2000.0, waits=True), 0.12),
        (LinkFacts(Way(100.0, 10.0), Way(100.0, 10.0)), DefaultRate(1000.0), 0.002),
    ],
)
def test_the_default_is_well_under_what_the_link_carries(
    link: LinkFacts, usual: DefaultRate, hz: float
) -> None:
    assert usual.hz(link) == hz


def test_a_protocol_that_waits_for_acknowledgements_lowers_the_rate_of_all() -> None:
    assert {t.workload.rate_hz for t in plan(STUDY)} == {0.25}
    assert {t.workload.rate_hz for t in plan(replace(STUDY, protocol=("mqtt",)))} == {1.5}


def test_a_slow_default_rate_plans_fewer_messages() -> None:
    assert {t.workload.count for t in plan(STUDY)} == {5}
    assert {t.workload.count for t in plan(replace(STUDY, rate=("0.25/s",)))} == {30}
    assert {t.workload.count for t in plan(replace(STUDY, thresholds=("p99<9s",)))} == {184}
    assert {t.workload.count for t in plan(replace(STUDY, link=("wifi",)))} == {30}


def test_a_slow_default_rate_plans_a_shorter_warm_up() -> None:
    assert {t.workload.warmup for t in plan(STUDY)} == {1}
    assert {t.workload.warmup for t in plan(replace(STUDY, warmup="2"))} == {2}
    assert {t.workload.warmup for t in plan(replace(STUDY, rate=("0.25/s",)))} == {3}
    assert {t.workload.warmup for t in plan(replace(STUDY, link=("wifi",)))} == {3}


def test_each_link_has_its_own_default_and_slow_ones_are_stated() -> None:
    study = replace(STUDY, link=("wifi", "nb-iot"))
    planned = plan(study)
    assert {(t.link.text, t.workload.rate_hz) for t in planned} == {("wifi", 5.0), ("nb-iot", 0.25)}
    assert stated_rates(study, planned) == [
        "default rate on nb-iot: 0.25/s, well under what it carries; "
        "5 messages a trial after 1 of warm-up; --rate asks for another"
    ]


def test_a_rate_that_was_asked_for_is_not_stated() -> None:
    study = replace(STUDY, rate=("0.25/s",))
    assert stated_rates(study, plan(study)) == []


def test_limits_of_a_trial_follow_its_link() -> None:
    (slow, *_), (fast, *_) = plan(replace(STUDY, link=("rtt=20s",))), plan(replace(STUDY, link=("wifi",)))
    assert (slow.link.exchange_s, slow.workload.drain_ns) == (20.0, 800_000_000_000)
    assert fast.workload.drain_ns == 100_000_000_000
