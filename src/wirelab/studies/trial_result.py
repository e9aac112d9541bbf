"""The result of a trial from its outcome: joined samples, latency breakdown and verdict."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from msgspec.structs import replace

from wirelab.lab.flows import flows_of
from wirelab.lab.outcome import Outcome
from wirelab.model.errors import MeasurementFailed
from wirelab.model.reason import Reason
from wirelab.model.result import Counts, Delivery, MessagePath, Shares, TrialResult
from wirelab.model.trial import State, Trial, Verdict
from wirelab.stats.sample_join import Joined
from wirelab.studies.multi_publisher_join import error_ns
from wirelab.studies.trial_facts import TrialFacts, trial_facts
from wirelab.studies.trial_metrics import elapsed_ns, lateness_of, path, sent_once, shares, wire_of
from wirelab.studies.trial_samples import join_samples
from wirelab.studies.validity import error_notes, notes, verdict

HEADER_BYTES = 8


def evaluate(trial: Trial, outcome: Outcome, folder: Path) -> tuple[TrialResult, Joined | None]:
    """A trial's result and its joined samples; None if there are none."""
    if outcome.verdict.state is not State.VALID:
        return _without_samples(trial, outcome, outcome.verdict), None
    try:
        joined = join_samples(trial, outcome, folder)
    except MeasurementFailed as error:
        return _without_samples(trial, outcome, Verdict(State.FAILED, Reason.of(error))), None
    return _with_samples(trial, outcome, trial_facts(trial, outcome, joined), joined, folder), joined


def _without_samples(trial: Trial, outcome: Outcome, verdict: Verdict) -> TrialResult:
    return TrialResult(
        trial_id=trial.id,
        verdict=verdict,
        notes=error_notes(outcome.errors),
        counts=Counts(),
        crossings=_crossings(trial),
        identity=outcome.identity,
        delivery=Delivery.of(outcome.delivery),
        elapsed_ns=outcome.elapsed_ns,
        connect_ns=outcome.connect_ns,
        shares=Shares(separable=False),
        usage=outcome.usage,
        wire=wire_of(outcome.link),
        connecting=wire_of(outcome.connecting),
        idle=outcome.idle,
        lateness=lateness_of(outcome.link),
        server=outcome.server,
        waiting=outcome.waiting,
        peer=outcome.peer,
        clock_error_ns=error_ns(outcome),
        stolen=outcome.stolen,
        overloaded=outcome.overloaded,
        flows=flows_of(outcome.link) if trial.capture else (),
    )


def _with_samples(
    trial: Trial, outcome: Outcome, facts: TrialFacts, joined: Joined, folder: Path
) -> TrialResult:
    was_sent = joined.columns["sent"].astype(np.int64) > 0
    sizes = joined.columns["bytes"][was_sent].astype(np.float64)
    return replace(
        _without_samples(trial, outcome, verdict(facts)),
        notes=notes(facts),
        counts=facts.counts,
        carried=sent_once(trial, joined),
        payload_bytes=float(sizes.mean()) if len(sizes) else 0.0,
        header_bytes=HEADER_BYTES / trial.workload.batch if outcome.identity == "header" else 0,
        elapsed_ns=elapsed_ns(outcome, joined),
        shares=shares(joined, outcome, folder) if facts.one_way else Shares(separable=False),
        path=path(trial, joined, outcome, folder) if facts.one_way else MessagePath(),
        one_way=facts.one_way,
    )


def _crossings(trial: Trial) -> int:
    """The number of times a message crosses the device's link."""
    return 2 if trial.workload.topology == "round-trip" else 1
