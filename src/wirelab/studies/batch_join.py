"""The samples of batches as those of their messages."""

from __future__ import annotations

import numpy as np

from wirelab.lab.peer_requests import message_schedule
from wirelab.model.trial import Trial
from wirelab.stats.batches import unpacked
from wirelab.stats.sample_join import Ints, Joined
from wirelab.workloads.schedule import Interval, Times


def in_messages(trial: Trial, sent: Joined, publishers: int = 1, index: int = 0) -> Joined:
    """One row per message of publisher `index`; the same rows if nothing is in batches."""
    if trial.workload.batch == 1:
        return sent
    return unpacked(sent, waits_ns(trial, len(sent.columns["seq"]), publishers, index))


def waits_ns(trial: Trial, batches: int, publishers: int = 1, index: int = 0) -> Ints:
    """For each of the batches how long its messages were due before it, in ns.

    At the maximum rate nothing waits: a message is due when it can be sent.
    """
    size, own = trial.workload.batch, message_schedule(trial, publishers, index)
    waits = np.zeros((batches, size), dtype=np.int64)
    if isinstance(own.schedule, Interval):
        waits += own.schedule.interval_ns * np.arange(size - 1, -1, -1, dtype=np.int64)
    elif isinstance(own.schedule, Times):
        due = np.array(own.times[: batches * size], dtype=np.int64).reshape(batches, size)
        waits = due[:, -1:] - due
    return waits
