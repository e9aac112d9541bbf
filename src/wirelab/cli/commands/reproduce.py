"""`wirelab reproduce`: run a published study again and check its claims."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from wirelab.cli.grouped_help import OUTPUT, RUN
from wirelab.cli.options import engine_options, grouped_command, option, quiet_option
from wirelab.cli.study_options import absolute, as_flags, every_protocol, settings, study_options


@grouped_command("reproduce")
@click.argument("study", required=False)
@study_options(without=("payload", "name", "options", "precision", "time_budget"), defaults=False)
@option(
    "--quick",
    group=RUN,
    is_flag=True,
    help="Fewer levels, messages and replicates: minutes, wider intervals.",
)
@option(
    "--spacing",
    group=RUN,
    default="",
    metavar="NAME",
    help="A spacing of messages that the study names, such as published.",
)
@option(
    "-o",
    "--out",
    group=OUTPUT,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Run directory. [default: runs/STUDY]",
)
@option("--resume", group=RUN, is_flag=True, help="Continue the run in that directory.")
@option(
    "--extra-replicates",
    group=RUN,
    metavar="N",
    type=click.IntRange(min=1),
    help="Continue that run: measure this many more replicates for each inconclusive claim.",
)
@option(
    "--dry-run", group=RUN, is_flag=True, help="Print the trials and how long they take; measure nothing."
)
@option(
    "--option",
    "options",
    group=RUN,
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of this study's own instrument.",
)
@quiet_option
@engine_options
def command(
    study: str | None,
    quick: bool,
    spacing: str,
    given: dict[str, Any],
    out: Path | None,
    resume: bool,
    extra_replicates: int | None,
    dry_run: bool,
    options: tuple[str, ...],
    quiet: bool,
) -> int:
    """Run a published study again and give the verdict of each of its claims.

    STUDY is the name of a registered study, or a study file with claims
    (docs/reference/study-file.md).
    Without STUDY, the registered studies are listed.
    """
    from wirelab.cli.instrument_study import run_instrument
    from wirelab.cli.published_study import command_of, list_studies, resume_paper, start_paper
    from wirelab.model.errors import BadInput
    from wirelab.studies import study_file
    from wirelab.studies.registry import Request, find

    if study is None:
        return list_studies()
    found, own = find(study), settings(options, "option")
    if found.instrument is not None:
        trials = {
            "--dry-run": dry_run,
            "--spacing": bool(spacing),
            "--resume": resume,
            "--extra-replicates": extra_replicates is not None,
        }
        trials |= dict.fromkeys((word.partition("=")[0] for word in as_flags(given)), True)
        seed = given.get("seed")
        request = Request(quick, resume, extra_replicates or 0, seed, own, _progress(quiet))
        return run_instrument(study, found, out, request, [flag for flag, given in trials.items() if given])
    if own:
        raise BadInput(f"option '{next(iter(own))}'", f"{study} has no options", "leave it out")
    over = absolute(every_protocol(given))
    flags = [*(["--quick"] if quick else []), *([f"--spacing={spacing}"] if spacing else [])]
    flags += as_flags(over)
    if dry_run and (resume or extra_replicates):
        raise BadInput("--dry-run", "the run in that directory is planned already", "leave --dry-run out")
    if resume or extra_replicates:
        name = (
            study_file.texts(found.study).name
            + ("-quick" if quick else "")
            + (f"-{spacing}" if spacing else "")
        )
        return resume_paper(out or Path("runs", name), quiet, extra_replicates or 0)
    return start_paper(found.study, out, dry_run, quiet, command_of(study, *flags), quick, spacing, over)


def _progress(quiet: bool) -> Callable[[str], None]:
    return (lambda _: None) if quiet else (lambda line: click.echo(line, err=True))
