"""Messages in batches: the sizes of a study, and workloads of whole batches."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from wirelab.model import units
from wirelab.model.arrivals import ClosedLoop, Epochs, Search
from wirelab.model.errors import BadInput
from wirelab.model.study import AUTO, Study
from wirelab.model.trial import Trial, Workload
from wirelab.workloads.arrivals import ends

MOST = 1000
# An automatic count is at least this many batches.
LEAST_BATCHES = 3
# Arrival processes whose messages are not collected, with the reason.
UNFIT = {
    ClosedLoop: "its next message is sent when the one before has arrived, so a batch would never be full",
    Search: "it judges a rate by what has arrived at once, and messages wait for their batch",
    Epochs: "its messages are sent one by one",
}


def sizes(study: Study) -> list[int]:
    """The sizes of batches, a level each. Raises BadInput."""
    return [size(text) for text in study.batch]


def size(text: str) -> int:
    """The size of a batch as users write it. Raises BadInput."""
    if not text.isdigit() or not 1 <= int(text) <= MOST:
        raise BadInput(f"batch '{text}'", f"not a number from 1 to {MOST:,}", "write it like 1,10")
    return int(text)


def least_count(study: Study, publishers: int) -> int:
    """The least messages of an automatic count: a few of the largest batches of each publisher."""
    largest = max(sizes(study))
    return LEAST_BATCHES * largest * publishers if largest > 1 else 0


def in_batches(workload: Workload, number: int) -> Workload:
    """The workload with batches of `number` messages: whole ones of every publisher, in the warm-up
    too.

    Counts are rounded up; those of a process that ends by itself down. Raises BadInput.
    """
    if number == 1:
        return workload
    what = f"batch {number}"
    for kind, why in UNFIT.items():
        if isinstance(workload.arrivals, kind):
            step = "use constant-rate, poisson, burst, stages or replay, or leave out --batch"
            raise BadInput(f"{what} with workload '{workload.arrivals}'", why, step)
    if workload.application:
        raise BadInput(what, "requests are sent and answered one by one", "leave out --batch or --service")
    if workload.placement:
        why = "the library that writes batches is on this machine alone"
        raise BadInput(what, why, "leave out --batch or --placement")
    unit = number * workload.publishers
    warmup = _up(workload.warmup, unit)
    count = workload.count
    if count is not None and ends(workload.arrivals):
        count = (count + workload.warmup - warmup) // unit * unit
    elif count is not None:
        more = f"send at least {unit:,} (--count {unit})"
        _check_full(what, f"the {count:,} messages of a trial", count, workload, unit, more)
        count = _up(count, unit)
    elif workload.rate_hz is not None and workload.duration_ns is not None:
        whole = int(workload.rate_hz * workload.duration_ns / 1e9)
        sent = f"the {whole:,} messages of a trial, of which {warmup:,} are a warm-up,"
        _check_full(what, sent, whole - warmup, workload, unit, "give a longer --duration")
    if count is not None and count < 1:
        raise BadInput(
            f"{what} with workload '{workload.arrivals}'",
            f"it has too few messages for a batch after a warm-up of {warmup:,}",
            "collect fewer, or make it longer",
        )
    return replace(workload, batch=number, count=count, warmup=warmup)


def _up(number: int, unit: int) -> int:
    return -(-number // unit) * unit


def _check_full(what: str, sent: str, count: int, workload: Workload, unit: int, more: str) -> None:
    if count < unit:
        each = f" of each of {workload.publishers} publishers" if workload.publishers > 1 else ""
        raise BadInput(what, f"{sent} do not fill a batch{each}", f"{more}, or collect fewer")


def stated_batches(study: Study, planned: Sequence[Trial]) -> list[str]:
    """A sentence for each size of batches that sends more or fewer messages than asked for."""
    found: dict[str, None] = {}
    for trial in planned:
        own = trial.workload
        if own.batch == 1 or study.count in (AUTO, "") or own.count == units.count(study.count):
            continue
        found[
            f"batches of {own.batch}: {own.count} messages a trial instead of {study.count}, "
            f"after {own.warmup} of warm-up: every batch is full"
        ] = None
    return list(found)
