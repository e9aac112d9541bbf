"""A verdict follows from the facts of a trial alone."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from wirelab.model.reason import Code, Reason
from wirelab.model.result import Counts, Lateness
from wirelab.model.trial import VALID, State, Verdict
from wirelab.studies.causes import Observed
from wirelab.studies.trial_facts import Stalls, TrialFacts
from wirelab.studies.validity import notes, verdict

MS = 1e6
CLEAN = TrialFacts(
    protocol="mqtt", qos="1", delivery="at-least-once", counts=Counts(planned=3, sent=3, delivered=3),
    overloaded=False, overload_ns=10_000_000_000, silent_ns=0, settled=True, ambiguous=0, median_ns=40 * MS, lateness=Lateness(),
    cpu_wait_ns=0.0, stalls=Stalls(), steal=0.0, latency_is_cpu_time=False, drift=None,
    planned_hz=10.0, sent_hz=10.0, carried_hz=10.0, clock_error_ns=0, one_way=True, observed=Observed(), errors=(),
)  # fmt: skip


def test_clean_facts_make_a_valid_trial_without_notes() -> None:
    assert verdict(CLEAN) == VALID
    assert notes(CLEAN) == ()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"counts": Counts(planned=3, sent=2)}, Reason(Code.UNDER_SENT, {"sent": 2, "planned": 3})),
        ({"lateness": Lateness(own_drops=3)}, Reason(Code.EMULATOR_DROPPED, {"packets": 3})),
        (
            {"lateness": Lateness(p99_ns=1.1 * MS)},
            Reason(Code.EMULATOR_BEHIND_SCHEDULE, {"late": 1.1 * MS}),
        ),
        ({"cpu_wait_ns": 2.1 * MS}, Reason(Code.LOAD_GENERATOR_SATURATED, {"wait": 2.1 * MS})),
        (
            {"stalls": Stalls(5, 5 * MS, 0.06)},
            Reason(Code.SENDER_STALLED, {"messages": 5, "late": 5 * MS}),
        ),
        (
            {"latency_is_cpu_time": True, "steal": 0.11},
            Reason(Code.CPU_STEAL, {"steal": 0.11}),
        ),
        (
            {"lateness": Lateness(own_drops=3), "steal": 0.03},
            Reason(Code.EMULATOR_DROPPED, {"packets": 3, "steal": 0.03}),
        ),
    ],
)
def test_a_fault_makes_a_trial_invalid_with_its_code_and_figures(
    changes: dict[str, Any], reason: Reason
) -> None:
    assert verdict(replace(CLEAN, **changes)) == Verdict(State.INVALID, reason)


@pytest.mark.parametrize(
    "changes",
    [
        {"counts": Counts(planned=3, sent=2), "overloaded": True},
        {"lateness": Lateness(p99_ns=1.0 * MS)},
        {"lateness": Lateness(p99_ns=1.9 * MS), "median_ns": 100 * MS},
        {"cpu_wait_ns": 2.0 * MS},
        {"stalls": Stalls(5, 5 * MS, 0.05)},
        {"latency_is_cpu_time": True, "steal": 0.1},
        {"steal": 0.5},
    ],
)
def test_a_trial_within_all_limits_is_valid(changes: dict[str, Any]) -> None:
    assert verdict(replace(CLEAN, **changes)) == VALID
