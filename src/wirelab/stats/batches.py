"""Messages that were sent in batches: one row per message, from one row per batch."""

from __future__ import annotations

import numpy as np

from wirelab.model.result import Counts
from wirelab.stats.sample_join import Ints, Joined

COMPLETES = "completes_batch"
"""The column that marks the last message of each batch, which waited for no other."""


def unpacked(batches: Joined, waits: Ints) -> Joined:
    """The messages of batches: `waits` has a row per batch with the ns that each of its messages
    was due before the batch.

    All messages of a batch share its times, outcome and bytes. The column `completes_batch` marks
    the last of each.
    """
    number, size = waits.shape
    columns = {name: np.repeat(values, size) for name, values in batches.columns.items()}
    was_planned = columns["planned"] != 0
    columns["planned"] = np.where(was_planned, columns["planned"].astype(np.int64) - waits.ravel(), 0)
    place = np.tile(np.arange(size, dtype=np.int64), number)
    columns["seq"] = np.arange(number * size, dtype=np.int64)
    # Shares that add up to the bytes of the batch.
    whole = columns["bytes"].astype(np.int64)
    columns["bytes"] = whole // size + (place < whole % size)
    columns[COMPLETES] = place == size - 1
    counts = Counts(**{name: size * getattr(batches.counts, name) for name in Counts.__struct_fields__})
    return Joined(columns, counts, size * batches.ambiguous)


def as_sent(messages: Joined) -> Joined:
    """One row per batch, as its last message; the same rows where nothing is in batches.

    Counts are those of messages.
    """
    last = messages.columns.get(COMPLETES)
    if last is None:
        return messages
    rows = last.astype(bool)
    columns = {name: values[rows] for name, values in messages.columns.items()}
    return Joined(columns, messages.counts, messages.ambiguous)
