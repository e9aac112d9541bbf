"""Limits of studies: valid levels, and numbers within the capacity of a machine."""

from __future__ import annotations

import math

from wirelab.model.errors import BadInput
from wirelab.model.study import Study, factors
from wirelab.model.topic import check_topic
from wirelab.model.trial import Workload

MAY_BE_EMPTY = ("loss", "size", "utilization")
# wirelab-link takes a 64-bit seed, SQLite and JSON readers a signed one.
MAX_SEED = 2**63 - 1
MAX_TRIALS = 100_000
# 64 bytes per message and side, twice for duplicates: 2.6 GB of samples per trial.
MAX_MESSAGES = 10_000_000
MAX_RATE_HZ = 10_000_000.0
MAX_TRIAL_S = 7 * 86_400.0


def check_levels(study: Study) -> None:
    """Check that every factor has distinct levels, and that integers are in range.

    Raises BadInput.
    """
    for factor in factors():
        levels: tuple[str, ...] = getattr(study, factor)
        if not levels and factor not in MAY_BE_EMPTY:
            raise BadInput(factor, "no level given", "name at least one, or leave it out for the default")
        for level in levels:
            if levels.count(level) > 1:
                raise BadInput(f"{factor} '{level}'", "duplicate level", "name it once")
    check_topic(study.topic)
    if study.interleave and not study.utilization:
        raise BadInput("interleave", "there is no utilization whose levels take turns", "add utilization")
    for name, low, high in (
        ("seed", 0, MAX_SEED),
        ("replicates", 1, MAX_TRIALS),
    ):
        value: int = getattr(study, name)
        if value < low:
            raise BadInput(f"{name} {value}", f"less than {('zero', 'one')[low]}", f"give at least {low}")
        if value > high:
            raise BadInput(f"{name} {value:,}", f"more than {high:,}", "give a smaller number")


def check_size(combinations: int, replicates: int) -> None:
    """Check the number of trials. Raises BadInput."""
    if combinations * replicates > MAX_TRIALS:
        raise BadInput(
            f"{combinations:,} combinations x {replicates:,} replicates",
            f"more than {MAX_TRIALS:,} trials",
            "vary fewer factors at once, or use fewer replicates",
        )


def check_workload(workload: Workload) -> None:
    """Check the messages and the duration of one trial. Raises BadInput."""
    rate, count, duration = workload.rate_hz, workload.count, workload.duration_ns
    if rate is not None and rate > MAX_RATE_HZ:
        raise BadInput(
            f"rate {rate:g}/s", f"above {MAX_RATE_HZ:,.0f}/s", "use max: as fast as the peer takes them"
        )
    if duration == 0:
        raise BadInput("duration 0", "a trial must last", "write it like 30s or 2min")
    by_count = math.inf if count is None else float(count + workload.warmup)
    seconds = math.inf if duration is None else duration / 1e9
    messages = by_count if rate is None else min(by_count, seconds * rate)
    if MAX_MESSAGES < messages < math.inf:
        raise BadInput(
            f"{messages:,.0f} messages a trial",
            f"more than {MAX_MESSAGES:,}",
            "send fewer, and use more replicates",
        )
    lasts = min(seconds, math.inf if rate is None else by_count / rate)
    if MAX_TRIAL_S < lasts < math.inf:
        raise BadInput(f"a trial of {lasts:,.0f} s", "longer than a week", "send fewer messages, or faster")
