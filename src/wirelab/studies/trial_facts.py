"""The facts by which a trial is judged, computed once from its outcome."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from wirelab.lab.drain_limits import overload_ns
from wirelab.lab.outcome import Outcome
from wirelab.model.arrivals import ConstantRate
from wirelab.model.result import Counts, Lateness
from wirelab.model.trial import Trial
from wirelab.stats.batches import as_sent
from wirelab.stats.drift import Drift, drift
from wirelab.stats.sample_join import Joined
from wirelab.studies.causes import Observed, observed
from wirelab.studies.cpu_wait import stalls_ns, wait_ns
from wirelab.studies.multi_publisher_join import error_ns, is_one_way
from wirelab.studies.trial_metrics import elapsed_ns, lateness_of
from wirelab.workloads.load import is_sparse


class Stalls(Struct, frozen=True):
    """Messages started late by a stalled sender, the latest in ns, and their part of all latency."""

    messages: int = 0
    longest_ns: float = 0.0
    share: float = 0.0


class TrialFacts(Struct, frozen=True):
    """The facts of a trial. Times in ns.

    `silent_ns` passed from the last arrival to the end. `cpu_wait_ns` is per message. `steal` is
    the share of the CPU time that the hypervisor took. `latency_is_cpu_time`: the trial ran alone,
    over a link that adds nothing. `drift` is None where levels of utilization take turns, which
    makes latencies differ. It is that of the last message of each batch, which waited for no other.
    """

    protocol: str
    qos: str
    delivery: str
    counts: Counts
    overloaded: bool
    overload_ns: int
    silent_ns: int
    settled: bool
    ambiguous: int
    median_ns: float
    lateness: Lateness
    cpu_wait_ns: float
    stalls: Stalls
    steal: float
    latency_is_cpu_time: bool
    drift: Drift | None
    planned_hz: float | None
    sent_hz: float | None
    carried_hz: float
    clock_error_ns: int
    one_way: bool
    observed: Observed
    errors: tuple[str, ...]


def trial_facts(trial: Trial, outcome: Outcome, joined: Joined) -> TrialFacts:
    """The facts of a trial whose samples were joined."""
    latency, sent = joined.latency(), as_sent(joined)
    error = error_ns(outcome)
    steady = len(latency) > 0 and len(trial.workload.utilization) < 2
    return TrialFacts(
        protocol=trial.protocol,
        qos=trial.qos,
        delivery=outcome.delivery,
        counts=joined.counts,
        overloaded=outcome.overloaded,
        overload_ns=overload_ns(trial.link.exchange_s),
        silent_ns=_silent_ns(outcome, joined),
        settled=outcome.settled,
        ambiguous=joined.ambiguous,
        median_ns=float(np.median(latency)) if len(latency) else 0.0,
        lateness=lateness_of(outcome.link),
        cpu_wait_ns=wait_ns(outcome, sent),
        stalls=_stalls(outcome, joined),
        steal=outcome.stolen,
        latency_is_cpu_time=trial.link.is_ideal and not is_sparse(trial.workload),
        drift=drift(sent.latency()) if steady else None,
        planned_hz=trial.workload.rate_hz if isinstance(trial.workload.arrivals, ConstantRate) else None,
        sent_hz=_sent_hz(sent, trial.workload.batch),
        carried_hz=_carried_hz(trial, outcome, joined),
        clock_error_ns=error,
        one_way=is_one_way(error, sent),
        observed=observed(trial, outcome, joined.counts, _acknowledged(joined)),
        errors=tuple(outcome.errors),
    )


def _stalls(outcome: Outcome, joined: Joined) -> Stalls:
    latency = joined.latency()
    if not len(latency):
        return Stalls()
    late = stalls_ns(outcome, as_sent(joined))
    if not np.any(late):
        return Stalls()
    whole = float(latency.mean()) * len(late)
    share = float(late.sum()) / whole if whole > 0 else float("inf")
    return Stalls(int(np.count_nonzero(late)), float(late.max()), share)


def _silent_ns(outcome: Outcome, joined: Joined) -> int:
    """ns from the last arrival, or the start, to the end of the trial."""
    received = joined.columns["received"].astype(np.int64)
    return outcome.start_ns + outcome.elapsed_ns - max(outcome.start_ns, int(received.max(initial=0)))


def _acknowledged(joined: Joined) -> bool:
    """Whether the publisher learns outcomes: it learnt at least one."""
    return bool(np.any(joined.columns["done"].astype(np.int64)))


def _carried_hz(trial: Trial, outcome: Outcome, joined: Joined) -> float:
    """The rate of delivered messages; few of them may arrive faster than they are sent."""
    elapsed = elapsed_ns(outcome, joined)
    rate = joined.counts.delivered / elapsed * 1e9 if elapsed else 0.0
    return min(rate, trial.workload.rate_hz or rate)


def _sent_hz(joined: Joined, batch: int) -> float | None:
    """The rate at which messages were sent in batches; None for fewer than two batches."""
    sent = joined.columns["sent"].astype(np.int64)
    if len(sent) < 2 or sent[-1] <= sent[0]:
        return None
    return batch * (len(sent) - 1) * 1e9 / float(sent[-1] - sent[0])
