"""The verdict of a trial and its notes: pure functions of its facts."""

from __future__ import annotations

from msgspec.structs import replace

from wirelab.lab.drain_limits import OVERLOAD_NS
from wirelab.model.reason import STEAL_REPORTED, Code, Reason
from wirelab.model.trial import VALID, State, Verdict
from wirelab.model.units import show_duration
from wirelab.studies.trial_facts import TrialFacts

# The largest lateness of the emulator at the 99th percentile: 1 ms, or 2 % of the median latency if
# that is more.
LATE_NS, LATE_SHARE = 1_000_000.0, 0.02
# Peers that waited longer than this per message for a CPU measured the machine, not the protocol.
WAIT_NS, WAIT_SHARE = 200_000.0, 0.05
# The largest share of all latency that sender stalls may cause.
STALL_SHARE = 0.05
# If a tenth of the CPU time is stolen, computing and waking up take at least a quarter longer.
STEAL_SHARE = 0.1
# A rate below this share of the planned one is reported as missed.
RATE_SHARE = 0.99


def verdict(facts: TrialFacts) -> Verdict:
    """The verdict of a trial, with the reason if it is not valid."""
    reason = _fault(facts)
    if reason is None:
        return VALID
    if facts.steal > STEAL_REPORTED:
        reason = replace(reason, figures={**reason.figures, "steal": facts.steal})
    return Verdict(State.INVALID, reason)


def _fault(facts: TrialFacts) -> Reason | None:
    """The first reason that applies, without steal time."""
    counts, lateness, stalls = facts.counts, facts.lateness, facts.stalls
    reason = None
    if counts.planned == 0 or (counts.sent < counts.planned and not facts.overloaded):
        reason = Reason(Code.UNDER_SENT, {"sent": counts.sent, "planned": counts.planned})
    elif lateness.own_drops:
        reason = Reason(Code.EMULATOR_DROPPED, {"packets": lateness.own_drops})
    elif lateness.p99_ns > max(LATE_NS, LATE_SHARE * facts.median_ns):
        reason = Reason(Code.EMULATOR_BEHIND_SCHEDULE, {"late": lateness.p99_ns})
    elif facts.cpu_wait_ns > max(WAIT_NS, WAIT_SHARE * facts.median_ns):
        reason = Reason(Code.LOAD_GENERATOR_SATURATED, {"wait": facts.cpu_wait_ns})
    elif stalls.share > STALL_SHARE:
        reason = Reason(Code.SENDER_STALLED, {"messages": stalls.messages, "late": stalls.longest_ns})
    elif facts.latency_is_cpu_time and facts.steal > STEAL_SHARE:
        reason = Reason(Code.CPU_STEAL)
    return reason


def notes(facts: TrialFacts) -> tuple[str, ...]:
    """What a reader should know about a trial, valid or not."""
    return (
        *_delivery_notes(facts),
        *_load_notes(facts),
        *_clock_notes(facts),
        *facts.errors[:3],
    )


def _delivery_notes(facts: TrialFacts) -> list[str]:
    counts, promise = facts.counts, f"qos {facts.qos} promises {facts.delivery}"
    found = []
    # Messages in flight when an overloaded trial ends are late; no promise is broken.
    promised = facts.delivery in ("at-least-once", "exactly-once") and not facts.overloaded
    if promised and counts.lost > counts.failed:
        found.append(f"{counts.lost - counts.failed} messages were lost although {facts.protocol} {promise}")
    if facts.delivery == "exactly-once" and counts.duplicated:
        found.append(f"{counts.duplicated} duplicates although {promise}")
    if facts.ambiguous:
        found.append(f"{facts.ambiguous} messages could not be distinguished by content")
    return found


def _load_notes(facts: TrialFacts) -> list[str]:
    found = []
    if facts.planned_hz and facts.sent_hz and facts.sent_hz < RATE_SHARE * facts.planned_hz:
        rates = f"{facts.sent_hz:.3g}/s instead of {facts.planned_hz:.3g}/s"
        found.append(f"rate missed: {rates}; the sender could not hand messages over in time")
    if facts.drift is not None and not facts.drift.steady:
        found.append(f"no steady state: {facts.drift.sentence}")
    if facts.overloaded:
        late = facts.counts.planned - facts.counts.delivered
        found.append(
            f"overloaded: {late} of {facts.counts.planned} messages had not arrived "
            f"{show_duration(OVERLOAD_NS)} after the last was due; {facts.protocol} does not carry this rate here"
        )
    elif not facts.settled:
        found.append("the publisher did not settle: the outcome of some messages was unknown at the end")
    return found


def _clock_notes(facts: TrialFacts) -> list[str]:
    if not facts.clock_error_ns:
        return []
    known = f"the nodes' clocks are known to within {show_duration(facts.clock_error_ns)}"
    if facts.one_way:
        return [known]
    return [f"no one-way times: {known}, which is not small against them"]
