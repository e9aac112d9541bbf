"""The intervals of estimates, and their coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest

from wirelab.stats.intervals import (
    design_effect,
    mean_interval,
    proportion_interval,
    quantile_interval,
    values_needed,
)


def test_a_mean_over_replicates_has_students_interval_over_their_means():
    estimate = mean_interval([np.array([9.0, 11.0]), np.array([12.0]), np.array([14.0])], "B")
    assert estimate.value == 12
    # standard deviation 2 of the means 10, 12, 14; t(0.975, 2) = 4.302653
    assert estimate.high - estimate.value == pytest.approx(4.302653 * 2 / 3**0.5, rel=1e-6)
    assert (estimate.replicates, estimate.n, estimate.unit) == (3, 4, "B")


def test_the_interval_of_a_time_is_a_factor_around_its_mean():
    estimate = mean_interval([np.array([100.0]), np.array([200.0]), np.array([400.0])], "ns")
    # logarithms ln 100, ln 200, ln 400: deviation ln 2; exp(4.302653 * ln 2 / 3**0.5) = 5.594998
    assert estimate.value == pytest.approx(233.3333, rel=1e-6)
    assert estimate.low == pytest.approx(233.3333 / 5.594998, rel=1e-5)
    assert estimate.high == pytest.approx(233.3333 * 5.594998, rel=1e-5)
    assert estimate.method == "t over logarithms of replicate means"


def test_one_replicate_says_that_its_interval_is_over_messages_only():
    assert mean_interval([np.array([1.0, 2.0])], "ns").method == "t over the messages of one replicate"
    alone = mean_interval([np.array([5.0])], "B")
    assert (alone.low, alone.high, alone.method) == (5, 5, "one value, no interval")


def test_empty_replicates_are_left_out_and_nothing_at_all_is_refused():
    assert mean_interval([np.array([]), np.array([3.0, 5.0])], "ns").replicates == 1
    with pytest.raises(ValueError, match="no values"):
        quantile_interval([np.array([])], 0.5, "ns")


def test_no_interval_of_times_reaches_zero():
    medians = (80e6, 85e6, 90e6, 100e6, 3e9)  # one of five replicates met an outage
    replicates = [np.full(30, median) for median in medians]
    for estimate in (mean_interval(replicates, "ns"), quantile_interval(replicates, 0.5, "ns")):
        assert 10e6 < estimate.low < estimate.value < estimate.high
    alone = mean_interval([np.array([1.0, 1.0, 100.0])], "ns")
    assert 0 < alone.low < alone.value


def test_an_interval_of_sizes_does_not_go_below_zero():
    assert mean_interval([np.array([1.0]), np.array([100.0])], "B").low == 0


def test_a_time_of_zero_keeps_the_plain_interval():
    estimate = mean_interval([np.array([0.0]), np.array([10.0])], "ns")
    assert (estimate.low, estimate.method) == (0, "t over replicate means")


def test_the_interval_of_possibly_negative_values_does_not_end_at_zero():
    saved = [np.array([share]) for share in (0.1, 0.2, 0.6)]
    assert mean_interval(saved, "fraction").low == 0.0
    estimate = mean_interval(saved, "fraction", bounds=(-math.inf, 0.5))
    assert (estimate.low, estimate.high) == (pytest.approx(-0.357, abs=0.001), 0.5)


def test_the_median_of_150_messages_lies_between_the_ranks_that_the_binomial_names():
    values = np.arange(1, 151, dtype=float)
    estimate = quantile_interval([values], 0.5, "ns")
    assert (estimate.value, estimate.low, estimate.high) == (75.5, 63, 88)
    assert not estimate.open_above


def test_p99_of_150_messages_has_no_upper_end_and_of_368_it_has():
    few = quantile_interval([np.arange(150.0)], 0.99, "ns")
    assert few.open_above
    assert few.high == 149
    assert str(few).endswith(">149 ns]")
    assert values_needed(0.99) == 368
    assert quantile_interval([np.arange(367.0)], 0.99, "ns").open_above
    assert not quantile_interval([np.arange(368.0)], 0.99, "ns").open_above


def test_replicates_that_differ_widen_a_quantiles_interval():
    rng = np.random.default_rng(1)
    alike = [rng.lognormal(0, 0.2, 30) for _ in range(5)]
    apart = [values * (1 + k) for k, values in enumerate(alike)]
    narrow, wide = (quantile_interval(r, 0.5, "ns") for r in (alike, apart))
    assert (wide.high - wide.low) / wide.value > 3 * (narrow.high - narrow.low) / narrow.value


def test_the_interval_of_a_p99_from_one_replicate_includes_the_others():
    calm, slow = np.linspace(800, 900, 92), np.linspace(5_000, 5_600, 92)
    estimate = quantile_interval([calm, calm, calm, slow], 0.99, "ns")
    assert estimate.value > 5_000
    assert 800 < estimate.low <= 900
    # As the share of messages beyond says: any limit above the others' leaves the need open.
    assert proportion_interval([0, 0, 0, 92], [92] * 4).low < 0.01
    mirrored = quantile_interval([-calm, -calm, -calm, -slow], 0.01, "ns")
    assert -900 <= mirrored.high < -800


@pytest.mark.parametrize(
    ("replicates", "messages", "q"), [(3, 30, 0.5), (5, 30, 0.5), (5, 30, 0.9), (5, 80, 0.9)]
)
def test_a_quantiles_interval_holds_the_truth_in_nine_of_ten_experiments(replicates, messages, q):
    rng, between, hits = np.random.default_rng(2), 0.1, 0
    truth = np.quantile(rng.lognormal(0, np.hypot(0.5, between), 2_000_000), q)
    for _ in range(300):
        experiment = [rng.lognormal(rng.normal(0, between), 0.5, messages) for _ in range(replicates)]
        estimate = quantile_interval(experiment, q, "ns")
        hits += estimate.low <= truth and (truth <= estimate.high or estimate.open_above)
    assert hits >= 270


def test_a_proportion_has_the_clopper_pearson_interval():
    estimate = proportion_interval([5], [50])
    assert (estimate.value, estimate.unit) == (0.1, "fraction")
    assert (estimate.low, estimate.high) == pytest.approx((0.03327509, 0.21813537), abs=1e-7)


def test_no_loss_seen_still_has_an_upper_bound():
    estimate = proportion_interval([0, 0, 0], [50, 50, 50])
    assert (estimate.value, estimate.low) == (0, 0)
    assert estimate.high == pytest.approx(1 - 0.025 ** (1 / 150))


def test_everything_lost_still_has_a_lower_bound():
    estimate = proportion_interval([20], [20])
    assert (estimate.value, estimate.high) == (1, 1)
    assert estimate.low == pytest.approx(0.025 ** (1 / 20))


def test_losses_in_bursts_widen_the_interval():
    spread, burst = (
        proportion_interval([3, 3, 3, 3], [100] * 4),
        proportion_interval([12, 0, 0, 0], [100] * 4),
    )
    assert spread.value == burst.value == 0.03
    assert burst.high > 2 * spread.high


def test_the_design_effect_is_chi_square_per_degree_of_freedom_and_at_least_one():
    sizes = np.array([100.0, 100.0])
    # expected 10 each, variance 9: (10**2 + 10**2) / 9 / 1
    assert design_effect(np.array([20.0, 0.0]), sizes) == pytest.approx(200 / 9)
    assert design_effect(np.array([10.0, 10.0]), sizes) == 1


def test_more_successes_than_trials_are_refused():
    with pytest.raises(ValueError, match="successes"):
        proportion_interval([3], [2])


def test_messages_that_are_lost_together_count_as_one():
    # Nothing lost of 60 in batches of ten: 1 - 0.025 ** (1 / 6).
    assert proportion_interval([0, 0], [30, 30], alike=10).high == pytest.approx(0.4593, abs=1e-4)
    assert proportion_interval([0, 0], [30, 30]).high == pytest.approx(0.0596, abs=1e-4)
    both = proportion_interval([10, 10], [30, 30], alike=10)
    assert (both.value, both.n) == (pytest.approx(1 / 3), 60)
    assert both.high == proportion_interval([2], [6]).high
    assert proportion_interval([0], [5], alike=10).high == pytest.approx(0.975)
