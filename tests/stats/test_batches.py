"""The samples of a batch stand for those of its messages."""

from __future__ import annotations

import numpy as np

from tests.stats.test_join_samples import MS, arrivals, published
from wirelab.model.result import Counts
from wirelab.stats.batches import as_sent, unpacked
from wirelab.stats.sample_join import Joined, join

WAITS = np.array([[400 * MS, 200 * MS, 0], [400 * MS, 200 * MS, 0]], dtype=np.int64)


def two_of_three(*received: tuple[int, int], planned: int = 2) -> Joined:
    """Batches of three messages that are due every 200 ms; two are sent, at 1 ms and 601 ms."""
    batches = join(published(2, 600 * MS), arrivals(*received), planned=planned, messages=planned)
    return unpacked(batches, np.resize(WAITS, (planned, 3)))


def test_the_first_message_of_a_batch_waits_for_the_others() -> None:
    joined = two_of_three((0, 31 * MS), (1, 661 * MS))
    assert [round(ns / MS) for ns in joined.latency()] == [430, 230, 30, 460, 260, 60]
    assert joined.columns["seq"].tolist() == [0, 1, 2, 3, 4, 5]


def test_all_messages_of_a_lost_batch_are_lost_and_those_of_an_unsent_one_have_no_times() -> None:
    joined = two_of_three((1, 661 * MS), planned=3)
    assert joined.counts == Counts(planned=9, sent=6, delivered=3, lost=3)
    assert joined.columns["planned"][6:].tolist() == [0, 0, 0]


def test_the_bytes_of_messages_add_up_to_those_of_their_batch() -> None:
    assert two_of_three().columns["bytes"].tolist() == [34, 33, 33, 34, 33, 33]


def test_as_sent_each_batch_has_the_times_of_its_last_message() -> None:
    joined = two_of_three((0, 31 * MS), (1, 661 * MS))
    assert [round(ns / MS) for ns in as_sent(joined).latency()] == [30, 60]
    single = join(published(2), arrivals((0, 31 * MS)), planned=2, messages=2)
    assert as_sent(single) is single
