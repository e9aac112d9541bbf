"""Requests of one kind among those of a trial, and what an M/M/1 queue would make of them."""

from __future__ import annotations

import numpy as np

from wirelab.advice.figures import Columns
from wirelab.model.trial import Trial
from wirelab.stats.join import DELIVERED
from wirelab.workloads import applications


def of_kind(trial: Trial, columns: Columns, kind: str) -> Columns:
    """The rows of `columns` (of stats.join.Joined) that are requests of a kind."""
    if not columns:
        return columns
    named = np.array(applications.kinds(trial.workload, trial.seed))
    wanted = named[np.asarray(columns["seq"], dtype=np.int64)] == kind
    return {name: values[wanted] for name, values in columns.items()}


def expected_ns(trial: Trial, columns: Columns, kind: str) -> float:
    """1 / (mu - lambda) of the M/M/1 queue that a trial at a share U of what is carried would be, for a kind or ("") all; NaN where it is none.

    1/mu is how long the idle application took to answer in this trial's warm-up, lambda is U mu: so 1 / (mu (1 - U)).
    """
    share = trial.workload.utilization
    if share is None or not columns:
        return float("nan")
    first = columns["warmup"].astype(bool) & (columns["outcome"] == DELIVERED)
    planned, decoded = (columns[name][first].astype(np.int64) for name in ("planned", "decoded"))
    took = dict(zip(columns["seq"][first].tolist(), (decoded - planned).tolist(), strict=True))
    service = applications.service_ns(trial.workload, trial.seed, took)
    return service.get(kind, float("nan")) / (1 - share)
