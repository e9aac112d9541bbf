"""The table of cells while a run is measured."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray
from rich.console import Console

from tests.factories import a_trial
from wirelab.model.answer import Record
from wirelab.model.reason import Reason
from wirelab.model.result import Counts, TrialResult
from wirelab.model.trial import State, Verdict
from wirelab.report.live_cells import Cells, live_table, measuring, state
from wirelab.studies.execution import Progress

LATENCY = {"slow": 80_000_000, "fast": 20_000_000}
PLANNED = [
    Record(
        a_trial(f"{name}-{replicate}", levels={"format": name, "protocol": "mqtt"}, replicate=replicate),
        "planned",
        0,
    )
    for name in ("slow", "fast", "none")
    for replicate in range(3)
]


def samples(trial_id: str) -> Mapping[str, NDArray[np.generic]]:
    name, _, replicate = trial_id.partition("-")
    planned = np.arange(30, dtype=np.int64) * 1_000_000
    done = planned + LATENCY[name] + int(replicate) * 1_000_000
    names = ("decoded", "received", "done")
    return {
        "planned": planned,
        **dict.fromkeys(names, done),
        "outcome": np.zeros(30, dtype=np.uint8),
        "warmup": np.zeros(30, dtype=bool),
    }


def valid(trial_id: str) -> TrialResult:
    return TrialResult(trial_id, counts=Counts(planned=30, sent=30, delivered=30))


VOID = TrialResult("fast-2", Verdict(State.INVALID, Reason.message("rate missed")))


def cells() -> Cells:
    found = Cells(PLANNED, samples, "latency_p50")
    for trial_id in ("slow-0", "slow-1", "slow-2", "fast-0", "fast-1"):
        found.put(valid(trial_id))
    found.put(VOID)
    return found


def test_any_quantile_can_be_shown() -> None:
    found = Cells(PLANNED, samples, "latency_p95")
    found.put(valid("slow-0"))
    first = found.ordered()[0].estimate
    assert first is not None
    assert first.value == 80_000_000


def test_the_best_cell_so_far_comes_first_with_its_trials_and_those_not_valid() -> None:
    found = cells()
    rows = [(cell.label, cell.valid, cell.not_valid, cell.planned) for cell in found.ordered()]
    assert rows == [("fast", 2, 1, 3), ("slow", 3, 0, 3), ("none", 0, 0, 3)]
    fast, slow, none = [cell.estimate for cell in found.ordered()]
    assert fast is not None
    assert slow is not None
    assert (fast.value, slow.value, none) == (20_500_000, 81_000_000, None)
    assert slow.low < slow.value < slow.high
    assert found.not_valid == 1


@pytest.mark.parametrize(
    ("at", "not_valid", "words"),
    [
        (Progress(3, 9, 125.0), 0, "3 of 9 trials, 125 s left"),
        (Progress(6, 9, 4.0), 1, "6 of 9 trials, 1 not valid, 4.00 s left"),
        (Progress(9, 9, 0.0), 2, "9 of 9 trials, 2 not valid"),
    ],
)
def test_the_line_below_says_how_far_the_run_is(at: Progress, not_valid: int, words: str) -> None:
    assert state(at, not_valid) == words


def test_a_terminal_gets_the_table_drawn_again_with_each_trial() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100, height=20, color_system=None)
    with live_table(cells(), len(PLANNED), console) as report:
        report(Progress(7, 9, 8.0), None)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    for part in (
        "latency p50",
        "fast",
        "20.5 ms",
        "2/3",
        "slow",
        "3/3",
        "7 of 9 trials, 1 not valid, 8.00 s left",
    ):
        assert part in text


def test_a_low_terminal_shows_the_best_cells_and_counts_the_others() -> None:
    records = [
        Record(a_trial(f"fast-{number}", levels={"format": f"f{number}"}), "planned", 0)
        for number in range(9)
    ]
    console = Console(file=io.StringIO(), force_terminal=True, width=60, height=10, color_system=None)
    with live_table(Cells(records, samples, "latency_p50"), 9, console):
        pass
    assert isinstance(console.file, io.StringIO)
    assert "and 5 more" in console.file.getvalue()


def test_a_pipe_gets_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with measuring(PLANNED, samples, "latency_p50", quiet=False) as report:
        report(Progress(3, 9, 6.0), valid("slow-0"))
    assert capsys.readouterr().err == "measuring\nmeasuring: 3 of 9 (33 %), 6.00 s left\n"
