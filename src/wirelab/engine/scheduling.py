"""Which trials run side by side, which one after another on one server, and which beside all others. Pure."""

from __future__ import annotations

import itertools
import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from wirelab.lab.protocols import protocols
from wirelab.lab.servers import is_external, slots
from wirelab.lab.spec import lab_spec
from wirelab.model.arrivals import ClosedLoop
from wirelab.model.link_text import parse_link_text
from wirelab.model.trial import Trial
from wirelab.workloads.load import is_sparse

# Sparse trials side by side per core. More would let their encodes and wake-ups meet often enough to show in the tails.
SPARSE_PER_CORE = 8
# One exchange after another: nothing happens for most of the time, and even less where messages have to be sent again; but of an
# exchange over a link that adds nothing, wake-ups are the most.
SLOTS_IF_WAITING, SLOTS_IF_LOSSY, SLOTS_IF_IDEAL = 0.5, 0.25, 5.0
# Patience beyond this is for retransmissions of the protocol's own.
PATIENCE_S = 10.0
# Where a packet is lost this seldom, nearly every exchange takes what it takes without losses, and what starts beside it shows.
SELDOM_PERCENT = 2.0
# Trials one after the other on a server that is slow to start.
MAX_CHAIN = 8


def batches(trials: Iterable[Trial], max_parallel: int) -> Iterator[list[Trial]]:
    """Trials in their order, as groups that run side by side: up to `width` sparse ones, heavy ones alone.

    One that takes more of the machine takes the places of several; one that follows another on its server takes none. Those that follow
    one another stay among themselves: others would wait for the last of them.
    """
    batch: list[Trial] = []
    taken = 0.0
    for trial in trials:
        sparse = is_sparse(trial.workload)
        wanted = 0 if can_reuse_server(batch, trial) else trial_slots(trial)
        if batch and (
            not sparse or taken + wanted > max_parallel or _is_chained(batch[-1]) != _is_chained(trial)
        ):
            yield batch
            batch, taken, wanted = [], 0, trial_slots(trial)
        if sparse:
            batch.append(trial)
            taken += wanted
        else:
            yield [trial]
    if batch:
        yield batch


def can_reuse_server(batch: Sequence[Trial], trial: Trial) -> bool:
    """Whether a trial can run behind the last of the batch, in its lab and on its server: where that is slow to start, in the same replicate, on
    the same link. Not where messages are lost: there starting is short against waiting, and waiting is better done side by side.
    """
    if (
        not batch
        or slots(trial.server) == 1
        or is_lossy(trial)
        or _server_key(batch[-1]) != _server_key(trial)
    ):
        return False
    return _chain_length(batch) < MAX_CHAIN


def _is_chained(trial: Trial) -> bool:
    return slots(trial.server) > 1 and not is_lossy(trial)


def _chain_length(batch: Sequence[Trial]) -> int:
    stand = _server_key(batch[-1])
    return len(list(itertools.takewhile(lambda one: _server_key(one) == stand, reversed(batch))))


def _server_key(trial: Trial) -> tuple[object, ...]:
    """What trials on one server have in common. RabbitMQ's plugins have not every qos of MQTT, so it is asked anew for each."""
    qos = trial.qos if trial.protocol.startswith("mqtt") else ""
    spec = lab_spec(trial, Path())
    return trial.server, trial.protocol, trial.transport, qos, trial.replicate, json.dumps(spec)


def server_chains(batch: Sequence[Trial]) -> list[list[Trial]]:
    """A batch as what runs side by side: trials alone, and those that follow one another on one server."""
    found: list[list[Trial]] = []
    for trial in batch:
        if found and can_reuse_server(found[-1], trial):
            found[-1].append(trial)
        else:
            found.append([trial])
    return found


def trial_slots(trial: Trial) -> float:
    """How many of the places side by side a trial takes: one, or what its pace, its link, its server and its client's JVM want."""
    if is_external(trial.server):
        return math.inf  # two at once would meet each other's clients and messages there
    known = protocols().get(trial.protocol)
    own = 1.0
    if is_lossy(trial):
        own = SLOTS_IF_WAITING
    if isinstance(trial.workload.arrivals, ClosedLoop):
        own = (
            SLOTS_IF_LOSSY if is_lossy(trial) else SLOTS_IF_IDEAL if trial.link.is_ideal else SLOTS_IF_WAITING
        )
    start = slots(trial.server) * (SLOTS_IF_LOSSY if is_lossy(trial) else 1.0)
    return max(own, start if start > 1 else 0.0, float(known.peer_slots(trial.library)) if known else 0.0)


def is_lossy(trial: Trial) -> bool:
    """Whether its link loses so many packets on purpose that connecting and exchanges may take long.

    Read from its text, which the link itself reads in full: a guess here costs time, and no trial its truth.
    """
    losses = parse_link_text(trial.link.text).values("loss")
    percents = [float(loss.removesuffix("%")) for loss in losses if _is_percentage(loss)]
    return bool(losses) and max(percents, default=100.0) > SELDOM_PERCENT


def _is_percentage(loss: str) -> bool:
    number = loss.removesuffix("%")
    return loss != number and number.replace(".", "", 1).isdecimal()


def max_parallel() -> int:
    """How many sparse trials this machine bears side by side."""
    return SPARSE_PER_CORE * len(os.sched_getaffinity(0))


def offset_ns(trial: Trial, index: int, side_by_side: int) -> int:
    """Spread the beginnings over one interval: trials that send at the same moments would wait for each other's CPU each time."""
    rate = trial.workload.rate_hz
    return 0 if rate is None else round(1e9 / rate * index / side_by_side)


def is_wait_bound(trial: Trial) -> bool:
    """Whether a trial need not keep step with others: one exchange after another where messages are lost and sent again, so that each may
    take seconds, or a minute where the protocol itself is patient.

    What others take of the CPU while they start is little against such latencies, and the judge still looks at how long its peers waited.
    """
    turns = isinstance(trial.workload.arrivals, ClosedLoop) and is_sparse(trial.workload)
    return turns and is_lossy(trial) and not is_external(trial.server) and not _is_best_effort(trial)


def split_wait_bound(trials: Iterable[Trial]) -> tuple[list[Trial], list[Trial]]:
    """Those that mostly wait, the longest waits first, and the others in their order."""
    waiting: list[Trial] = []
    others: list[Trial] = []
    for trial in trials:
        (waiting if is_wait_bound(trial) else others).append(trial)
    return sorted(waiting, key=_waits_longest, reverse=True), others


def _is_best_effort(trial: Trial) -> bool:
    known = protocols().get(trial.protocol)
    return known is not None and trial.qos in known.fleeting


def _waits_longest(trial: Trial) -> bool:
    known = protocols().get(trial.protocol)
    return slots(trial.server) > 1 or (known is not None and known.linger(trial.qos) > PATIENCE_S)
