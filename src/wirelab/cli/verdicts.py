"""The verdicts of a run's claims: computed, printed, and written as pages."""

from __future__ import annotations

import re
import shlex
import time
from pathlib import Path

import click
import msgspec

from wirelab.lab import environment
from wirelab.model.errors import BadInput
from wirelab.model.origin import origin_of
from wirelab.model.result import worst_steal_note
from wirelab.model.trial import State
from wirelab.report import study as pages
from wirelab.report.replot import redraw
from wirelab.report.terminal import plain_console, print_origin
from wirelab.store.run import RunStore
from wirelab.studies import results, study_file
from wirelab.studies.claims import Checked, Figure, check
from wirelab.studies.published_tables import InstrumentResult
from wirelab.studies.study_file import Paper

PAPER = "paper"
# Seconds of measuring, summed over all sessions of a resumed run.
TOOK = "took_s"
# How often each claim was inconclusive and got more replicates.
LOOKS = "looks"
# How many trials were added for inconclusive claims.
ADDED = "added trials"
# How many rounds of extra replicates the study's time budget has had.
TURNS = "turns"
AGAIN = "; --resume measures them again"
# The number of extra replicates that the output proposes.
MORE = 5


class StudyRecord(msgspec.Struct, frozen=True):
    """The record of a study in its run: the file as read, missing software, and the command."""

    paper: Paper
    lacking: dict[str, str]
    command: str
    quick: bool


def study_record(store: RunStore) -> StudyRecord | None:
    """The study of a run, if it has one. Raises BadInput for one that an older wirelab wrote."""
    found = store.meta().get(PAPER)
    try:
        return msgspec.convert(found, StudyRecord) if found else None
    except msgspec.ValidationError:
        step = "run the study again"
        raise BadInput(f"run {store.directory}", "written by an older wirelab", step) from None


def show_paper(store: RunStore, kept: StudyRecord) -> int:
    """Check every claim, write the pages, print the claims.

    Returns the exit code: 2 if nothing could be measured.
    """
    checked, found = checked_claims(store, kept)
    trials = [record.trial for record in store.results()]
    all_places = [one for trial in trials for one in results.places_in(kept.paper, trial)]
    places = sorted({place.name: place for place in all_places}.values(), key=_order)
    own = kept.paper
    notes = [*store.notes(), *not_evidence(store)]
    page = pages.Page(
        own.name, own.title, own.source, own.question, own.deviations, checked, redraw(own, found, places),
        kept.command, kept.quick, float(store.meta().get(TOOK, 0.0)), kept.lacking,
        notes, sorted(store.meta().get("environment", {}).items()), origin_of(store.meta()),
    )  # fmt: skip
    pages.write(page, store.directory)
    print_claims(checked, notes, f"{kept.command} -o {shlex.quote(str(store.directory))}")
    print_origin(page.origin, plain_console())
    click.echo(f"report: {store.directory / 'report.html'}")
    return 0 if found else 2


def checked_claims(store: RunStore, kept: StudyRecord) -> tuple[list[Checked], dict[str, Figure]]:
    """Every claim's verdict, and all figures by name."""
    found, reasons = results.results(store, kept.paper)

    def missing(name: str) -> str:
        return results.why_missing(reasons, kept.lacking, name)

    return check(kept.paper.claims, found, missing, look_counts(store)), found


def look_counts(store: RunStore) -> dict[str, int]:
    """By claim text: how often it was inconclusive and got more replicates."""
    return msgspec.convert(store.meta().get(LOOKS, {}), dict[str, int])


def show_instrument_result(
    path: Path, folder: Path, found: InstrumentResult, command: str, again: str, began: float, quick: bool
) -> int:
    """Write the page of a study with its own instrument, and print its claims.

    `began` is of time.monotonic(). `again` is the command that continues the run, or "".
    Returns the exit code.
    """
    own = study_file.texts(path)
    about = [*sorted(environment.environment().items()), *found.about]
    origin = environment.origin()
    page = pages.Page(
        own.name, own.title, own.source, own.question, own.deviations, found.checked, found.tables,
        command, quick, found.before_s + time.monotonic() - began, {}, found.notes, about, origin,
    )  # fmt: skip
    pages.write(page, folder)
    print_claims(found.checked, found.notes, again)
    print_origin(origin, plain_console())
    click.echo(f"report: {folder / 'report.html'}")
    return 0


def print_claims(checked: list[Checked], notes: list[str], again: str) -> None:
    """Print each claim with its verdict, our estimate and the published value; the score; warnings.

    `again` is the command that adds replicates to inconclusive claims, or "".
    """
    for claim in checked:
        where = f" ({claim.locator})" if claim.locator else ""
        click.echo(f"{claim.verdict:<14} {claim.text}{where}")
        for told in (
            claim.reason,
            f"here: {', '.join(claim.figures)}" if claim.figures else "",
            f"published: {claim.published}",
            claim.note,
        ):
            if told:
                click.echo(f"{'':<14}   {told}")
    click.echo(f"\n{pages.scoreboard(checked)}")
    if notes:
        click.echo("\n".join(["", "Warnings:", *(f" - {note}" for note in notes), ""]))
    undecided = sum(bool(claim.open) for claim in checked)
    if undecided and again:
        click.echo(f"{undecided} claims are inconclusive; add replicates: {again} --extra-replicates {MORE}")


def not_evidence(store: RunStore) -> list[str]:
    """The number of invalid trials with reasons, steal time, and the number of trials that have not
    run.
    """
    reasons: dict[tuple[State, str], int] = {}
    records = store.results()
    for record in records:
        if record.result is not None and record.result.verdict.state is not State.VALID:
            verdict = record.result.verdict
            key = verdict.state, verdict.reason.title if verdict.reason else ""
            reasons[key] = reasons.get(key, 0) + 1
    undone = sum(record.state != "done" for record in records)
    told = [
        f"{number} of {len(records)} trials {state}: {title}{AGAIN if state is State.INVALID else ''}"
        for (state, title), number in reasons.items()
    ][:5]
    if stolen := worst_steal_note(record.result for record in records):
        told.append(stolen)
    return [*told, *([f"{undone} of {len(records)} trials have not run"] if undone else [])]


def _order(place: results.Place) -> list[tuple[float, str]]:
    """By part and delivery, then by level with numbers counted."""
    words = [place.part, place.series, *place.levels.values()]
    pieces = (piece for one in words for piece in re.split(r"(\d+(?:\.\d+)?)", one))
    return [(float(piece), "") if piece[:1].isdigit() else (-1.0, piece) for piece in pieces]
