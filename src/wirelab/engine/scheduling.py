"""The scheduling of trials: concurrent, in chains on one server, or in the background. Pure."""

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

# Concurrent sparse trials per core. With more, their encodes and wake-ups would coincide often
# enough to show in the tails.
SPARSE_PER_CORE = 8
# A closed loop is idle most of the time, even more if messages are retransmitted. Over an ideal
# link, however, wake-ups dominate an exchange.
SLOTS_IF_WAITING, SLOTS_IF_LOSSY, SLOTS_IF_IDEAL = 0.5, 0.25, 5.0
# A drain timeout above this is for retransmissions by the protocol itself.
PATIENCE_S = 10.0
# With losses below this share, most exchanges take as long as without loss, and trials that start
# concurrently would show in them.
SELDOM_PERCENT = 2.0
# Over a link with exchanges as long as this, the CPU time of starting trials is small against
# latencies: 5 % of crossing it once are 6 ms.
SLOW_EXCHANGE_S = 0.25
# About the CPU time that the start of a trial takes: namespaces, cell, server, two peers. A server
# that is slow to start, and a JVM as client, take this much more for each of their slots.
START_CPU_S, SLOT_CPU_S = 0.15, 1.5
# The longest chain of trials on a server that is slow to start.
MAX_CHAIN = 8


def batches(trials: Iterable[Trial], max_parallel: float) -> Iterator[list[Trial]]:
    """Batches of concurrent trials in planned order: up to `max_parallel` sparse ones, heavy ones
    alone.

    A heavier trial takes several slots. A trial that follows another in a chain takes none. Chains
    have batches of their own, because other trials would wait for the last trial of a chain.
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
    """Whether a trial can follow the last of the batch in its lab and on its server.

    The server must be slow to start, and replicate and link must be the same. Trials on lossy links
    have no chains: there waiting takes longer than starting, and concurrent trials wait in
    parallel. Trials that are captured have none, because a lab has one capture.
    """
    if not batch or not _is_chained(trial) or _server_key(batch[-1]) != _server_key(trial):
        return False
    return _chain_length(batch) < MAX_CHAIN


def _is_chained(trial: Trial) -> bool:
    return slots(trial.server) > 1 and not is_lossy(trial) and not trial.capture


def _chain_length(batch: Sequence[Trial]) -> int:
    stand = _server_key(batch[-1])
    return len(list(itertools.takewhile(lambda one: _server_key(one) == stand, reversed(batch))))


def _server_key(trial: Trial) -> tuple[object, ...]:
    """The common part of trials of a chain.

    The qos is part of it, because RabbitMQ's plugins do not support every qos of MQTT.
    """
    qos = trial.qos if trial.protocol.startswith("mqtt") else ""
    spec = lab_spec(trial, Path())
    return trial.server, trial.protocol, trial.transport, qos, trial.replicate, json.dumps(spec)


def server_chains(batch: Sequence[Trial]) -> list[list[Trial]]:
    """The chains of a batch, which run concurrently. A single trial is a chain of one."""
    found: list[list[Trial]] = []
    for trial in batch:
        if found and can_reuse_server(found[-1], trial):
            found[-1].append(trial)
        else:
            found.append([trial])
    return found


def trial_slots(trial: Trial) -> float:
    """The slots of a trial: one, or more by its pace, link, server and client JVM."""
    if is_external(trial.server):
        return math.inf  # two concurrent trials would share clients and messages on the server
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


def start_cpu_s(trial: Trial) -> float:
    """About the CPU time that the start of a trial takes."""
    known = protocols().get(trial.protocol)
    clients = known.peer_slots(trial.library) if known else 1
    return START_CPU_S + SLOT_CPU_S * sum(taken for taken in (slots(trial.server), clients) if taken > 1)


def is_lossy(trial: Trial) -> bool:
    """Whether its link loses so many packets that connecting and exchanges may take long.

    This is an estimate from the link text. A wrong estimate affects scheduling only, never results.
    """
    losses = parse_link_text(trial.link.text).values("loss")
    percents = [float(loss.removesuffix("%")) for loss in losses if _is_percentage(loss)]
    return bool(losses) and max(percents, default=100.0) > SELDOM_PERCENT


def _is_percentage(loss: str) -> bool:
    number = loss.removesuffix("%")
    return loss != number and number.replace(".", "", 1).isdecimal()


def max_parallel() -> int:
    """The number of sparse trials that this machine can run concurrently."""
    return SPARSE_PER_CORE * len(os.sched_getaffinity(0))


def offset_ns(trial: Trial, index: int, side_by_side: int) -> int:
    """Start offsets, spread over one interval so that concurrent trials do not send at the same
    time.
    """
    rate = trial.workload.rate_hz
    return 0 if rate is None else round(1e9 / rate * index / side_by_side)


def is_wait_bound(trial: Trial) -> bool:
    """Whether a trial is wait-bound: it is paced over a slow link, or is a closed loop over a lossy
    link, where an exchange may take seconds, or a minute by the protocol's own timeouts.

    The CPU time of starting trials is small against such latencies. The validity check still tests
    how long peers waited for a CPU.
    """
    if not is_sparse(trial.workload) or is_external(trial.server):
        return False
    if not isinstance(trial.workload.arrivals, ClosedLoop):
        return trial.link.exchange_s >= SLOW_EXCHANGE_S
    return is_lossy(trial) and not _is_best_effort(trial)


def split_wait_bound(trials: Iterable[Trial]) -> tuple[list[Trial], list[Trial]]:
    """The wait-bound trials, longest waits first, and the others in their order."""
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
