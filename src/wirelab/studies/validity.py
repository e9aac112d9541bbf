"""From what a cell saw to a trial's result: samples joined, time shared out, and a verdict with its reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wirelab.engine.scheduling import bare
from wirelab.lab.drain import OVERLOAD_NS
from wirelab.lab.outcome import Outcome
from wirelab.lab.spec import subscribers
from wirelab.model.arrivals import ConstantRate
from wirelab.model.errors import MeasurementFailed
from wirelab.model.result import Counts, Shares, TrialResult, stolen_note
from wirelab.model.trial import VALID, State, Trial, Verdict
from wirelab.model.units import show_duration
from wirelab.stats.drift import drift
from wirelab.stats.sample_join import ACKNOWLEDGED, Joined, join, together
from wirelab.store.peer_samples import read_samples
from wirelab.studies.multi_publisher_join import clock_note, error_ns, is_one_way, join_streams
from wirelab.studies.trial_metrics import elapsed_ns, lateness_of, sent_once, shares, wire_of
from wirelab.workloads.load import is_sparse, total_messages

HEADER_BYTES = 8
# The emulator may release packets this late at the 99th percentile before what it carried is off spec: 1 ms, or 2 % of
# the median latency where that is more.
LATE_NS, LATE_SHARE = 1_000_000.0, 0.02
# Peers that waited longer than this per message for a CPU measured the machine, not the protocol.
WAIT_NS, WAIT_SHARE = 200_000.0, 0.05
# A sender with nothing else to do that begins later than this was held up by the machine, more than by being woken; it may cost so
# large a share of all latency before that is what was measured.
STALL_NS, STALL_SHARE = 2_000_000, 0.05
# It stands still up to about twice as long as the kernel has it wait for a CPU, for a hypervisor's pauses are in no count; for a window
# or an acknowledgement of its protocol it waits a hundred times as long.
STALL_PER_WAIT = 3
# Where a tenth of the CPU time asked for is withheld, what is nothing but computing and waking up takes a quarter longer, and more.
WITHHELD_SHARE = 0.1
# A subscriber gets a CPU so often for one message: woken by the kernel, by its own runtime, to hand over, to acknowledge.
TURNS = 4


def judge(trial: Trial, outcome: Outcome, folder: Path) -> tuple[TrialResult, Joined | None]:
    """A trial's result and its joined samples; None where there are none to join."""
    if outcome.verdict.state is not State.VALID:
        return _result(trial, outcome, outcome.verdict, None, folder), None
    try:
        joined = join_samples(trial, outcome, folder)
    except MeasurementFailed as error:
        return _result(trial, outcome, Verdict(State.FAILED, error.sentence), None, folder), None
    return _result(trial, outcome, verdict(trial, outcome, joined), joined, folder), joined


def join_samples(trial: Trial, outcome: Outcome, folder: Path) -> Joined:
    """All sides' records as one row per message and subscriber. Raises MeasurementFailed."""
    if outcome.streams:
        return join_streams(trial, outcome, folder)
    planned = total_messages(trial.workload) if trial.workload.duration_ns is None else None
    if planned is None:
        planned = outcome.counters.get("publisher", {}).get("sent", 0)
    published = read_samples(folder / "publisher.samples")
    if trial.workload.application:
        # Both ends of an exchange are the requester's: what it got are the answers.
        return join(
            published,
            answers(published),
            planned=planned,
            identity="header",
            warmup=trial.workload.warmup,
        )
    return together(
        [
            join(
                published,
                read_samples(folder / f"{name}.samples"),
                planned=planned,
                identity=outcome.identity,
                messages=max(1, outcome.messages),
                warmup=trial.workload.warmup,
            )
            for name in subscribers(trial)
        ]
    )


def answers(requests: NDArray[np.void]) -> NDArray[np.void]:
    """The answers that a requester's records tell of, as records of arrivals."""
    answered = requests[(requests["flags"] & ACKNOWLEDGED) != 0]
    found = np.zeros(len(answered), dtype=answered.dtype)
    found["seq"], found["bytes"] = answered["seq"], answered["bytes"]
    found["received"] = found["decoded"] = answered["done"]
    return found


def verdict(trial: Trial, outcome: Outcome, joined: Joined) -> Verdict:
    """Whether a trial is evidence, and if not, why. A pure function of what was seen."""
    fault = _fault(outcome, joined) or _withheld(trial, outcome)
    if not fault:
        return VALID
    return Verdict(State.INVALID, "; ".join(filter(None, [fault, stolen_note(outcome.stolen)])))


def _fault(outcome: Outcome, joined: Joined) -> str:
    """Why a trial is no evidence; "" if it is."""
    counts = joined.counts
    if counts.planned == 0 or (counts.sent < counts.planned and not outcome.overloaded):
        return f"only {counts.sent} of {counts.planned} planned messages were sent"
    latency = joined.latency()
    median = float(np.median(latency)) if len(latency) else 0.0
    lateness = lateness_of(outcome.link)
    if lateness.own_drops:
        return f"the emulator itself dropped {lateness.own_drops} packets"
    if lateness.p99_ns > max(LATE_NS, LATE_SHARE * median):
        return f"link off spec: packets left it up to {show_duration(lateness.p99_ns)} late (99th percentile)"
    per_message = waited_ns(outcome, joined)
    if per_message > max(WAIT_NS, WAIT_SHARE * median):
        return f"generator-bound: the peers waited {show_duration(per_message)} per message for a CPU"
    late = stalled_ns(outcome, joined)
    if len(latency) and late.sum() > STALL_SHARE * float(latency.mean()) * len(late):
        begun = f"{np.count_nonzero(late)} messages were begun up to {show_duration(float(late.max()))} late"
        return f"generator-bound: {begun} by a sender that was held up"
    return ""


def _withheld(trial: Trial, outcome: Outcome) -> str:
    """Where a trial alone on the machine, over a link that adds nothing, had to do without CPU time: computing and waking up is all it measures."""
    if outcome.stolen > WITHHELD_SHARE and bare(trial) and not is_sparse(trial.workload):
        return "disturbed: over a link that adds nothing, latency is CPU time"
    return ""


def waited_ns(outcome: Outcome, joined: Joined) -> float:
    """ns per sent message by which waiting for a CPU may have made the latency longer.

    Waits while there is nothing to do cost no message anything. Of a publisher's, what shows between planned and sent counts; of a
    subscriber's, no more than what its wake-ups wait on average, for the few that a message takes.
    """
    publisher, subscribing, slices = (
        sum(getattr(used, what) for name, used in outcome.usage.items() if name.startswith(role))
        for role, what in (
            ("publisher", "run_delay_ns"),
            ("subscriber", "run_delay_ns"),
            ("subscriber", "slices"),
        )
    )
    sent, planned = (joined.columns[name].astype(np.int64) for name in ("sent", "planned"))
    was_sent = sent > 0
    held = int((sent - planned)[was_sent].sum())
    messages = max(1, int(np.count_nonzero(was_sent)))
    turns = min(slices, TURNS * messages) if slices else messages
    heard = subscribing / messages * (turns / slices if slices else 1.0)
    return float(min(publisher, held) / messages + heard)


def stalled_ns(outcome: Outcome, joined: Joined) -> NDArray[np.int64]:
    """ns by which each message sent after the warm-up was begun late because its sender, though free, did not run; zeros where it was not so.

    Free: all that was planned before had been handed over. What came due while the sender stood still is late with it. A sender that
    stood still for far longer in all than it waited for a CPU was waiting for its protocol, for a window or for an acknowledgement, but
    where nothing was on its way any more that it could have waited for.
    """
    columns = joined.columns
    used = columns["sent"].astype(np.int64) > 0
    if "subscriber" in columns:
        # There, each message has a row for each subscriber.
        used &= columns["subscriber"] == 0
    planned, start, sent = (columns[name][used].astype(np.int64) for name in ("planned", "start", "sent"))
    handed_over = np.concatenate([planned[:1], np.maximum.accumulate(sent)[:-1]])
    stood = start - np.maximum(planned, handed_over)
    stalls = np.flatnonzero(stood > STALL_NS)
    late = np.zeros(len(planned), dtype=np.int64)
    waited = sum(used.run_delay_ns for name, used in outcome.usage.items() if name.startswith("publisher"))
    if stood[stalls].sum() > STALL_PER_WAIT * waited:
        stalls = stalls[_settled(columns, used)[stalls] <= (start - stood)[stalls]]
    for stall in stalls:
        due = slice(stall, np.searchsorted(planned, start[stall]))
        late[due] = (start - planned)[due]
    counted: NDArray[np.int64] = late[~columns["warmup"][used].astype(bool)]
    return counted


def _settled(columns: dict[str, NDArray[np.generic]], used: NDArray[np.bool_]) -> NDArray[np.int64]:
    """When all that was sent before each message had arrived and was acknowledged, ns; never where one did not arrive, or others may have it still
    to come.
    """
    received, done = (columns[name][used].astype(np.int64) for name in ("received", "done"))
    known = (received > 0) & ("subscriber" not in columns)
    ended = np.where(known, np.maximum(received, done), np.iinfo(np.int64).max)
    settled: NDArray[np.int64] = np.concatenate([[0], np.maximum.accumulate(ended)[:-1]])
    return settled


def notes(trial: Trial, outcome: Outcome, joined: Joined) -> tuple[str, ...]:
    """What a reader should know about a trial that is evidence all the same."""
    found: list[str] = []
    counts = joined.counts
    # What is still on its way when an overloaded trial ends is late, and no promise broken.
    promised = outcome.delivery in ("at-least-once", "exactly-once") and not outcome.overloaded
    if promised and counts.lost > counts.failed:
        silent = counts.lost - counts.failed
        found.append(
            f"{silent} messages were lost although {trial.protocol} qos {trial.qos} promises {outcome.delivery}"
        )
    if outcome.delivery == "exactly-once" and counts.duplicated:
        found.append(f"{counts.duplicated} duplicates although qos {trial.qos} promises {outcome.delivery}")
    if joined.ambiguous:
        found.append(f"{joined.ambiguous} messages could not be told apart by content")
    rate = trial.workload.rate_hz if isinstance(trial.workload.arrivals, ConstantRate) else None
    sent = joined.columns["sent"].astype(np.int64)
    if rate is not None and len(sent) > 1 and sent[-1] > sent[0]:
        achieved = (len(sent) - 1) * 1e9 / float(sent[-1] - sent[0])
        if achieved < 0.99 * rate:
            found.append(
                f"rate missed: {achieved:.3g}/s of {rate:.3g}/s asked; the sender could not hand messages over in time"
            )
    latency = joined.latency()
    # Shares that take turns make latencies differ by themselves.
    trend = drift(latency) if len(latency) and len(trial.workload.utilization) < 2 else None
    if trend is not None and not trend.steady:
        found.append(f"no steady state: {trend.sentence}")
    if outcome.overloaded:
        late = counts.planned - counts.delivered
        found.append(
            f"overloaded: {late} of {counts.planned} messages had not arrived {show_duration(OVERLOAD_NS)} after the last was due; "
            f"{trial.protocol} does not carry this rate here"
        )
    elif not outcome.settled:
        found.append("the publisher never settled: the fate of some messages was still open at the end")
    return (*found, *clock_note(outcome, joined), *outcome.errors[:3])


def _result(
    trial: Trial, outcome: Outcome, verdict: Verdict, joined: Joined | None, folder: Path
) -> TrialResult:
    has_samples = joined is not None
    sizes = (
        joined.columns["bytes"][joined.columns["sent"].astype(np.int64) > 0].astype(np.float64)
        if joined is not None
        else np.zeros(0)
    )
    return TrialResult(
        trial_id=trial.id,
        verdict=verdict,
        notes=notes(trial, outcome, joined) if joined is not None else tuple(outcome.errors[:3]),
        counts=joined.counts if joined is not None else Counts(),
        carried=sent_once(trial, joined) if joined is not None else 0,
        crossings=2 if trial.workload.topology == "loop" else 1,
        payload_bytes=float(sizes.mean()) if len(sizes) else 0.0,
        header_bytes=HEADER_BYTES if has_samples and outcome.identity == "header" else 0,
        identity=outcome.identity,
        elapsed_ns=elapsed_ns(outcome, joined),
        connect_ns=outcome.connect_ns,
        shares=shares(joined, outcome, folder) if joined is not None else Shares(separable=False),
        usage=outcome.usage,
        wire=wire_of(outcome.link),
        lateness=lateness_of(outcome.link),
        server=outcome.server,
        waiting=outcome.waiting,
        peer=outcome.peer,
        clock_error_ns=error_ns(outcome),
        one_way=joined is None or is_one_way(outcome, joined),
        stolen=outcome.stolen,
    )
