"""`wirelab run`: a study file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wirelab.cli.options import RunOptions, grouped_command, run_options
from wirelab.cli.study_options import absolute, as_flags, every_protocol, study_options
from wirelab.model.errors import BadInput


@grouped_command("run")
@click.argument("study_file", required=False, type=click.Path(path_type=Path))
@study_options(without=("name",), defaults=False)
@run_options
def command(study_file: Path | None, given: dict[str, Any], run: RunOptions) -> int:
    """Run a study file (TOML, docs/reference/study-file.md) and check its claims.

    Flags win over the file's keys, in every part of the file.

    \b
    wirelab run study.toml --seed 2 --replicates 3 --link ideal
    """
    from wirelab.cli.pipeline import resume_run, start_run
    from wirelab.cli.published_study import command_of, start_paper
    from wirelab.studies.toml_reader import load, read_table

    if run.resume is not None:
        return resume_run(run.resume, run.view, run.quiet)
    if study_file is None:
        raise BadInput("run", "no study file", "give a TOML file, or --resume DIR")
    over = absolute(every_protocol(given))
    if {"part", "claim"} & set(read_table(study_file)):
        again = command_of(str(study_file), *as_flags(over))
        return start_paper(study_file, run.out, run.dry_run, run.quiet, again, quick=False, over=over)
    return start_run(load(study_file, over), run)
