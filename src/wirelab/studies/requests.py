"""Requests of one kind, or at one share of what is carried, among those of a trial, and what an M/M/1 queue would make of them."""

from __future__ import annotations

import numpy as np

from wirelab.advice.figures import Columns
from wirelab.model.trial import Trial
from wirelab.stats.sample_join import DELIVERED
from wirelab.workloads import services, utilization_levels


def meant(trial: Trial, columns: Columns, kind: str, share: float | None = None) -> Columns:
    """The rows of `columns` (of stats.join.Joined) that are requests of a kind ("": of any), sent at a share of what is carried (None: at any)."""
    if not columns or (not kind and share is None):
        return columns
    seq, workload = np.asarray(columns["seq"], dtype=np.int64), trial.workload
    wanted = np.ones(len(seq), dtype=bool)
    if kind:
        wanted &= np.array(services.kinds(workload, trial.seed))[seq] == kind
    if share is not None:
        # The warm-up is at none of them.
        at = [np.nan] * workload.warmup + utilization_levels.turns(
            workload.utilization, workload.count or 0, trial.seed
        )
        wanted &= np.array(at)[seq] == share
    return {name: values[wanted] for name, values in columns.items()}


def expected_ns(trial: Trial, columns: Columns, kind: str, share: float | None = None) -> float:
    """1 / (mu - lambda) of the M/M/1 queue that a trial at a share U of what is carried would be, for a kind or ("") all; NaN where it is none.

    1/mu is how long the idle application took to answer in this trial's warm-up, lambda is U mu: so 1 / (mu (1 - U)). Where several
    shares take turns there is one for each `share`.
    """
    if share is None and len(trial.workload.utilization) == 1:
        share = trial.workload.utilization[0]
    if share is None or not columns:
        return float("nan")
    first = columns["warmup"].astype(bool) & (columns["outcome"] == DELIVERED)
    planned, decoded = (columns[name][first].astype(np.int64) for name in ("planned", "decoded"))
    took = dict(zip(columns["seq"][first].tolist(), (decoded - planned).tolist(), strict=True))
    service = services.service_ns(trial.workload, trial.seed, took)
    return service.get(kind, float("nan")) / (1 - share)
