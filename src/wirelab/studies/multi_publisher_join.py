"""The samples of several publishers, each on its own node and clock, as those of one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wirelab.lab.outcome import Outcome
from wirelab.model.json_stream import Offset, Stream
from wirelab.model.trial import Trial
from wirelab.stats.clocks import to_own_clock
from wirelab.stats.sample_join import Joined, join, merged, together
from wirelab.store.sample_file import read_samples
from wirelab.studies.batch_join import in_messages
from wirelab.workloads.load import total_batches
from wirelab.workloads.schedule import share

SENDING = ("planned", "start", "sent", "done")
# One-way times are shown where the clocks' error is at most this share of their median.
SMALL = 0.1


def join_streams(trial: Trial, outcome: Outcome, folder: Path) -> Joined:
    """One row per message and subscriber, on the subscriber's clock, in the order of planned times.

    Raises MeasurementFailed.
    """
    by_subscriber: dict[int, list[Stream]] = {}
    for stream in outcome.streams:
        by_subscriber.setdefault(stream.number, []).append(stream)
    return together([_heard(trial, outcome, folder, streams) for streams in by_subscriber.values()])


def _heard(trial: Trial, outcome: Outcome, folder: Path, streams: Sequence[Stream]) -> Joined:
    """The rows of one subscriber for all publishers."""
    workload, number = trial.workload, len(streams)
    total = total_batches(workload) if workload.duration_ns is None else None
    joined = []
    for index, stream in enumerate(streams):
        sent = outcome.counters.get(stream.publisher, {}).get("sent", 0)
        one = join(
            # As early as the error allows: no message arrives before it was sent.
            _moved(read_samples(folder / f"{stream.publisher}.samples"), stream.clock, early=True),
            read_samples(folder / f"{stream.subscriber}.samples"),
            planned=sent if total is None else share(total, number, index),
            identity=outcome.identity,
            messages=max(1, outcome.messages),
            warmup=share(workload.warmup // workload.batch, number, index),
        )
        _shift(one, round(stream.clock.error))
        joined.append(in_messages(trial, one, number, index))
    return merged(joined)


def _moved(records: NDArray[np.void], clock: Offset, early: bool) -> NDArray[np.void]:
    """A publisher's records on its subscriber's clock."""
    if not clock.ahead and not clock.error:
        return records
    found = np.array(records)
    slack = round(clock.error) if early else 0
    for name in SENDING:
        times = to_own_clock(clock, records[name])
        found[name] = np.where(times == 0, 0, times - slack)
    return found


def _shift(joined: Joined, slack: int) -> None:
    for name in SENDING:
        times = joined.columns[name].astype(np.int64)
        joined.columns[name] = np.where(times == 0, 0, times + slack)


def error_ns(outcome: Outcome) -> int:
    """The largest error of one-way times by clock offsets; 0 with one clock."""
    return max((round(stream.clock.error) for stream in outcome.streams), default=0)


def is_one_way(error: int, joined: Joined) -> bool:
    """Whether one-way times are usable: the clock error in ns is small against them."""
    latency = joined.latency()
    return error == 0 or (len(latency) > 0 and error <= SMALL * float(np.median(latency)))
