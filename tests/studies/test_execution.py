"""Records of a trial are kept over its retries. The engine is a mock."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

from tests.engine.sleeper import trial
from wirelab.engine.base import FinishedTrial, JournalCallbacks
from wirelab.lab.outcome import Outcome
from wirelab.model.reason import Reason
from wirelab.model.trial import State, Trial, Verdict
from wirelab.store.run import RunStore
from wirelab.studies.execution import execute

LOST = "retried: node b was lost while it ran"


class Twice:
    """Each trial is void the first time, after a node was lost, and fails the second."""

    def __init__(self) -> None:
        self.runs = 0

    def check_link(self, text: str, seed: int) -> tuple[dict[str, Any], tuple[str, ...]]:
        return {}, ()

    def run(self, trials: Sequence[Trial], journal: JournalCallbacks) -> Generator[FinishedTrial, None, None]:
        for one in trials:
            journal.begin([one])
            self.runs += 1
            first = self.runs == 1
            void = (
                Verdict(State.INVALID, Reason.message("void"))
                if first
                else Verdict(State.FAILED, Reason.message("failed"))
            )
            yield FinishedTrial(one, Outcome(verdict=void), (LOST,) if first else ())
            journal.end([one])


def test_a_retried_trial_has_the_reason_of_each_retry(tmp_path: Path) -> None:
    engine = Twice()
    with RunStore.create(tmp_path / "run", {}, [trial("a")], {}) as store:
        execute(store, engine, lambda _progress, _result: None)
        (record,) = store.results()
    assert engine.runs == 2
    assert record.result is not None
    assert [str(note) for note in record.result.notes] == [LOST, "retried after invalid: void"]
