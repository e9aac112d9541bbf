"""The cells of a run while it is measured: interval so far, trials that are not valid, time left.

A terminal gets a table that is drawn again with each trial, a pipe plain lines.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.text import Text

from wirelab.advice.figures import Columns
from wirelab.advice.rows import (
    Combination,
    RunFacts,
    combination,
    combinations,
    label,
    level_text,
    measure,
    tally,
    varying_levels,
)
from wirelab.model.answer import Record
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import metric as find_metric
from wirelab.model.result import TrialResult
from wirelab.model.units import show_duration
from wirelab.report import cell_text
from wirelab.report.progress import progress
from wirelab.report.terminal_table import Column, fitted, table_of
from wirelab.report.terminal_text import figure
from wirelab.studies.execution import Progress

MEASURING = "measuring"
AROUND = 6
"""Lines of a terminal that are not rows of the table."""
Report = Callable[[Progress, TrialResult | None], None]


class Cell(Struct, frozen=True):
    """One combination so far: its estimate, and its trials by how they ended."""

    label: str
    estimate: Estimate | None
    valid: int
    not_valid: int
    planned: int


class Cells:
    """The combinations of a run. `samples` gives the columns of a trial, `metric` what is shown."""

    def __init__(self, records: Sequence[Record], samples: Callable[[str], Columns], metric: str) -> None:
        self.metric, self._samples = metric, samples
        self._trials = {record.trial.id: record.trial for record in records}
        self._varying = varying_levels(records)
        self._records = {combination(own[0].trial): own for own in combinations(records)}
        self._cells = {key: self._cell(own) for key, own in self._records.items()}

    def put(self, result: TrialResult) -> None:
        """Take the result of a trial that is done."""
        trial = self._trials[result.trial_id]
        key = combination(trial)
        done = Record(trial, "done", 1, result)
        self._records[key] = [done if one.trial.id == trial.id else one for one in self._records[key]]
        self._cells[key] = self._cell(self._records[key])

    @property
    def not_valid(self) -> int:
        """The trials that gave no figure."""
        return sum(cell.not_valid for cell in self._cells.values())

    def ordered(self) -> list[Cell]:
        """The cells, best first; those without a figure last, in planned order."""
        sign = 1 if find_metric(self.metric).lower_is_better else -1
        known = [cell for cell in self._cells.values() if cell.estimate]
        known.sort(key=lambda cell: sign * cell.estimate.value if cell.estimate else 0.0)
        return known + [cell for cell in self._cells.values() if not cell.estimate]

    def _cell(self, records: Sequence[Record]) -> Cell:
        ended = tally(records)
        found = measure(records, self._samples, RunFacts(self._varying, (self.metric,)))
        estimate = found.row.estimates.get(self.metric) if found else None
        not_valid = ended.invalid + ended.failed + ended.skipped
        return Cell(self._name(combination(records[0].trial)), estimate, ended.valid, not_valid, len(records))

    def _name(self, levels: Combination) -> str:
        varying = {name: level for name, level in levels if name in self._varying}
        return " ".join(level_text(name, level) for name, level in varying.items()) or label(
            dict(levels), self._varying
        )


def cell_columns(cells: Sequence[Cell], metric: str) -> list[Column]:
    """The table of cells."""
    return [
        Column("combination", [Text(cell.label) for cell in cells]),
        Column(cell_text.title(metric), [figure(cell.estimate, True) for cell in cells], right=True),
        Column("trials", [Text(f"{cell.valid}/{cell.planned}") for cell in cells], right=True),
        Column("not valid", [_count(cell.not_valid) for cell in cells], right=True),
    ]


def _count(number: int) -> Text:
    return Text(str(number), style="red") if number else Text("")


@contextmanager
def measuring(
    records: Sequence[Record], samples: Callable[[str], Columns], metric: str, quiet: bool
) -> Iterator[Report]:
    """Show the cells while the block runs. It yields what takes the progress and each result."""
    if quiet or not sys.stderr.isatty():
        with progress(MEASURING, quiet, total=len(records)) as lines:
            yield lambda at, _: lines.update(at.done, at.left_s)
        return
    with live_table(Cells(records, samples, metric), len(records), Console(stderr=True)) as report:
        yield report


@contextmanager
def live_table(cells: Cells, total: int, console: Console) -> Iterator[Report]:
    """Draw the cells again with each result; the table is gone when the block ends."""
    bar = Bar(TextColumn("{task.description}", markup=False), BarColumn(30), TimeElapsedColumn())
    task = bar.add_task(MEASURING, total=total)

    def drawn() -> Group:
        every = cells.ordered()
        shown = every[: max(3, console.height - AROUND)]
        more = Text(f"and {len(every) - len(shown)} more" * (len(every) > len(shown)), style="dim")
        columns, _ = fitted(cell_columns(shown, cells.metric), console.width)
        return Group(table_of(columns), more, bar)

    with Live(drawn(), console=console, transient=True, refresh_per_second=4) as live:

        def report(at: Progress, result: TrialResult | None) -> None:
            if result is not None:
                cells.put(result)
            bar.update(task, completed=at.done, description=state(at, cells.not_valid))
            live.update(drawn())

        yield report


def state(at: Progress, not_valid: int) -> str:
    """How far the run is, in words."""
    parts = [f"{at.done} of {at.total} trials"]
    parts += [f"{not_valid} not valid"] * bool(not_valid)
    parts += [f"{show_duration(at.left_s * 1e9)} left"] * (at.done < at.total)
    return ", ".join(parts)
