"""Assign arrivals to messages that are identified by a kind (content or number) that may repeat."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Match:
    """For each message sent: the index of its arrival (-1: none) and the number of its duplicates.

    `stray` arrivals belong to no message: of unknown kind, or before any message of that kind.
    """

    arrival: Ints
    duplicates: Ints
    stray: int
    ambiguous: int


def match(
    *,
    kinds: Ints,
    sent: Ints,
    arrived_kinds: Ints,
    received: Ints,
    marked: NDArray[np.bool_],
    horizon_ns: int,
) -> Match:
    """Assign every arrival to the message of which it is the delivery or a duplicate.

    `kinds` and `sent` are by message (kind -1: never sent), the others by arrival. `marked`
    arrivals are marked as duplicates by the protocol. Messages of one kind arrive in the order of
    sending, and each arrival is the latest free message sent before it. This assigns the most
    messages with the least total latency. A remaining arrival, or a marked second one, is a
    duplicate of the latest message of its kind sent before it.
    """
    if distinct(kinds[kinds >= 0]):
        return _match_distinct(kinds, sent, arrived_kinds, received)
    arrival = np.full(len(kinds), -1, dtype=np.int64)
    duplicates = np.zeros(len(kinds), dtype=np.int64)
    by_kind = _indices(kinds, sent)
    stray = ambiguous = 0
    for kind, arrivals in _indices(arrived_kinds, received).items():
        messages = by_kind.get(kind, []) if kind >= 0 else []
        one = _Kind(messages, sent[messages].tolist(), arrivals, received[arrivals].tolist())
        one.assign(marked[arrivals].tolist())
        stray += one.stray
        ambiguous += one.ambiguous(horizon_ns)
        for message, index, extra in zip(messages, one.taken, one.extra, strict=True):
            duplicates[message] = extra
            if index is not None:
                arrival[message] = arrivals[index]
    return Match(arrival, duplicates, stray, ambiguous)


def distinct(values: Ints) -> bool:
    """Whether all values differ. Mostly ascending numbers sort in little more than one pass."""
    ordered = np.sort(values, kind="stable")
    return bool(np.all(ordered[1:] > ordered[:-1]))


def _match_distinct(kinds: Ints, sent: Ints, arrived_kinds: Ints, received: Ints) -> Match:
    """The assignment if no kind repeats: the first arrival is the message, the others are
    duplicates.
    """
    arrival = np.full(len(kinds), -1, dtype=np.int64)
    duplicates = np.zeros(len(kinds), dtype=np.int64)
    used = np.flatnonzero(kinds >= 0)
    by_kind = used[np.argsort(kinds[used], kind="stable")]
    if not len(by_kind):
        return Match(arrival, duplicates, len(received), 0)
    at = np.minimum(np.searchsorted(kinds[by_kind], arrived_kinds), len(by_kind) - 1)
    message = by_kind[at]
    known = (kinds[message] == arrived_kinds) & (sent[message] <= received)
    index = np.flatnonzero(known)
    index = index[np.lexsort((index, received[index]))]
    first, where, number = np.unique(message[index], return_index=True, return_counts=True)
    arrival[first] = index[where]
    duplicates[first] = number - 1
    return Match(arrival, duplicates, len(received) - len(index), 0)


def _indices(kinds: Ints, times: Ints) -> dict[int, list[int]]:
    """The indices of each kind, in the order of time (then index)."""
    if not len(kinds):
        return {}
    order = np.lexsort((np.arange(len(kinds)), times, kinds))
    ordered = kinds[order]
    cuts = np.flatnonzero(np.diff(ordered)) + 1
    parts = np.split(order, cuts)
    return {int(kinds[part[0]]): part.tolist() for part in parts}


class _Kind:
    """Assign the messages and arrivals of one kind, both in the order of time."""

    def __init__(
        self, messages: list[int], sent: list[int], arrivals: list[int], received: list[int]
    ) -> None:
        self.sent, self.received = sent, received
        self.taken: list[int | None] = [None] * len(messages)
        self.extra = [0] * len(messages)
        self.stray = 0
        self.left = list(range(len(arrivals)))

    def assign(self, marked: list[bool]) -> None:
        """Assign unmarked arrivals, backwards in time, then marked ones that are the only copy."""
        free = len(self.sent)
        left = []
        for index in reversed(self.left):
            if marked[index]:
                left.append(index)
                continue
            free = min(free, bisect_right(self.sent, self.received[index]))
            if free == 0:
                left.append(index)
                continue
            free -= 1
            self.taken[free] = index
        for index in reversed(left):
            self._place(index)

    def _place(self, index: int) -> None:
        latest = bisect_right(self.sent, self.received[index]) - 1
        if latest < 0:
            self.stray += 1
            return
        holder = self.taken[latest]
        if holder is None:
            self.taken[latest] = index
            return
        self.extra[latest] += 1
        if holder > index:
            self.taken[latest] = index

    def ambiguous(self, horizon_ns: int) -> int:
        """The number of messages matched by time only: the counts differ, and several sends are
        possible.
        """
        whole = all(index is not None for index in self.taken) and not any(self.extra)
        if whole and not self.stray:
            return 0
        unsure = 0
        for index in self.taken:
            if index is not None:
                at = self.received[index]
                several = bisect_right(self.sent, at) - bisect_right(self.sent, at - horizon_ns)
                unsure += int(several > 1)
        return unsure
