"""The load that a workload puts on the machine."""

from __future__ import annotations

import functools

from wirelab.model.arrivals import ServiceRequests
from wirelab.model.trial import Workload
from wirelab.workloads.arrivals import ends, is_paced_by_peer, times_ns

# Below this rate a trial leaves a core nearly idle: a pair of peers needs well under 0.3 ms per
# message.
SPARSE_HZ = 50.0


def is_sparse(workload: Workload) -> bool:
    """Whether such trials may run concurrently: paced, and slow enough to leave the cores idle."""
    slow = workload.rate_hz is not None and workload.rate_hz <= SPARSE_HZ and not workload.placement
    return slow and not ends(workload.arrivals)


def total_messages(workload: Workload) -> int | None:
    """Messages sent, warm-up included; None if only a duration bounds them."""
    return None if workload.count is None else workload.count + workload.warmup


def total_batches(workload: Workload) -> int | None:
    """What peers send: batches, the warm-up's included; None if only a duration bounds them."""
    total = total_messages(workload)
    return None if total is None else total // workload.batch


@functools.lru_cache(maxsize=64)
def planned_times(workload: Workload, seed: int) -> list[int]:
    """Times in ns from the start, for an arrival process that peers do not implement."""
    if isinstance(workload.arrivals, ServiceRequests):
        gap_ns = 1e9 / (workload.rate_hz or 1.0)
        first = [round(number * gap_ns) for number in range(workload.warmup)]
        then = times_ns(workload.arrivals, workload.rate_hz, seed, workload.count, None)
        return [*first, *(round(workload.warmup * gap_ns) + at for at in then)]
    return times_ns(workload.arrivals, workload.rate_hz, seed, total_messages(workload), workload.duration_ns)


def planned_ns(workload: Workload, seed: int) -> int:
    """Time from the start to the last planned message; 0 for a flood; an estimate for a closed
    loop.
    """
    if not is_paced_by_peer(workload.arrivals):
        return (planned_times(workload, seed) or [0])[-1]
    total = total_messages(workload)
    by_count = 0 if total is None or workload.rate_hz is None else int(total * 1e9 / workload.rate_hz)
    if workload.duration_ns is None:
        return by_count
    return min(by_count, workload.duration_ns) if by_count else workload.duration_ns
