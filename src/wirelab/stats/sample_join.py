"""Join the samples of publisher and subscriber: one row per planned message.

The input is the records of docs/contracts/peer.md as structured arrays, in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wirelab.model import sample_flags
from wirelab.model.errors import MeasurementFailed
from wirelab.model.result import Counts
from wirelab.stats.assignment import Match, distinct, match

Ints = NDArray[np.int64]
Records = NDArray[np.void]

DELIVERED, LOST, FAILED, UNSENT = 0, 1, 2, 3
"""Outcomes. Lost: sent and not usable at the subscriber. Failed: lost, and the publisher knows."""

OUTCOMES = ("delivered", "lost", "failed", "unsent")


@dataclass(frozen=True)
class Joined:
    """One row per planned message, in the order of sending. Times are in ns, 0 if there is none.

    Columns: seq, planned, start, sent, done, received, decoded, bytes (int64), outcome (uint8, see
    OUTCOMES), duplicates (extra arrivals, int64), reordered, warmup (bool). `counts` leave out the
    warm-up; `unknown` in them are arrivals that belong to no message. `ambiguous` are messages that
    content does not identify.
    """

    columns: dict[str, NDArray[np.generic]]
    counts: Counts
    ambiguous: int

    def latency(self) -> Ints:
        """Latency (decoded - planned) of delivered messages after the warm-up, in ns."""
        return self._since_planned("decoded")

    def arrival(self) -> Ints:
        """Time to arrival at the subscriber (received - planned) of the same messages, in ns."""
        return self._since_planned("received")

    def _since_planned(self, column: str) -> Ints:
        c = self.columns
        used = (c["outcome"] == DELIVERED) & ~c["warmup"].astype(bool)
        passed: Ints = np.asarray(c[column][used], dtype=np.int64) - np.asarray(
            c["planned"][used], dtype=np.int64
        )
        return passed


def join(
    publisher: Records,
    subscriber: Records,
    *,
    planned: int,
    identity: str = "content",
    messages: int = 1,
    same_as: Ints | None = None,
    warmup: int = 0,
    horizon_ns: int = 10_000_000_000,
) -> Joined:
    """Join the samples of one publisher and one subscriber.

    `planned` messages were to be sent; the first `warmup` of them are not counted. `identity`
    `content`: message i carries corpus message i mod `messages`, and `same_as[c]` is the lowest
    corpus index with the bytes of c (None: all differ). `header`: a subscriber's seq is the
    publisher's. `horizon_ns` is the largest plausible latency, for counting ambiguous messages.
    Raises MeasurementFailed if the publisher's records contradict each other.
    """
    rows = _rows(publisher, planned)
    seqs = rows["seq"]
    if identity == "content":
        low = np.arange(messages, dtype=np.int64) if same_as is None else np.asarray(same_as, dtype=np.int64)
        kinds = low[seqs % messages]
    else:
        kinds = seqs
    arrivals = _arrivals(subscriber)
    usable = (arrivals["flags"] & (sample_flags.UNDECODABLE | sample_flags.UNKNOWN)) == 0
    sane = usable & (arrivals["decoded"] >= arrivals["received"])
    good = arrivals[sane]
    marked = (good["flags"] & sample_flags.DUPLICATE) != 0
    was_sent = rows["sent"] > 0
    found = match(
        kinds=np.where(was_sent, kinds, -1),
        sent=rows["sent"],
        arrived_kinds=good["seq"].astype(np.int64),
        received=good["received"],
        marked=marked,
        horizon_ns=horizon_ns,
    )
    columns = _columns(rows, good, found, was_sent, warmup)
    corrupt = int(np.count_nonzero(arrivals["flags"] & sample_flags.UNDECODABLE))
    unknown = len(arrivals) - corrupt - len(good) + found.stray
    return Joined(columns, _counts(columns, corrupt, unknown), found.ambiguous)


def together(joined: Sequence[Joined]) -> Joined:
    """The rows of several subscribers, one after another, with a column `subscriber` if there are
    several.
    """
    if len(joined) == 1:
        return joined[0]
    columns = {name: np.concatenate([one.columns[name] for one in joined]) for name in joined[0].columns}
    columns["subscriber"] = np.repeat(np.arange(len(joined)), [len(one.columns["seq"]) for one in joined])
    return Joined(columns, _sum(joined), sum(one.ambiguous for one in joined))


def merged(joined: Sequence[Joined]) -> Joined:
    """The rows of several publishers as those of one, with a column `publisher`.

    They are in the order of planned times, unsent messages last.
    """
    columns = {name: np.concatenate([one.columns[name] for one in joined]) for name in joined[0].columns}
    columns["publisher"] = np.repeat(np.arange(len(joined)), [len(one.columns["seq"]) for one in joined])
    was_sent = columns["sent"] != 0
    times = np.where(was_sent, columns["planned"], np.iinfo(np.int64).max)
    order = np.argsort(times, kind="stable")
    columns = {name: values[order] for name, values in columns.items()}
    columns["seq"] = np.arange(len(order), dtype=np.int64)
    return Joined(columns, _sum(joined), sum(one.ambiguous for one in joined))


def _sum(joined: Sequence[Joined]) -> Counts:
    return Counts(
        **{name: sum(getattr(one.counts, name) for one in joined) for name in Counts.__struct_fields__}
    )


def _rows(publisher: Records, planned: int) -> dict[str, Ints]:
    """The publisher's records by sequence number; zeros for a planned message without a record."""
    seqs = publisher["seq"]
    if len(seqs) and int(seqs.max()) >= planned:
        raise MeasurementFailed(
            "publisher's samples", f"sequence number {seqs.max()} of {planned} planned messages"
        )
    where = seqs.astype(np.int64)
    if not distinct(where):
        raise MeasurementFailed("publisher's samples", "one sequence number twice")
    rows: dict[str, Ints] = {"seq": np.arange(planned, dtype=np.int64)}
    for name in ("planned", "start", "sent", "done", "bytes", "flags"):
        rows[name] = np.zeros(planned, dtype=np.int64)
        rows[name][where] = publisher[name]
    return rows


def _arrivals(subscriber: Records) -> Records:
    """The subscriber's records in an order that depends only on their content."""
    received = subscriber["received"]
    if np.all(received[1:] > received[:-1]):
        return subscriber
    keys = [subscriber[name] for name in ("bytes", "flags", "decoded", "seq", "received")]
    return subscriber[np.lexsort(keys)]


def _columns(
    rows: dict[str, Ints], good: Records, found: Match, was_sent: NDArray[np.bool_], warmup: int
) -> dict[str, NDArray[np.generic]]:
    planned = len(rows["seq"])
    delivered = found.arrival >= 0
    received, decoded = np.zeros(planned, dtype=np.int64), np.zeros(planned, dtype=np.int64)
    received[delivered] = good["received"][found.arrival[delivered]]
    decoded[delivered] = good["decoded"][found.arrival[delivered]]
    failed = (rows["flags"] & sample_flags.FAILED) != 0
    outcome = np.select([delivered, ~was_sent, failed], [DELIVERED, UNSENT, FAILED], LOST)
    named: dict[str, NDArray[np.generic]] = {
        name: rows[name] for name in ("seq", "planned", "start", "sent", "done")
    }
    return named | {
        "received": received,
        "decoded": decoded,
        "bytes": rows["bytes"],
        "outcome": outcome.astype(np.uint8),
        "duplicates": found.duplicates,
        "reordered": reordered(received, delivered),
        "warmup": rows["seq"] < warmup,
    }


def reordered(received: Ints, delivered: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The delivered messages that arrived after one that was sent later (RFC 4737, 3.3, reordered)."""
    marks = np.zeros(len(received), dtype=bool)
    seqs = np.flatnonzero(delivered)
    if len(seqs):
        arrived = seqs[np.lexsort((seqs, received[seqs]))]
        marks[arrived] = arrived < np.maximum.accumulate(arrived)
    return marks


def _counts(columns: dict[str, NDArray[np.generic]], corrupt: int, unknown: int) -> Counts:
    counted = ~columns["warmup"].astype(bool)
    outcome = columns["outcome"][counted]
    number = [int(np.count_nonzero(outcome == k)) for k in range(len(OUTCOMES))]
    return Counts(
        planned=len(outcome),
        sent=number[DELIVERED] + number[LOST] + number[FAILED],
        delivered=number[DELIVERED],
        lost=number[LOST] + number[FAILED],
        failed=number[FAILED],
        duplicated=int(columns["duplicates"][counted].sum()),
        reordered=int(np.count_nonzero(columns["reordered"][counted])),
        corrupt=corrupt,
        unknown=unknown,
    )
