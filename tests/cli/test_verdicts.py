"""The end of a study's output: claims, invalid trials and the next step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.factories import a_payload, a_trial
from wirelab.cli.verdicts import not_evidence, print_claims, study_record
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.reason import Code, Reason
from wirelab.model.result import TrialResult
from wirelab.model.trial import Link, State, Verdict
from wirelab.store.run import RunStore
from wirelab.studies.claims import Checked


def test_notes_are_between_the_score_and_the_advice_on_replicates(
    capsys: pytest.CaptureFixture[str],
) -> None:
    checked = [Checked("It is fast", "inconclusive", "yes", "too few", open=("best.mean",))]
    print_claims(checked, ["2 of 4 trials invalid: link off spec"], "wirelab reproduce tiny -o runs/tiny")
    assert capsys.readouterr().out.splitlines()[-6:] == [
        "0 confirmed, 0 refuted, 1 inconclusive, 0 not applicable",
        "",
        "Warnings:",
        " - 2 of 4 trials invalid: link off spec",
        "",
        "1 claims are inconclusive; add replicates: wirelab reproduce tiny -o runs/tiny --extra-replicates 5",
    ]


def test_invalid_trials_are_counted_by_reason_with_a_remedy(tmp_path: Path) -> None:
    payload = a_payload()
    planned = [
        a_trial(
            name, levels={"qos": "1"}, replicate=number, seed=7, payload=payload, qos="1", link=Link("wifi")
        )
        for number, name in enumerate("abcde")
    ]
    verdicts = {
        "a": Verdict(State.INVALID, Reason(Code.EMULATOR_BEHIND_SCHEDULE, {"late": 9.5e6})),
        "b": Verdict(State.INVALID, Reason(Code.EMULATOR_BEHIND_SCHEDULE, {"late": 1.2e6})),
        "c": Verdict(State.FAILED, Reason.of(MeasurementFailed("mosquitto", "ended with 1"))),
        "d": Verdict(State.VALID),
    }
    with RunStore.create(tmp_path / "run", {"name": "tiny"}, planned, {}) as store:
        for name, verdict in verdicts.items():
            store.begin(name)
            store.finish(TrialResult(name, verdict=verdict))
        assert not_evidence(store) == [
            "2 of 5 trials invalid: emulator behind schedule; --resume measures them again",
            "1 of 5 trials failed: mosquitto",
            "1 of 5 trials have not run",
        ]


def test_the_study_of_a_run_by_an_older_wirelab_is_refused_with_a_remedy(tmp_path: Path) -> None:
    claim = {"text": "It is slow", "published": "slow", "where": "Fig. 1"}
    paper = {"name": "tiny", "parts": [], "claims": [claim]}
    about = {"paper": {"paper": paper, "lacking": {}, "command": "", "quick": False}}
    payload = a_payload()
    trial = a_trial("a", levels={"qos": "1"}, seed=7, payload=payload, qos="1", link=Link("wifi"))
    with (
        RunStore.create(tmp_path / "run", {"name": "tiny"}, [trial], about) as store,
        pytest.raises(BadInput, match="older wirelab; run the study again"),
    ):
        study_record(store)
