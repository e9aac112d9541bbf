"""How long a trial may take, and what it left."""

from __future__ import annotations

from pathlib import Path

import msgspec

from wirelab.lab.outcome import Outcome
from wirelab.lab.peer_requests import connecting_s
from wirelab.model.reason import Code, Reason
from wirelab.model.trial import State, Trial, Verdict
from wirelab.workloads.load import planned_ns

# What a trial may take until it is ready, beyond the time its subscribers, and then its publishers, have to connect.
READY_GRACE_S = 70.0
# What a trial may take beyond its plan and its drain limit before it is ended by force.
GRACE_S = 60.0


def ready_limit_s(trial: Trial) -> float:
    """Seconds from its start after which a trial that is not ready is ended by force."""
    return READY_GRACE_S + 2 * connecting_s(trial.options)


def limit_s(trial: Trial) -> float:
    """Seconds from its start after which a trial is ended by force."""
    return (planned_ns(trial.workload, trial.seed) + trial.workload.drain_ns) / 1e9 + GRACE_S


def outcome_of(folder: Path, over: bool, log: Path) -> Outcome:
    """The outcome in a trial's folder, or why there is none."""
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
