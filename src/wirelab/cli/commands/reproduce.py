"""`wirelab reproduce`: run a published study again and check its claims."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from wirelab.cli.former_flags import WithFormerFlags
from wirelab.cli.options import engine_options, quiet_option


class Reproduce(WithFormerFlags):
    """The command with its flags' former names."""

    former = {  # noqa: RUF012
        "--pace": "--spacing",
        "--more": "--extra-replicates",
        "--plan": "--dry-run",
        "--mpack-dir": "--option mpack_dir=",
        "--arduinojson-dir": "--option arduinojson_dir=",
    }


@click.command("reproduce", cls=Reproduce)
@click.argument("study", required=False)
@click.option(
    "--quick", is_flag=True, help="Fewer levels, messages and replicates: minutes, wider intervals."
)
@click.option("--spacing", default="", help="A spacing of messages that the study names, such as published.")
@click.option(
    "--seed",
    type=int,
    help="Other draws: of the losses, the places in traces, the order. [default: the study's]",
)
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Run directory. [default: runs/STUDY]")
@click.option("--resume", is_flag=True, help="Continue the run in that directory.")
@click.option(
    "--extra-replicates",
    type=click.IntRange(min=1),
    help="Continue that run: measure so many more replicates for each inconclusive claim.",
)
@click.option("--dry-run", is_flag=True, help="Print the trials and how long they take; measure nothing.")
@click.option(
    "--option",
    "options",
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
    seed: int | None,
    out: Path | None,
    resume: bool,
    extra_replicates: int | None,
    dry_run: bool,
    options: tuple[str, ...],
    quiet: bool,
) -> int:
    """Run a published study again and give the verdict of each of its claims.

    STUDY is the name of a registered study, or a study file with claims (docs/reference/study-file.md).
    Without STUDY, the registered studies are listed.
    """
    from wirelab.cli.instrument_study import run_instrument
    from wirelab.cli.published_study import command_of, list_studies, resume_paper, start_paper
    from wirelab.model.errors import BadInput
    from wirelab.studies import study_file
    from wirelab.studies.registry import Request, find

    if study is None:
        return list_studies()
    found, own = find(study), _named(options)
    if found.instrument is not None:
        trials = {
            "--dry-run": dry_run,
            "--spacing": bool(spacing),
            "--seed": seed is not None,
            "--resume": resume,
            "--extra-replicates": extra_replicates is not None,
        }
        request = Request(quick, resume, extra_replicates or 0, seed, own, _progress(quiet))
        return run_instrument(study, found, out, request, [flag for flag, given in trials.items() if given])
    if own:
        raise BadInput(f"option '{next(iter(own))}'", f"{study} has no options", "leave it out")
    flags = [*(["--quick"] if quick else []), *([f"--spacing={spacing}"] if spacing else [])]
    flags += [f"--seed={seed}"] if seed is not None else []
    if dry_run and (resume or extra_replicates):
        raise BadInput("--dry-run", "the run in that directory is planned already", "leave --dry-run out")
    if resume or extra_replicates:
        name = (
            study_file.texts(found.study).name
            + ("-quick" if quick else "")
            + (f"-{spacing}" if spacing else "")
        )
        return resume_paper(out or Path("runs", name), quiet, extra_replicates or 0)
    return start_paper(found.study, out, dry_run, quiet, command_of(study, *flags), quick, spacing, seed)


def _named(options: tuple[str, ...]) -> dict[str, str]:
    """`NAME=VALUE` texts as a table. Raises BadInput."""
    from wirelab.model.errors import BadInput

    found = {}
    for text in options:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise BadInput(f"option '{text}'", "not a name and a value", "write it like --option NAME=VALUE")
        found[name] = value
    return found


def _progress(quiet: bool) -> Callable[[str], None]:
    return (lambda _: None) if quiet else (lambda line: click.echo(line, err=True))
