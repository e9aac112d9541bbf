"""A trial with rising latency has no steady state."""

from __future__ import annotations

import numpy as np

from wirelab.stats.drift import drift


def test_a_growing_queue_is_not_steady():
    found = drift(np.linspace(10, 100, 60))
    assert not found.steady
    assert found.sentence == "latency rose by 249% from the first third to the last"


def test_noise_around_a_level_is_steady_in_nearly_every_trial():
    rng = np.random.default_rng(3)
    assert sum(drift(rng.lognormal(0, 1, 60)).steady for _ in range(300)) >= 294


def test_a_sure_but_small_trend_is_steady():
    assert drift(np.linspace(100, 120, 60)).steady


def test_one_stall_is_not_a_trend():
    values = np.full(60, 10.0)
    values[40:45] = 5000
    assert drift(values).steady


def test_too_few_messages_are_not_judged():
    assert drift(np.linspace(1, 100, 19)).sentence == "19 messages are too few to judge a trend"


def test_equal_latencies_are_steady():
    assert drift(np.full(40, 7.0)).steady
