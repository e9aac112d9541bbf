"""Which rows need more replicates, and how many."""

from __future__ import annotations

import pytest

from tests.advice.test_ranked_answer import Run
from wirelab.advice.answer import answer
from wirelab.advice.precision import half_width, imprecise_rows, parse_precision, replicates_needed
from wirelab.model.errors import BadInput
from wirelab.model.estimate import Estimate


def test_a_precision_is_a_share_above_zero_of_a_figure_with_an_interval():
    assert parse_precision("5%", "latency") == 0.05
    for text, objective, complaint in (
        ("0", "latency", "precision '0': not above zero; write it like 5%"),
        ("5ms", "latency", "fraction '5ms'"),
        ("5%", "max", "largest latency has no interval; rank by a quantile, such as p99"),
    ):
        with pytest.raises(BadInput) as caught:
            parse_precision(text, objective)
        assert complaint in str(caught.value)


def test_an_open_interval_is_never_precise():
    closed = Estimate(100, 90, 110, "ns", 5, 50, "t")
    assert half_width(closed) == pytest.approx(0.1)
    assert (
        half_width(None)
        == half_width(Estimate(100, 90, 100, "ns", 5, 50, "", open_above=True))
        == float("inf")
    )


def test_only_rows_that_lead_or_tie_need_more_replicates():
    found = answer(Run().add("a", ms=50).add("b", ms=50.01).add("slow", ms=200))
    assert [row.label for row in imprecise_rows(found, 0.02)] == ["a/a", "b/b"]
    assert [(row.label, more) for row, more in replicates_needed(found, 0.01)] == [("a/a", 5), ("b/b", 5)]


def test_a_precision_that_is_nearly_reached_takes_few_replicates():
    found = answer(Run().add("a", ms=50))
    width = half_width(found.rankings[0].rows[0].estimates["latency_p50"])
    assert [more for _, more in replicates_needed(found, width / 1.1)] == [2]  # 5 * 1.21 = 6.05
    assert replicates_needed(found, width * 1.1) == []


def test_exact_figures_need_no_replicates():
    assert replicates_needed(answer(Run().add("a").add("b"), (), ["bytes"]), 0.01) == []
