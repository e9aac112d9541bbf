"""The number of messages that quantiles need."""

from __future__ import annotations

import pytest

from tests.advice.test_ranked_answer import Run
from wirelab.advice.answer import answer
from wirelab.advice.thresholds import parse_thresholds
from wirelab.model.errors import BadInput
from wirelab.model.study import Study
from wirelab.studies.message_count import automatic_count, check_measured
from wirelab.studies.workload_options import workload


def test_a_quantile_of_a_threshold_or_an_objective_raises_the_automatic_count():
    assert automatic_count(Study(), 5.0) == 30
    assert automatic_count(Study(thresholds=("p99<1s",)), 5.0) == 74  # 368 / 5
    assert automatic_count(Study(rank_by=("p99.9",)), 5.0) == 738  # 3,688 / 5
    assert automatic_count(Study(rank_by=("max", "p75")), 5.0) == 30


def test_too_few_messages_for_a_quantile_are_refused_by_name():
    with pytest.raises(BadInput) as caught:
        workload(Study(thresholds=("p99.9<2s",), count="30"), "5/s", "one-way")
    assert str(caught.value) == (
        "p99.9 of latency: 150 messages of a combination are too few: it is one in 1,000; "
        "send 738 messages a trial (--count 738), or ask for a lower quantile"
    )
    with pytest.raises(BadInput, match="100 messages of a combination are too few"):
        workload(Study(rank_by=("p99.9",), duration="4s", count=""), "5/s", "one-way")


def test_a_count_with_a_message_beyond_the_quantile_is_taken():
    assert workload(Study(thresholds=("p99<1s",), count="20"), "5/s", "one-way").count == 20


def test_a_measured_run_has_no_quantile_that_its_messages_do_not_reach():
    run = Run().add("json", n=100)  # five replicates
    check_measured(answer(run, parse_thresholds(["p99<1s"]), ["p99.8", "latency_max"]))
    for thresholds, objectives in (((), ["p99.9"]), (parse_thresholds(["p99.9<1s"]), ["latency"])):
        with pytest.raises(BadInput) as caught:
            check_measured(answer(run, thresholds, objectives))
        assert str(caught.value) == (
            "p99.9 of latency: 500 messages of a combination are too few: it is one in 1,000; "
            "measure more messages, or ask for a lower quantile"
        )
