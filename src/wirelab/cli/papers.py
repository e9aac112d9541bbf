"""What `reproduce`, and `run` for a file with parts or claims, do: the same road as `compare`, then claim by claim."""

from __future__ import annotations

import re
import shlex
import time
from pathlib import Path

import click
import msgspec

from wirelab.cli.session import about_run, run_trials, show_plan, told_if_interrupted
from wirelab.model.errors import BadInput
from wirelab.model.result import worst_stolen_note
from wirelab.report import study as pages
from wirelab.report.progress import progress
from wirelab.report.redrawn import redrawn
from wirelab.store.run import JOURNAL, RunStore
from wirelab.studies import environment, paper, parts, results
from wirelab.studies.claims import Checked, check
from wirelab.studies.paper import Paper
from wirelab.studies.tables import Redone

PAPER = "paper"
# Seconds of measuring, over all times that a run was gone on with.
TOOK = "took_s"


class Kept(msgspec.Struct, frozen=True):
    """What a run keeps of its study: the file as it was read, what was not there, and how to run it again."""

    paper: Paper
    lacking: dict[str, str]
    command: str
    quick: bool


def start_paper(
    path: Path,
    out: Path | None,
    plan_only: bool,
    quiet: bool,
    command: str,
    quick: bool,
    pace: str = "",
    seed: int | None = None,
) -> int:
    """Run a study file and check its claims. The exit code."""
    whole = parts.sketch(paper.read(path))
    found = parts.available(paper.read(path, quick, pace, seed))
    results.check_claims(paper.read(path), whole)
    sketch = parts.sketch(found.paper)
    if plan_only:
        return show_plan(sketch, max(p.study.repeats for p in found.paper.parts), found.paper.name)
    directory = out or Path(
        "runs", found.paper.name + ("-quick" if quick else "") + (f"-{pace}" if pace else "")
    )
    if (directory / JOURNAL).exists():
        raise BadInput(
            f"run directory {directory}", "already holds a run", "add --resume, or choose another with -o"
        )
    with progress("compiling the codecs of the study", quiet):
        planned = parts.plan_parts(found.paper, directory)
    kept = Kept(found.paper, found.lacking, command, quick)
    about = {**about_run(), PAPER: msgspec.to_builtins(kept)}
    with (
        RunStore.create(directory, found.paper.parts[0].study, planned, about) as store,
        told_if_interrupted(store, f"{command} --resume -o"),
    ):
        for warning in environment.warnings(environment.environment()):
            store.note(warning)
        return _measure(store, kept, quiet)


def resume_paper(directory: Path, quiet: bool) -> int:
    """Go on with a run of a study. The exit code."""
    with RunStore.open(directory, write=True) as store:
        kept = kept_in(store)
        if kept is None:
            raise BadInput(
                f"run directory {directory}", "holds no study", "go on with: wirelab compare --resume"
            )
        with told_if_interrupted(store, f"{kept.command} --resume -o"):
            with progress("compiling the codecs of the study", quiet):
                parts.plan_parts(kept.paper, directory)
            return _measure(store, kept, quiet)


def kept_in(store: RunStore) -> Kept | None:
    """The study of a run; None where it has none."""
    found = store.meta().get(PAPER)
    return msgspec.convert(found, Kept) if found else None


def _measure(store: RunStore, kept: Kept, quiet: bool) -> int:
    began, before = time.monotonic(), float(store.meta().get(TOOK, 0.0))
    try:
        run_trials(store, [part.study for part in kept.paper.parts], quiet)
    finally:
        store.put_meta(TOOK, before + time.monotonic() - began)
    return show_paper(store, kept)


def show_paper(store: RunStore, kept: Kept) -> int:
    """Check every claim, write the pages, print the claims. The exit code: 2 where nothing could be measured."""
    found, reasons = results.results(store, kept.paper)
    checked = check(kept.paper.claims, found, lambda name: results.why_missing(reasons, kept.lacking, name))
    studies = {part.name: part.study for part in kept.paper.parts}
    trials = [record.trial for record in store.results()]
    all_places = [
        one for trial in trials for one in results.places(trial, studies[trial.levels.get(results.PART, "")])
    ]
    places = sorted({place.name: place for place in all_places}.values(), key=_order)
    own = kept.paper
    page = pages.Page(
        own.name, own.title, own.source, own.asked, own.stand_ins, checked, redrawn(own, found, places),
        kept.command, kept.quick, float(store.meta().get(TOOK, 0.0)), kept.lacking,
        [*store.notes(), *_not_evidence(store)], sorted(store.meta().get("environment", {}).items()),
    )  # fmt: skip
    pages.write(page, store.directory)
    print_claims(checked)
    click.echo(f"report: {store.directory / 'report.html'}")
    return 0 if found else 2


def show_redone(path: Path, folder: Path, found: Redone, command: str, began: float, quick: bool) -> int:
    """Write the page of a study with an instrument of its own, and print its claims; `began` is time.monotonic(). The exit code."""
    own = paper.texts(path)
    about = [*sorted(environment.environment().items()), *found.about]
    page = pages.Page(
        own.name, own.title, own.source, own.asked, own.stand_ins, found.checked, found.tables,
        command, quick, found.before_s + time.monotonic() - began, {}, found.notes, about,
    )  # fmt: skip
    pages.write(page, folder)
    print_claims(found.checked)
    click.echo(f"report: {folder / 'report.html'}")
    return 0


def print_claims(checked: list[Checked]) -> None:
    """Each claim: its verdict, our estimate, what was published; and how many there are of each."""
    for claim in checked:
        where = f" ({claim.where})" if claim.where else ""
        click.echo(f"{claim.verdict:<22} {claim.text}{where}")
        for told in (
            claim.reason,
            f"here: {', '.join(claim.figures)}" if claim.figures else "",
            f"published: {claim.published}",
            claim.note,
        ):
            if told:
                click.echo(f"{'':<22}   {told}")
    click.echo(f"\n{pages.scoreboard(checked)}")


def _not_evidence(store: RunStore) -> list[str]:
    reasons: dict[str, int] = {}
    records = store.results()
    for record in records:
        if record.result is not None and record.result.verdict.state != "valid":
            verdict = record.result.verdict
            text = f"{verdict.state}: {re.split('[:;]', verdict.reason)[0]}"
            reasons[text] = reasons.get(text, 0) + 1
    undone = sum(record.state != "done" for record in records)
    told = [f"{number} of {len(records)} trials {text}" for text, number in reasons.items()][:5]
    if any(text.startswith("invalid") for text in reasons):
        told.append("--resume measures invalid trials again")
    if stolen := worst_stolen_note(record.result for record in records):
        told.append(stolen)
    return [*told, *([f"{undone} of {len(records)} trials have not run"] if undone else [])]


def _order(place: results.Place) -> list[tuple[float, str]]:
    """By part and delivery, then by level with numbers counted."""
    words = [place.part, place.series, *place.levels.values()]
    pieces = (piece for one in words for piece in re.split(r"(\d+(?:\.\d+)?)", one))
    return [(float(piece), "") if piece[:1].isdigit() else (-1.0, piece) for piece in pieces]


def command_of(name: str, *flags: str) -> str:
    """The command that runs a study again."""
    return shlex.join(["wirelab", "reproduce", name, *flags])
