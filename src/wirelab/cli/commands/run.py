"""`wirelab run`: a study file."""

from __future__ import annotations

from pathlib import Path

import click

from wirelab.cli.options import run_options
from wirelab.model.errors import BadInput


@click.command("run")
@click.argument("study_file", required=False, type=click.Path(path_type=Path))
@run_options
def command(
    study_file: Path | None, out: Path | None, resume: Path | None, plan: bool, view: str, quiet: bool
) -> int:
    """Run a study file (TOML): factors x levels x replicates; its claims are checked. See docs/reference/study-file.md."""
    from wirelab.cli.pipeline import resume_run, start_run
    from wirelab.cli.published_study import command_of, start_paper
    from wirelab.studies.toml_reader import load, read_table

    if resume is not None:
        return resume_run(resume, view, quiet)
    if study_file is None:
        raise BadInput("run", "no study file", "give a TOML file, or --resume a run")
    if {"part", "claim"} & set(read_table(study_file)):
        return start_paper(study_file, out, plan, quiet, command_of(str(study_file)), quick=False)
    return start_run(load(study_file), out, plan, view, quiet)
