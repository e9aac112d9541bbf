"""The deadlines of a trial, and its outcome."""

from __future__ import annotations

from pathlib import Path

import msgspec

from wirelab.lab.host_cpu import slower
from wirelab.lab.outcome import Outcome
from wirelab.lab.peer_requests import connecting_s
from wirelab.model.reason import Code, Reason
from wirelab.model.trial import State, Trial, Verdict
from wirelab.workloads.load import planned_ns

# Time until a trial is ready, in addition to the connect timeouts of its subscribers and
# publishers. A busy machine takes a multiple of both.
READY_GRACE_S = 70.0
# Time in addition to its plan and drain limit after which a trial is killed.
GRACE_S = 60.0


def ready_limit_s(trial: Trial) -> float:
    """Seconds from its start after which a trial that is not ready is killed."""
    return READY_GRACE_S * slower() + 2 * connecting_s(trial.options)


def limit_s(trial: Trial) -> float:
    """Seconds from its start after which a trial is killed."""
    workload = trial.workload
    planned = planned_ns(workload, trial.seed) + workload.drain_ns + workload.idle_ns
    return planned / 1e9 + GRACE_S * slower()


def outcome_of(folder: Path, over: bool, log: Path) -> Outcome:
    """The outcome in a trial's folder, or the reason why there is none."""
    try:
        return msgspec.json.decode((folder / "outcome.json").read_bytes(), type=Outcome)
    except (OSError, msgspec.DecodeError):
        reason = _last_line(log) if over else Reason(Code.TIMED_OUT)
        return Outcome(verdict=Verdict(State.FAILED, reason))


def _last_line(log: Path) -> Reason:
    try:
        lines = log.read_text(errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return Reason.message(lines[-1][:300]) if lines else Reason(Code.NO_OUTCOME)
