"""What a run without a valid trial says."""

from __future__ import annotations

from pathlib import Path

from tests.factories import a_trial
from wirelab.cli.without_result import without_valid_trial
from wirelab.model.errors import MeasurementFailed
from wirelab.model.reason import Code, Reason
from wirelab.model.result import TrialResult
from wirelab.model.trial import State, Verdict
from wirelab.store.run import RunStore


def busy(wait_ns: float) -> Verdict:
    return Verdict(State.INVALID, Reason(Code.LOAD_GENERATOR_SATURATED, {"wait": wait_ns}))


FAILED = Verdict(State.FAILED, Reason.of(MeasurementFailed("subscriber", "no answer within 10 s")))


def said(folder: Path, *verdicts: Verdict, logs: bool = False) -> str:
    trials = [a_trial(f"t{number}") for number, _ in enumerate(verdicts)]
    with RunStore.create(folder, {}, trials, {}) as store:
        for trial, verdict in zip(trials, verdicts, strict=True):
            store.begin(trial.id)
            store.finish(TrialResult(trial.id, verdict))
        if logs:
            (folder / "logs").mkdir()
        return without_valid_trial(store)


def test_reasons_that_differ_in_figures_are_one_and_the_most_frequent_is_named(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert said(run, FAILED, busy(4e6), busy(7e6), logs=True) == (
        "nothing could be measured: invalid: load generator saturated (coordinated-omission risk): peers "
        "waited 4.00 ms to 7.00 ms per message for a CPU (2 times); and 1 other reason; end other work on "
        f"this machine, then measure again: wirelab compare --resume {run}"
    )


def test_failed_trials_name_their_logs(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert said(run, FAILED, FAILED, logs=True) == (
        f"nothing could be measured: failed: subscriber: no answer within 10 s (2 times); the logs are in {run}/logs"
    )


def test_a_run_without_trials_says_so(tmp_path: Path) -> None:
    assert said(tmp_path / "run") == (
        "nothing could be measured: no trial has run; run wirelab doctor to see why"
    )
