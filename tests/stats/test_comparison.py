"""Equal items tie, different items are separated, and ties are marked."""

from __future__ import annotations

import numpy as np
import pytest

from wirelab.stats.comparison import Order, compare, holm, rank_groups

SHAPES = {
    "normal": lambda rng, shape: rng.normal(1, 0.02, shape),
    "lognormal": lambda rng, shape: rng.lognormal(0, 1, shape),
    "pareto": lambda rng, shape: 1 + rng.pareto(1.5, shape),
}


def replicate_means(rng, shape, replicates, between):
    values = SHAPES[shape](rng, (replicates, 30))
    return values.mean(axis=1) * np.exp(rng.normal(0, between, replicates))


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("between", [0, 0.02, 0.2])
def test_the_same_codec_twice_is_a_tie_in_at_least_95_of_100_comparisons(shape, between, paired):
    rng = np.random.default_rng(5)
    for replicates in (3, 5, 10):
        ties = 0
        for _ in range(400):
            a, b = (replicate_means(rng, shape, replicates, between) for _ in range(2))
            ties += compare(a, b, paired=paired).order is Order.TIE
        assert ties >= 380, (shape, between, replicates)


def test_a_difference_of_10_percent_is_separated_from_noise_of_2_percent():
    rng, separated = np.random.default_rng(6), 0
    for _ in range(400):
        a, b = (mean * (1 + rng.normal(0, 0.02, 5)) for mean in (1.0, 1.1))
        separated += compare(a, b).order is Order.LESS
    assert separated >= 360


def test_pairing_removes_the_common_effect_of_the_link():
    link = np.array([10.0, 80.0, 30.0, 200.0, 50.0])
    a = link + np.array([1.0, 1.1, 0.9, 1.0, 1.05])
    b = link + np.array([2.0, 2.1, 1.9, 2.05, 2.0])
    assert compare(a, b).order is Order.LESS
    assert compare(a, b, paired=False).order is Order.TIE


def test_difference_and_ratio_carry_the_99_percent_interval():
    found = compare([11.0, 12.0, 13.0], [10.0, 10.0, 10.0], "ns")
    # differences 1, 2, 3: mean 2, standard error 1 / sqrt(3); t(0.995, 2) = 9.924843
    assert found.difference.value == 2
    assert found.difference.high == pytest.approx(2 + 9.924843 / 3**0.5, rel=1e-6)
    assert (found.ratio.value, found.ratio.unit) == (pytest.approx(1.2), "1")
    assert found.ratio.high == pytest.approx(1 + found.difference.high / 10)
    assert found.order is Order.TIE


def test_a_sure_difference_within_the_margin_is_a_tie():
    a, b = [1.000, 1.001, 1.0005], [1.005, 1.006, 1.0055]
    assert compare(a, b).order is Order.LESS
    assert compare(a, b, margin=0.01).order is Order.TIE


def test_one_replicate_or_one_shared_replicate_separates_nothing():
    assert compare([1.0], [100.0]).order is Order.TIE
    assert compare([1.0, np.nan, 1.0], [np.nan, 5.0, 100.0]).order is Order.TIE


def test_paired_replicates_of_different_number_are_refused():
    with pytest.raises(ValueError, match="differ in number"):
        compare([1.0, 2.0], [1.0, 2.0, 3.0])


def test_items_not_separated_from_the_leader_are_in_its_group():
    noise = np.array([0.0, 0.01, -0.01, 0.005, -0.005])
    places = rank_groups([5 + noise, 1 + noise[::-1], 1.001 + noise, 5.002 - noise, 9 + noise])
    assert [(p.index, p.group, p.tied) for p in places] == [
        (1, 1, True),
        (2, 1, True),
        (0, 2, True),
        (3, 2, True),
        (4, 3, False),
    ]
    assert places[0].against_best is None
    assert places[1].against_best.order is Order.TIE


def test_a_noisy_row_behind_a_separated_one_is_marked_inconclusive():
    noise = np.array([0.0, 0.01, -0.01, 0.005, -0.005])
    noisy = np.array([1.0, 40.0, 1.0, 1.0, 1.0])
    places = rank_groups([1 + noise, 2 - noise, noisy])
    assert [(p.index, p.group, p.unplaced) for p in places] == [(0, 1, False), (1, 2, False), (2, 2, True)]


def test_a_row_that_is_better_in_common_replicates_is_never_in_a_later_group():
    gap = np.nan
    places = rank_groups([[gap, 4, 26, 6, 26], [16, gap, 24, 4, gap], [6, 2, gap, 21, gap]])
    assert compare([24.0, 4.0], [26.0, 6.0]).order is Order.LESS
    assert [(p.index, p.group) for p in places] == [(0, 1), (1, 1), (2, 1)]


def test_higher_is_better_ranks_the_other_way_round():
    assert [p.index for p in rank_groups([[1.0, 1.1], [9.0, 9.1]], lower_is_better=False)] == [1, 0]


def test_exact_figures_tie_only_when_equal():
    places = rank_groups([[953.0], [1157.0], [953.0]], exact=True)
    assert [(p.index, p.group, p.tied) for p in places] == [(0, 1, True), (2, 1, True), (1, 2, False)]


def test_an_item_without_a_number_is_refused():
    with pytest.raises(ValueError, match="without a number"):
        rank_groups([[1.0], [np.nan]])


def test_holm_steps_down_and_stops_at_the_first_insignificant_value():
    # against 0.05 / 4, 0.05 / 3, 0.05 / 2 and 0.05 / 1: 0.026 is not significant, so 0.03 is not
    # either
    assert holm([0.01, 0.03, 0.026, 0.001], family=0.05) == [True, False, False, True]
    assert holm([0.02, 0.0001, 0.02], family=0.05) == [True, True, True]
    assert holm([], family=0.05) == []


@pytest.mark.parametrize("noise", [0.02, 0.2])
def test_a_table_of_equal_rows_is_one_group_in_at_least_93_of_100_tables(noise):
    rng, split = np.random.default_rng(8), 0
    for _ in range(200):
        split += rank_groups([1 + rng.normal(0, noise, 5) for _ in range(20)], margin=0.01)[-1].group > 1
    assert split <= 14
