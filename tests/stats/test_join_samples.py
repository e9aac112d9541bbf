"""Every message is counted once, for any arrivals in any order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirelab.model.errors import MeasurementFailed
from wirelab.model.result import Counts
from wirelab.stats.sample_join import DELIVERED, FAILED, LOST, UNSENT, join
from wirelab.store.sample_file import RECORD

MS = 1_000_000


def published(count: int, interval: int = 200 * MS, flags: int = 0):
    records = np.zeros(count, RECORD)
    records["seq"] = np.arange(count)
    records["planned"] = MS + np.arange(count) * interval
    records["start"] = records["planned"] + 10
    records["sent"] = records["planned"] + 20
    records["bytes"], records["flags"] = 100, flags
    return records


def arrivals(*received: tuple[int, int] | tuple[int, int, int]):
    records = np.zeros(len(received), RECORD)
    for record, (seq, at, *flags) in zip(records, received, strict=True):
        record["seq"], record["received"], record["decoded"] = seq, at, at + 5
        record["flags"] = flags[0] if flags else 0
    return records


def test_latency_is_from_the_planned_send_to_decoded_and_arrival_to_received():
    sent = published(2)
    joined = join(sent, arrivals((0, 31 * MS), (1, 261 * MS)), planned=2, messages=2)
    assert joined.latency().tolist() == [30 * MS + 5, 60 * MS + 5]
    assert joined.arrival().tolist() == [30 * MS, 60 * MS]


def test_delivered_lost_failed_and_unsent_add_up_to_planned():
    sent = published(4)
    sent["flags"][2] = 2
    joined = join(sent, arrivals((0, 50 * MS)), planned=5, messages=5)
    assert joined.columns["outcome"].tolist() == [DELIVERED, LOST, FAILED, LOST, UNSENT]
    assert joined.counts == Counts(planned=5, sent=4, delivered=1, lost=3, failed=1)


def test_a_given_up_message_that_arrived_is_delivered():
    joined = join(published(1, flags=2), arrivals((0, 50 * MS)), planned=1, messages=1)
    assert joined.counts == Counts(planned=1, sent=1, delivered=1)


def test_the_warm_up_is_kept_in_the_samples_and_left_out_of_counts_and_latency():
    sent = published(4)
    joined = join(
        sent, arrivals((0, 900 * MS), (2, 431 * MS), (2, 432 * MS)), planned=4, messages=4, warmup=2
    )
    assert joined.columns["warmup"].tolist() == [True, True, False, False]
    assert joined.counts == Counts(planned=2, sent=2, delivered=1, lost=1, duplicated=1, reordered=0)
    assert joined.latency().tolist() == [30 * MS + 5]


def test_the_first_arrival_counts_and_later_ones_are_duplicates():
    joined = join(published(1), arrivals((0, 70 * MS), (0, 40 * MS), (0, 90 * MS)), planned=1, messages=1)
    assert joined.columns["received"].tolist() == [40 * MS]
    assert joined.columns["duplicates"].tolist() == [2]


def test_the_first_of_two_equal_arrivals_counts_also_for_repeated_content():
    got = arrivals((0, 40 * MS), (0, 30 * MS), (0, 250 * MS))
    joined = join(published(2), got, planned=2, messages=1)
    assert joined.columns["received"].tolist() == [30 * MS, 250 * MS]
    assert joined.columns["duplicates"].tolist() == [1, 0]


def test_repeated_content_is_assigned_to_the_latest_message_sent_before_it():
    # corpus of 2, so messages 0 and 2, 1 and 3 look alike; message 1 is lost
    sent = published(4)
    joined = join(sent, arrivals((0, 41 * MS), (0, 441 * MS), (1, 641 * MS)), planned=4, messages=2)
    assert joined.columns["outcome"].tolist() == [DELIVERED, LOST, DELIVERED, DELIVERED]
    assert joined.arrival().tolist() == [40 * MS] * 3


def test_equal_corpus_messages_are_one_content():
    sent = published(3)
    same = np.array([0, 0, 2])
    joined = join(
        sent, arrivals((0, 41 * MS), (0, 241 * MS), (2, 441 * MS)), planned=3, messages=3, same_as=same
    )
    assert joined.counts.delivered == 3
    assert joined.arrival().tolist() == [40 * MS] * 3


def test_a_stall_longer_than_the_corpus_is_matched_in_order_when_everything_arrives():
    sent = published(5)
    at = 3000 * MS
    joined = join(sent, arrivals(*[(0, at + k) for k in range(5)]), planned=5, messages=1)
    assert joined.columns["received"].tolist() == [at + k for k in range(5)]
    assert joined.ambiguous == 0


def test_messages_that_content_does_not_identify_are_ambiguous():
    sent = published(3)
    joined = join(sent, arrivals((0, 41 * MS), (0, 441 * MS)), planned=3, messages=1)
    assert joined.counts.delivered == 2
    assert joined.ambiguous == 1
    near = join(sent, arrivals((0, 41 * MS), (0, 441 * MS)), planned=3, messages=1, horizon_ns=100 * MS)
    assert near.ambiguous == 0


def test_a_marked_duplicate_never_hides_a_loss_and_is_a_delivery_where_it_is_the_only_copy():
    # messages 0 and 1 look alike; 0 is lost, 1 comes twice, the second time marked by the protocol
    twice = join(published(2), arrivals((0, 250 * MS), (0, 260 * MS, 16)), planned=2, messages=1)
    assert twice.columns["outcome"].tolist() == [LOST, DELIVERED]
    assert twice.columns["duplicates"].tolist() == [0, 1]
    only = join(published(1), arrivals((0, 250 * MS, 16)), planned=1, messages=1)
    assert only.counts == Counts(planned=1, sent=1, delivered=1)


def test_a_sequence_header_names_the_message_whatever_its_content():
    sent = published(3)
    joined = join(sent, arrivals((2, 500 * MS), (1, 600 * MS)), planned=3, messages=1, identity="header")
    assert joined.columns["outcome"].tolist() == [LOST, DELIVERED, DELIVERED]


def test_reordered_are_those_that_arrive_after_a_later_message():
    # RFC 4737, 3.4: arrivals 1, 2, 4, 5, 3 leave one reordered message
    sent = published(5, interval=1)
    order = arrivals(*[(seq, 50 * MS + k) for k, seq in enumerate([0, 1, 3, 4, 2])])
    joined = join(sent, order, planned=5, messages=5)
    assert joined.columns["reordered"].tolist() == [False, False, True, False, False]
    assert joined.counts.reordered == 1


def test_corrupt_and_unknown_arrivals_are_counted_and_deliver_nothing():
    unknown = 2**64 - 1
    got = arrivals((0, 40 * MS, 4), (unknown, 41 * MS, 8), (unknown, 42 * MS, 4 | 8), (7, 43 * MS), (1, 44))
    joined = join(published(2), got, planned=2, messages=2)
    assert joined.counts == Counts(planned=2, sent=2, lost=2, corrupt=2, unknown=3)


def test_an_arrival_decoded_before_it_was_received_is_invalid():
    got = arrivals((0, 40 * MS))
    got["decoded"] = 39 * MS
    assert join(published(1), got, planned=1, messages=1).counts == Counts(
        planned=1, sent=1, lost=1, unknown=1
    )


def test_nothing_sent_and_nothing_received_are_lost_or_unsent():
    nothing = np.zeros(0, RECORD)
    assert join(published(2), nothing, planned=2, messages=1).counts == Counts(planned=2, sent=2, lost=2)
    assert join(nothing, arrivals((0, 5)), planned=2, messages=1).counts == Counts(planned=2, unknown=1)


def test_a_publisher_that_numbers_wrongly_is_refused():
    twice = published(2)
    twice["seq"] = 1
    with pytest.raises(MeasurementFailed, match="one sequence number twice"):
        join(twice, arrivals(), planned=2, messages=2)
    with pytest.raises(MeasurementFailed, match="sequence number 2 of 2 planned"):
        join(published(3), arrivals(), planned=2, messages=2)


@dataclass
class Trial:
    sent: np.ndarray
    got: np.ndarray
    messages: int
    identity: str


@st.composite
def trials(draw):
    count = draw(st.integers(0, 25))
    messages = draw(st.integers(1, 8))
    sent = published(count, interval=draw(st.sampled_from([1, 50 * MS])))
    sent = sent[draw(st.lists(st.booleans(), min_size=count, max_size=count))] if count else sent
    one = st.tuples(
        st.integers(0, max(count, messages)),
        st.integers(0, 1500).map(lambda ms: ms * MS),
        st.sampled_from([0, 0, 0, 4, 8, 16]),
    )
    got = arrivals(*draw(st.lists(one, max_size=40)))
    for record in got:
        record["decoded"] += draw(st.integers(0, 3))
    return Trial(sent, got, messages, draw(st.sampled_from(["content", "header"]))), count


def joined_of(trial: Trial, count: int):
    return join(trial.sent, trial.got, planned=count, messages=trial.messages, identity=trial.identity)


@settings(max_examples=300, deadline=None)
@given(trials())
def test_no_message_and_no_arrival_is_counted_twice_or_vanishes(case):
    trial, count = case
    joined = joined_of(trial, count)
    outcome, c = joined.columns["outcome"], joined.counts
    assert len(outcome) == count == c.planned
    assert c.sent == len(trial.sent) == c.delivered + c.lost
    assert c.delivered + c.duplicated + c.corrupt + c.unknown == len(trial.got)
    delivered = outcome == DELIVERED
    assert (joined.columns["received"][delivered] >= joined.columns["sent"][delivered]).all()
    assert (joined.columns["received"][~delivered] == 0).all()
    assert (joined.columns["duplicates"][~delivered] == 0).all()


@settings(max_examples=200, deadline=None)
@given(trials(), st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(case, random):
    trial, count = case
    shuffled = Trial(
        trial.sent[random.sample(range(len(trial.sent)), len(trial.sent))],
        trial.got[random.sample(range(len(trial.got)), len(trial.got))],
        trial.messages,
        trial.identity,
    )
    first, second = joined_of(trial, count), joined_of(shuffled, count)
    assert first.counts == second.counts
    assert first.ambiguous == second.ambiguous
    for name, values in first.columns.items():
        assert (values == second.columns[name]).all(), name


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 40), st.integers(1, 10), st.integers(0, 30), st.lists(st.integers(0, 39), max_size=5))
def test_an_ordered_link_faster_than_one_pass_of_the_corpus_is_joined_without_error(
    count, messages, delay, lost
):
    sent = published(count)
    kept = [i for i in range(count) if i not in lost]
    got = arrivals(*[(i % messages, int(sent["sent"][i]) + delay * MS) for i in kept])
    joined = join(sent, got, planned=count, messages=messages)
    assert np.flatnonzero(joined.columns["outcome"] == DELIVERED).tolist() == kept
    assert (joined.arrival() == delay * MS + 20).all()


def test_a_flood_of_three_thousand_passes_of_the_corpus_is_joined():
    sent = published(300_000, interval=1000)
    got = np.zeros(300_000, RECORD)
    got["seq"] = np.arange(300_000) % 100
    got["received"] = got["decoded"] = sent["sent"] + 50_000
    joined = join(sent, got, planned=300_000, messages=100)
    assert joined.counts.delivered == 300_000
    assert (joined.arrival() == 50_020).all()
