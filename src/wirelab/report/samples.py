"""Latency distributions from a run's samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wirelab.advice.answer import StoreView
from wirelab.model.answer import Row
from wirelab.model.errors import BadInput
from wirelab.stats.sample_join import DELIVERED

# A line with this many steps looks the same as one with all messages.
MAX_POINTS = 240


def arrived_by(view: StoreView, row: Row) -> list[tuple[float, float]]:
    """(latency ns, share of the messages of all valid replicates with at most that latency),
    ascending.

    Latency runs from the intended send time to the decoded message. Lost messages count, so the
    last share is 1 - loss; the warm-up does not. [] where no message arrived, the samples cannot be
    read, or the clocks are too far apart for one-way times.
    """
    if "latency_p50" not in row.estimates:
        return []
    latencies, sent = [], 0
    for trial in row.trials:
        try:
            columns = view.samples(trial)
        except (BadInput, KeyError):
            continue
        if not columns:
            continue
        counted = ~columns["warmup"].astype(bool)
        used = counted & (columns["outcome"] == DELIVERED)
        sent += int(np.count_nonzero(counted))
        latencies.append(
            columns["decoded"][used].astype(np.float64) - columns["planned"][used].astype(np.float64)
        )
    together = np.sort(np.concatenate(latencies)) if latencies else np.empty(0)
    if not len(together):
        return []
    kept = np.unique(np.linspace(0, len(together) - 1, MAX_POINTS).astype(np.int64))
    points = [(float(together[index]), float(index + 1) / sent) for index in kept]
    return [(points[0][0], 0.0), *points]


def worth_drawing(rows: Sequence[Row], groups: Sequence[int], most: int, top: int = 4) -> list[int]:
    """The rows to draw, in order: the first `top`, then the best of each other group, then the
    next.
    """
    picked = list(range(min(top, len(rows))))
    for index, group in enumerate(groups):
        if group not in {groups[i] for i in picked}:
            picked.append(index)
    picked += [index for index in range(len(rows)) if index not in picked]
    return sorted(picked[:most])
