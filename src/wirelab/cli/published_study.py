"""Run a study file with parts or claims: as `compare` runs its trials, then claim by claim."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec.structs import replace

from wirelab.advice.rows import Combination
from wirelab.cli.pipeline import about_run, report_interruption, run_trials, say_lines, show_plan
from wirelab.cli.verdicts import (
    ADDED,
    LOOKS,
    PAPER,
    TOOK,
    TURNS,
    StudyRecord,
    checked_claims,
    look_counts,
    show_paper,
    study_record,
)
from wirelab.lab import environment
from wirelab.model.errors import BadInput
from wirelab.model.trial import Trial
from wirelab.model.units import show_duration
from wirelab.report.progress import progress
from wirelab.store.run import JOURNAL, RunStore
from wirelab.studies import registry, results, run_parts, study_file
from wirelab.studies.adaptive_replication import ROUNDS, fitting, further
from wirelab.studies.claims import looked_again
from wirelab.studies.connect_limit import too_slow
from wirelab.studies.time_left import short_budget


def start_paper(
    path: Path,
    out: Path | None,
    plan_only: bool,
    quiet: bool,
    command: str,
    quick: bool,
    spacing: str = "",
    over: Mapping[str, Any] | None = None,
) -> int:
    """Run a study file and check its claims; keys in `over` win over its own. The exit code."""
    whole = study_file.read(path)
    every = run_parts.sketch(whole)
    for claims in (whole.claims, study_file.read(path, quick=True).claims):
        results.check_claims(replace(whole, claims=claims), every)
    found = run_parts.available(study_file.read(path, quick, spacing, over))
    sketch = run_parts.sketch(found.paper)
    stated = [*run_parts.stated_loads_of(found.paper, sketch), *too_slow(sketch)]
    short = short_budget(found.paper.time_budget_s, sketch)
    stated += short
    say_lines(stated, quiet)
    if plan_only:
        show_plan(sketch, max(p.study.replicates for p in found.paper.parts), found.paper.name)
        if found.paper.time_budget_s and not short:
            whole_ns = found.paper.time_budget_s * 1e9
            click.echo(
                f"then more replicates for inconclusive claims, within {show_duration(whole_ns)} in all"
            )
        return 0
    directory = out or Path(
        "runs", found.paper.name + ("-quick" if quick else "") + (f"-{spacing}" if spacing else "")
    )
    if (directory / JOURNAL).exists():
        raise BadInput(
            f"run directory {directory}", "already holds a run", "add --resume, or choose another with -o"
        )
    with progress("compiling the codecs of the study", quiet):
        planned = run_parts.plan_parts(found.paper, directory)
    kept = StudyRecord(found.paper, found.lacking, command, quick)
    about = {**about_run(), PAPER: msgspec.to_builtins(kept)}
    with (
        RunStore.create(directory, found.paper.parts[0].study, planned, about) as store,
        report_interruption(store, f"{command} --resume -o"),
    ):
        for note in (*environment.warnings(environment.environment()), *stated):
            store.note(note)
        _measure_all(store, kept, quiet)
        return show_paper(store, kept)


def resume_paper(directory: Path, quiet: bool, more: int = 0) -> int:
    """Continue a run of a study. Returns the exit code.

    When all of it is measured, `more` replicates are added for each inconclusive claim.
    """
    with RunStore.open(directory, write=True) as store:
        kept = study_record(store)
        if kept is None:
            raise BadInput(
                f"run directory {directory}",
                "is not the run of a study",
                "continue it with: wirelab compare --resume",
            )
        with report_interruption(store, f"{kept.command} --resume -o"):
            with progress("compiling the codecs of the study", quiet):
                run_parts.plan_parts(kept.paper, directory)
            _measure_all(store, kept, quiet)
            if more:
                Look(store, kept).measure(lambda _: more, quiet)
            return show_paper(store, kept)


def _measure_all(store: RunStore, kept: StudyRecord, quiet: bool) -> None:
    """Measure the planned trials, then replicates for inconclusive claims in the remaining time."""
    _measure(store, kept, quiet)
    if not kept.paper.time_budget_s:
        return
    for turn in range(int(store.meta().get(TURNS, 0)), ROUNDS):
        took_s = _took_s(store)
        until_s = took_s + (kept.paper.time_budget_s - took_s) / (ROUNDS - turn)
        store.put_meta(TURNS, turn + 1)
        look = Look(store, kept)
        one = look.further(lambda _: 1)
        while any((number := fitting(until_s - took_s, one, store.results(), took_s)).values()):
            look.measure(number.__getitem__, quiet)
            took_s = _took_s(store)


class Look:
    """One look at the inconclusive claims, and more replicates for them."""

    def __init__(self, store: RunStore, kept: StudyRecord) -> None:
        self._store, self._kept = store, kept
        self._checked, _ = checked_claims(store, kept)
        self._looks = looked_again(look_counts(store), self._checked)

    def further(self, number: Callable[[Combination], int]) -> list[Trial]:
        """The next trials: `number` replicates of each combination."""
        done = [record.trial for record in self._store.results()]
        return further(self._kept.paper, self._plan, done, self._checked, number)

    def measure(self, number: Callable[[Combination], int], quiet: bool) -> None:
        """Measure `number` extra replicates of each combination, and count this look at the claims."""
        added = self.further(number)
        if not added:
            return
        # Kept first: a look that is counted too often only makes the verdict more careful.
        self._store.put_meta(LOOKS, self._looks)
        self._store.add(added)
        before = int(self._store.meta().get(ADDED, 0))
        total = before + len(added)
        self._store.put_meta(ADDED, total)
        self._store.note(_added(total), instead_of=_added(before))
        _measure(self._store, self._kept, quiet)

    def _plan(self, longer: study_file.Paper) -> list[Trial]:
        return run_parts.plan_parts(longer, self._store.directory)


def _added(trials: int) -> str:
    return f"{trials} trials added for inconclusive claims"


def _took_s(store: RunStore) -> float:
    return float(store.meta().get(TOOK, 0.0))


def _measure(store: RunStore, kept: StudyRecord, quiet: bool) -> None:
    began, before = time.monotonic(), _took_s(store)
    try:
        run_trials(store, [part.study for part in kept.paper.parts], quiet)
    finally:
        store.put_meta(TOOK, before + time.monotonic() - began)


def command_of(name: str, *flags: str) -> str:
    """The command that runs a study again."""
    return shlex.join(["wirelab", "reproduce", name, *flags])


def list_studies() -> int:
    """Print each registered study with its title and its options. Returns the exit code."""
    for name in sorted(registry.registered()):
        found = registry.load(name)
        click.echo(f"{name:<24} {study_file.texts(found.study).title}")
        for option, help_text in (found.instrument.options if found.instrument else {}).items():
            click.echo(f"{'':<24}   --option {option}=...: {help_text}")
    return 0
