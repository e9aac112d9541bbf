"""Requests of one kind or at one utilization among those of a trial, and their M/M/1 reference."""

from __future__ import annotations

import numpy as np

from wirelab.advice.figures import Columns
from wirelab.model.trial import Trial
from wirelab.stats.sample_join import DELIVERED
from wirelab.workloads import services, utilization_levels


def meant(trial: Trial, columns: Columns, kind: str, share: float | None = None) -> Columns:
    """The rows of `columns` (of stats.sample_join) that are requests of a kind, sent at a
    utilization.

    Kind "" selects any kind, utilization None any utilization.
    """
    if not columns or (not kind and share is None):
        return columns
    seq, workload = np.asarray(columns["seq"], dtype=np.int64), trial.workload
    wanted = np.ones(len(seq), dtype=bool)
    if kind:
        wanted &= np.array(services.kinds(workload, trial.seed))[seq] == kind
    if share is not None:
        # The warm-up has no utilization.
        at = [np.nan] * workload.warmup + utilization_levels.turns(
            workload.utilization, workload.count or 0, trial.seed
        )
        wanted &= np.array(at)[seq] == share
    return {name: values[wanted] for name, values in columns.items()}


def expected_ns(trial: Trial, columns: Columns, kind: str, share: float | None = None) -> float:
    """The mean response time 1 / (mu - lambda) of an M/M/1 queue at the trial's utilization U.

    1/mu is the service time that the warm-up measured and lambda is U mu, which gives
    1 / (mu (1 - U)). It is for a kind, or for all (""). Interleaved utilizations have one per
    `share`. NaN if the trial has no utilization.
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
