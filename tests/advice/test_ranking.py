"""Thresholds come first, then the first objective with its ties, then the second inside a tie."""

from __future__ import annotations

import numpy as np

from wirelab.advice.ranking import Contender, rank
from wirelab.model.answer import Status

NOISE = np.array([0.0, 0.002, -0.002, 0.001, -0.001])
OBJECTIVES = ("latency_p50", "bytes")


def contender(latency, size=100.0, status=Status.PASS, noise=NOISE):
    return Contender(status, {"latency_p50": latency * (1 + noise), "bytes": np.full(5, size)})


def shown(contenders, objectives=OBJECTIVES):
    return [(p.index, p.rank, p.group, p.tied) for p in rank(contenders, objectives)]


def test_passing_rows_rank_before_inconclusive_and_failing_ones():
    rows = [contender(1, status=Status.FAIL), contender(2, status=Status.INCONCLUSIVE), contender(9)]
    assert shown(rows) == [(2, 1, 1, False), (1, 2, 2, False), (0, 3, 3, False)]


def test_the_second_objective_orders_a_tie_and_separates_ranks():
    rows = [contender(10, 300), contender(10, 200, noise=NOISE[::-1]), contender(30, 100)]
    assert shown(rows) == [(1, 1, 1, True), (0, 2, 1, True), (2, 3, 2, False)]


def test_rows_that_no_objective_separates_share_a_rank():
    rows = [contender(10), contender(10, noise=NOISE[::-1]), contender(30)]
    assert shown(rows) == [(0, 1, 1, True), (1, 1, 1, True), (2, 3, 2, False)]


def test_a_difference_below_one_percent_is_a_tie_however_sure():
    assert shown([contender(10.05, 50, noise=0 * NOISE), contender(10, 60, noise=0 * NOISE)]) == [
        (0, 1, 1, True),
        (1, 2, 1, True),
    ]


def test_noise_does_not_let_fewer_bytes_win_over_a_far_better_latency():
    wild = contender(10, 1, noise=np.array([0, 0, 0, 0, 9.0]))
    placed = rank([wild, contender(10, 500)], OBJECTIVES)
    assert [(p.index, p.rank, p.tied, p.inconclusive) for p in placed] == [
        (1, 1, True, False),
        (0, 2, True, True),
    ]


def test_insignificant_losses_do_not_win_by_fewer_bytes():
    few = Contender(Status.PASS, {"loss": np.array([0, 0, 0.1, 0, 0]), "bytes": np.full(5, 1.0)})
    none = Contender(Status.PASS, {"loss": np.zeros(5), "bytes": np.full(5, 9.0)})
    assert [p.index for p in rank([few, none], ("loss", "bytes"))] == [1, 0]


def test_a_row_without_the_figure_is_last_in_its_tier_with_a_note():
    nothing = Contender(Status.PASS, {"bytes": np.full(5, 1.0)})
    placed = rank([nothing, contender(10)], OBJECTIVES)
    assert [(p.index, p.inconclusive) for p in placed] == [(1, False), (0, True)]


def test_more_is_better_for_throughput():
    rows = [Contender(Status.PASS, {"throughput": value * (1 + NOISE)}) for value in (100.0, 200.0)]
    assert [p.index for p in rank(rows, ("throughput",))] == [1, 0]


def test_a_row_that_misses_the_slow_replicates_does_not_win_by_it():
    link = np.array([10.0, 80.0, 30.0, 200.0, 50.0])
    worse_but_short = link * 1.1 + 3
    worse_but_short[3] = np.nan
    rows = [Contender(Status.PASS, {"latency_p50": values}) for values in (worse_but_short, link + NOISE)]
    assert [p.index for p in rank(rows, ("latency_p50",))] == [1, 0]
    shorter = Contender(Status.PASS, {"latency_p50": link[:3] * 0.5})
    assert [p.index for p in rank([*rows, shorter], ("latency_p50",))] == [2, 1, 0]


def test_nothing_to_rank_is_not_an_error():
    assert rank([], OBJECTIVES) == []
