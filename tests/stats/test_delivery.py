"""Duplicates and gaps of delivered messages."""

from __future__ import annotations

import numpy as np

from wirelab.stats.delivery import duplicated, longest_gap
from wirelab.stats.sample_join import DELIVERED, FAILED, LOST, UNSENT

D, L = DELIVERED, LOST


def columns(outcome, warmup=0, **more):
    marks = np.arange(len(outcome)) < warmup
    return {"outcome": np.array(outcome), "warmup": marks, **{k: np.array(v) for k, v in more.items()}}


def test_the_longest_gap_counts_messages_that_did_not_arrive_in_succession():
    assert longest_gap(columns([D, L, L, D, L, FAILED, UNSENT, D])) == 3
    assert longest_gap(columns([D, D])) == 0
    assert longest_gap(columns([L, L])) == 2


def test_the_warm_up_is_not_part_of_a_gap():
    assert longest_gap(columns([L, L, L, D, L], warmup=2)) == 1
    assert np.isnan(longest_gap(columns([L], warmup=1)))


def test_each_subscriber_and_each_publisher_has_gaps_of_its_own():
    assert longest_gap(columns([D, L, L, L, D], subscriber=[0, 0, 0, 1, 1])) == 2
    assert longest_gap(columns([L, D, L, D, L, D], publisher=[0, 1, 0, 1, 0, 1])) == 3


def test_a_message_that_arrived_three_times_is_one_duplicated_message():
    assert duplicated(columns([D, D, L], duplicates=[2, 0, 0])) == 1
    assert duplicated(columns([D, D], warmup=1, duplicates=[2, 0])) == 0
    assert duplicated(columns([D])) is None
