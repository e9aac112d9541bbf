"""The verdict of a trial and its notes: pure functions of its facts."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from wirelab.engine.disturbance import allowed_lateness_ns, allowed_wait_ns
from wirelab.model.note import Note, NoteCode
from wirelab.model.reason import STEAL_REPORTED, Code, Reason
from wirelab.model.result import Delivery
from wirelab.model.trial import VALID, State, Verdict
from wirelab.studies.causes import causes
from wirelab.studies.trial_facts import TrialFacts

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
    elif lateness.p99_ns > allowed_lateness_ns(facts.median_ns):
        reason = Reason(Code.EMULATOR_BEHIND_SCHEDULE, {"late": lateness.p99_ns})
    elif facts.cpu_wait_ns > allowed_wait_ns(facts.median_ns):
        reason = Reason(Code.LOAD_GENERATOR_SATURATED, {"wait": facts.cpu_wait_ns})
    elif stalls.share > STALL_SHARE:
        reason = Reason(Code.SENDER_STALLED, {"messages": stalls.messages, "late": stalls.longest_ns})
    elif facts.latency_is_cpu_time and facts.steal > STEAL_SHARE:
        reason = Reason(Code.CPU_STEAL)
    return reason


def notes(facts: TrialFacts) -> tuple[Note, ...]:
    """What a reader should know about a trial, valid or not."""
    return (
        *_delivery_notes(facts),
        *_load_notes(facts),
        *causes(facts.observed, facts.counts, facts.overloaded, facts.median_ns, facts.protocol, facts.qos),
        *_clock_notes(facts),
        *error_notes(facts.errors),
    )


def error_notes(errors: Sequence[str]) -> tuple[Note, ...]:
    """The first errors of peers."""
    return tuple(Note(NoteCode.PEER_ERROR, what=error) for error in errors[:3])


def _delivery_notes(facts: TrialFacts) -> list[Note]:
    counts, who = facts.counts, f"{facts.protocol} qos {facts.qos}"
    found = []
    # Messages in flight when an overloaded trial ends are late; no promise is broken.
    promised = Delivery.of(facts.delivery).keeps and not facts.overloaded
    if promised and counts.lost > counts.failed:
        lost = {"messages": float(counts.lost - counts.failed)}
        found.append(Note(NoteCode.PROMISE_BROKEN, lost, who, facts.delivery))
    if facts.delivery == Delivery.EXACTLY_ONCE and counts.duplicated:
        found.append(Note(NoteCode.DUPLICATES, {"messages": float(counts.duplicated)}, who, facts.delivery))
    if facts.ambiguous:
        found.append(Note(NoteCode.AMBIGUOUS, {"messages": float(facts.ambiguous)}))
    return found


def _load_notes(facts: TrialFacts) -> list[Note]:
    found = []
    if facts.planned_hz and facts.sent_hz and facts.sent_hz < RATE_SHARE * facts.planned_hz:
        found.append(Note(NoteCode.RATE_MISSED, {"sent": facts.sent_hz, "asked": facts.planned_hz}))
    if facts.drift is not None and not facts.drift.steady:
        way = "rose" if facts.drift.change > 0 else "fell"
        found.append(Note(NoteCode.NO_STEADY_STATE, {"change": abs(facts.drift.change)}, why=way))
    late = float(facts.counts.planned - facts.counts.delivered)
    figures = {"late": late, "planned": float(facts.counts.planned)}
    if facts.overloaded and facts.silent_ns >= facts.overload_ns:
        found.append(Note(NoteCode.STALLED, figures | {"wait": float(facts.silent_ns)}))
    elif facts.overloaded:
        figures |= {"wait": float(facts.overload_ns)}
        figures |= {"carried": facts.carried_hz} | ({"asked": facts.planned_hz} if facts.planned_hz else {})
        found.append(Note(NoteCode.OVERLOADED, figures, facts.protocol))
    elif not facts.settled:
        found.append(Note(NoteCode.NOT_SETTLED))
    return found


def _clock_notes(facts: TrialFacts) -> list[Note]:
    if not facts.clock_error_ns:
        return []
    code = NoteCode.CLOCK_ERROR if facts.one_way else NoteCode.NO_ONE_WAY
    return [Note(code, {"error": float(facts.clock_error_ns)})]
