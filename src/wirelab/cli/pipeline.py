"""The steps of `compare`, `run` and `report` for a study: prepare, measure, answer, show."""

from __future__ import annotations

import datetime
import itertools
import math
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec.structs import replace

from wirelab.advice.answer import DEVICE
from wirelab.advice.kinds import KINDS
from wirelab.advice.thresholds import parse_objectives
from wirelab.cli.engine import opened_engine
from wirelab.cli.options import RunOptions, engine_flags
from wirelab.cli.precision import measure_to_precision, stated_precision
from wirelab.cli.run_answer import answer_of
from wirelab.codecs.bench import measure_codecs
from wirelab.codecs.codec_table import codec_rows
from wirelab.codecs.extra_metrics import select_metrics
from wirelab.codecs.peer_packs import build_peer_packs, choose_peer_codecs
from wirelab.codecs.preview import preview_sizes
from wirelab.codecs.registry import left_out
from wirelab.codecs.wire_pack import wire_pack
from wirelab.engine.base import Engine
from wirelab.lab import environment
from wirelab.lab.link import CHECK_TIMEOUT_S, check_limit_s, link_facts
from wirelab.model.answer import Answer, LinkCheck, Status
from wirelab.model.kinds import Kinds
from wirelab.model.origin import ORIGIN
from wirelab.model.study import Study
from wirelab.model.trial import PayloadSpec, Trial
from wirelab.model.units import show_duration
from wirelab.report import csv, html, json, markdown, rendering, section, terminal
from wirelab.report.live_cells import measuring
from wirelab.report.progress import progress
from wirelab.schema import text
from wirelab.store.run import RunStore
from wirelab.studies.connect_limit import too_slow
from wirelab.studies.default_rate import stated_rates
from wirelab.studies.device import check_device, measure_device
from wirelab.studies.execution import execute
from wirelab.studies.message_batches import sizes, stated_batches
from wirelab.studies.message_count import check_measured
from wirelab.studies.plan import link_texts, trials
from wirelab.studies.preparation import check_study, plan, plan_sizes, read_subject, ready_made
from wirelab.studies.rare_outages import stated_outages
from wirelab.studies.time_left import estimate_s

# Processes that time the codecs in a comparison; `wirelab codecs` uses more.
CODEC_REPLICATES = 3
# A link check is mostly idle.
CHECKS_AT_ONCE = 4


def start_run(study: Study, run: RunOptions) -> int:
    """Prepare a study, then measure it and show the answer. The exit code."""
    check_device(study)
    study = check_study(study)
    if ready_made(study):
        return _start_sizes(study, run)
    select_metrics(study.compress, study.batch_size, study.memory, study.call_latency)
    subject = read_subject(study)
    notes = () if study.format else left_out(subject.schema)
    codecs = choose_peer_codecs(subject.schema, study.format, study.language)
    study = replace(study, format=codecs)
    # Plan once without the pack, so that errors appear before minutes of compiling.
    sketch = trials(study, study.format, PayloadSpec("", "", "", ""), subject.message_bytes)
    if not run.quiet:
        click.echo(
            terminal.preview_text(preview_sizes(subject.corpus.messages, subject.schema, codecs)), err=True
        )
    stated = _state_plan(study, sketch, run.quiet)
    if run.dry_run:
        return show_plan(sketch, study.replicates, f"{len(subject.corpus.messages)} messages")
    directory = _directory(run, study)
    with progress("compiling the codecs for this schema", run.quiet) as bar:
        built = build_peer_packs(subject.schema, codecs, study.language, bar.tell)
    planned = plan(study, subject, directory, built.codecs)
    seen = environment.environment()
    meta = {**about_run(built.toolchain), "pack": built.path} | (
        {KINDS: subject.kinds} if subject.kinds else {}
    )
    with RunStore.create(directory, study, planned, meta) as store, report_interruption(store):
        for note in (*environment.warnings(seen), *subject.notes, *notes, *stated):
            store.note(note)
        return _measure(store, study, run.view, run.quiet)


def _start_sizes(study: Study, run: RunOptions) -> int:
    """The description of generated messages, which have no schema and no codecs."""
    sketch = trials(study, (), PayloadSpec("", "", "", ""))
    stated = _state_plan(study, sketch, run.quiet)
    if run.dry_run:
        return show_plan(sketch, study.replicates, f"messages of {', '.join(study.size) or study.service}")
    directory = _directory(run, study)
    planned = plan_sizes(study, directory)
    with RunStore.create(directory, study, planned, about_run()) as store, report_interruption(store):
        for note in stated:
            store.note(note)
        return _measure(store, study, run.view, run.quiet)


def _state_plan(study: Study, sketch: Sequence[Trial], quiet: bool) -> list[str]:
    """Say what a reader must know of the plan. Returns what of it holds for the finished run too."""
    stated = [
        *stated_rates(study, sketch),
        *stated_batches(study, sketch),
        *too_slow(sketch),
        *stated_outages(study),
    ]
    say_lines([*stated, *stated_precision(study, sketch)], quiet)
    return stated


def say_lines(lines: Sequence[str], quiet: bool) -> None:
    """Print lines about the run before it starts."""
    for line in () if quiet else lines:
        click.echo(line, err=True)


def _directory(run: RunOptions, study: Study) -> Path:
    return run.out or Path("runs", f"{datetime.datetime.now():%Y%m%d-%H%M%S}-{study.name}")


def about_run(compiler: str = "") -> dict[str, object]:
    """The metadata of a run for its store: when, where and how it was started."""
    return {
        ORIGIN: environment.origin(compiler),
        "environment": environment.environment(),
        "command": shlex.join(["wirelab", *sys.argv[1:]]),
    }


def resume_run(directory: Path, view: str, quiet: bool) -> int:
    """Continue a run. The exit code."""
    with RunStore.open(directory, write=True) as store, report_interruption(store):
        study = msgspec.convert(store.meta()["study"], Study)
        first = store.results()[0].trial.payload
        with progress("compiling the codecs for this schema", quiet or not first.pack):
            if first.pack:
                built = build_peer_packs(text.read(first.schema), _codecs(store), study.language)
                for pack, method, batch in itertools.product(built.packs, study.compression, sizes(study)):
                    wire_pack(pack, method, batch)
        return _measure(store, study, view, quiet)


def show(
    store: RunStore,
    view: str,
    thresholds: tuple[str, ...] = (),
    rank_by: tuple[str, ...] = (),
    rank_floors: bool = False,
) -> int:
    """Write every view of a run beside its store and print one. The exit code: 0 all thresholds
    pass or there are none, 1 one does not, 2 no valid trial."""
    study = msgspec.convert(store.meta()["study"], Study)
    asked = replace(
        study,
        thresholds=thresholds or study.thresholds,
        rank_by=rank_by or study.rank_by,
        rank_floors=rank_floors or study.rank_floors,
    )
    found = answer_of(store, asked)
    if thresholds or rank_by:
        check_measured(found)
    html.write_html(found, store, store.directory / "report.html")
    rendering.put(store.directory / "report.md", markdown.text(found))
    rendering.put(store.directory / "report.csv", csv.text(found))
    rendering.put(store.directory / "report.json", json.text(found, store))
    for name, table in section.tables(found, store).items():
        rendering.put(store.directory / f"report-{name}.csv", table)
    if view == "text":
        terminal.print_answer(found)
        click.echo(f"\nreport: {store.directory / 'report.html'}")
    else:
        click.echo((store.directory / f"report.{view}").read_text(), nl=False)
    code = _exit_code(found)
    if code == 2:
        click.echo(f"wirelab: {_without_valid_trial(store)}", err=True)
    return code


def _without_valid_trial(store: RunStore) -> str:
    """Why a run has no valid trial, and the next step."""
    verdicts = [record.result.verdict for record in store.results() if record.result]
    reasons = dict.fromkeys(str(verdict) for verdict in verdicts)
    first = next(iter(reasons), "no trial has run")
    more = f" (and {len(reasons) - 1} other reasons)" if len(reasons) > 1 else ""
    logs = store.directory / "logs"
    step = (
        f"the logs are in {logs}"
        if logs.is_dir()
        else "run wirelab doctor to see what disturbs measurements here"
    )
    return f"nothing could be measured: {first}{more}; {step}"


def _exit_code(found: Answer) -> int:
    if not any(ranking.rows for ranking in found.rankings):
        return 2
    return 0 if found.status is Status.PASS else 1


def _measure(store: RunStore, study: Study, view: str, quiet: bool) -> int:
    measure_to_precision(store, study, lambda: run_trials(store, [study], quiet))
    return show(store, view)


def run_trials(store: RunStore, studies: Sequence[Study], quiet: bool) -> float:
    """Check the links, time the codecs of a single study, and run the planned trials.

    Returns the seconds of the trials.
    """
    with opened_engine() as engine:
        _check_links(store, studies, engine, quiet)
        if len(studies) == 1 and studies[0].payload:
            _time_codecs(store, studies[0], quiet)
            _measure_device(store, studies[0], quiet)
        (metric, *_) = parse_objectives(studies[0].rank_by)
        began = time.monotonic()
        with measuring(store.results(), store.samples, metric, quiet) as report:
            execute(store, engine, report)
        return time.monotonic() - began


@contextmanager
def report_interruption(store: RunStore, again: str = "wirelab compare --resume") -> Iterator[None]:
    """On Ctrl-C, print how many trials are kept, and the command that continues the run: `again`
    and its directory.
    """
    try:
        yield
    except KeyboardInterrupt:
        counts = store.counts()
        click.echo(
            f"interrupted: {counts['done']} of {sum(counts.values())} trials are kept; "
            f"continue with: {again} {shlex.quote(str(store.directory))}{engine_flags()}",
            err=True,
        )
        raise click.exceptions.Exit(130) from None


def _check_links(store: RunStore, studies: Sequence[Study], engine: Engine, quiet: bool) -> None:
    known = {check.link for check in store.link_checks()}
    lab = [study for study in studies if not study.placement]
    wanted = {text: study.seed for study in lab for text in link_texts(study) if text not in known}
    if not wanted:
        return
    longest_s = max(map(check_limit_s, map(link_facts, wanted)))
    slow = f", up to {show_duration(longest_s * 1e9)}" if longest_s > 2 * CHECK_TIMEOUT_S else ""
    with (
        progress(f"checking the link{slow}", quiet, total=len(wanted)) as bar,
        ThreadPoolExecutor(CHECKS_AT_ONCE) as pool,
    ):
        seen = pool.map(lambda pair: _check_link(engine, *pair), wanted.items())
        for done, (text, (figures, notes)) in enumerate(zip(wanted, seen, strict=True)):
            bar.update(done + 1)
            for note in notes:
                store.note(note)
            store.put_link_check(LinkCheck(text, bool(figures.get("ok")), figures))


def _check_link(engine: Engine, text: str, seed: int) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The check of a link; a failed one is done again, because a disturbance is often short."""
    figures, notes = engine.check_link(text, seed)
    return (figures, notes) if figures.get("ok") else engine.check_link(text, seed)


def _time_codecs(store: RunStore, study: Study, quiet: bool) -> None:
    if store.codecs():
        return
    records = store.results()
    payload = records[0].trial.payload
    with progress("timing the codecs", quiet) as bar:
        comparison = measure_codecs(
            payload.corpus,
            text.read(payload.schema),
            _codecs(store),
            CODEC_REPLICATES,
            study.seed,
            languages=study.language,
            progress=bar.tell,
            more=select_metrics(study.compress, study.batch_size, study.memory, study.call_latency),
            kinds=msgspec.convert(found, Kinds) if (found := store.meta().get(KINDS)) else None,
        )
    store.put_codecs(codec_rows(comparison))


def _codecs(store: RunStore) -> list[str]:
    return sorted({record.trial.payload.codec for record in store.results()})


def _measure_device(store: RunStore, study: Study, quiet: bool) -> None:
    if study.device and DEVICE not in store.meta():
        with progress(f"measuring codecs on {study.device}", quiet):
            store.put_meta(DEVICE, measure_device(study, store.results()[0].trial.payload))


def show_plan(planned: list[Trial], replicates: int, what: str) -> int:
    """Print the matrix and how long it takes. The exit code."""
    combinations = len({trial.id for trial in planned}) // replicates
    click.echo(f"{what}; {combinations} combinations x {replicates} replicates = {len(planned)} trials")
    for name in dict.fromkeys(name for trial in planned for name in trial.levels):
        values = dict.fromkeys(trial.levels[name] for trial in planned if name in trial.levels)
        click.echo(f"  {name:<10} {', '.join(sorted(values))}")
    if rates := {t.workload.rate_hz for t in planned if not {"rate", "utilization"} & t.levels.keys()}:
        shown = ("max" if hz is None else f"{hz:g}/s" for hz in sorted(rates, key=lambda hz: hz or math.inf))
        click.echo(f"  {'rate':<10} {', '.join(shown)}")
    seconds = estimate_s(planned)
    click.echo(
        f"about {show_duration(seconds * 1e9)} of measuring on an idle machine, after building the codecs; "
        "the time left is learned from the first trials"
    )
    return 0
