"""How heavy a workload is for the machine that must carry it."""

from __future__ import annotations

from wirelab.model.trial import Workload

# Below this rate the exchanges of one trial leave a core nearly idle (a peer pair costs well under 0.3 ms a message).
SPARSE_HZ = 50.0


def is_sparse(workload: Workload) -> bool:
    """Whether such trials may run side by side: paced, and slow enough to leave the cores idle in between."""
    return workload.rate_hz is not None and workload.rate_hz <= SPARSE_HZ


def duration_s(workload: Workload) -> float:
    """Planned seconds from the first to the last message; 1 s is assumed for a flood with a count."""
    if workload.duration_ns is not None and workload.count is None:
        return workload.duration_ns / 1e9
    if workload.rate_hz is None or workload.count is None:
        return 1.0
    by_count = (workload.count + workload.warmup) / workload.rate_hz
    return by_count if workload.duration_ns is None else min(by_count, workload.duration_ns / 1e9)
