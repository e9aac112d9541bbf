"""`wirelab reproduce`: a published study, run again, claim by claim."""

from __future__ import annotations

from pathlib import Path

import click

from wirelab.cli.options import engine_options, quiet_option


@click.command("reproduce")
@click.argument("study")
@click.option(
    "--quick", is_flag=True, help="Fewer levels, messages and replicates: minutes, wider intervals."
)
@click.option("--pace", default="", help="A pace the study names; paper: messages as far apart as published.")
@click.option(
    "--seed",
    type=int,
    help="In place of the study's own: other places in traces, other losses, another order.",
)
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Run directory [default: runs/STUDY].")
@click.option("--resume", is_flag=True, help="Go on with the run in that directory.")
@click.option(
    "--more",
    type=click.IntRange(min=1),
    help="Go on with the run in that directory: so many more replicates of what claims left open compare.",
)
@click.option("--plan", is_flag=True, help="Print the matrix and how long it will take; measure nothing.")
@click.option("--mpack-dir", type=click.Path(path_type=Path), help="Sources of MPack (friesel2021).")
@click.option(
    "--arduinojson-dir", type=click.Path(path_type=Path), help="Sources of ArduinoJson (friesel2021)."
)
@quiet_option
@engine_options
def command(
    study: str,
    quick: bool,
    pace: str,
    seed: int | None,
    out: Path | None,
    resume: bool,
    more: int | None,
    plan: bool,
    mpack_dir: Path | None,
    arduinojson_dir: Path | None,
    quiet: bool,
) -> int:
    """Run a published study again and say of each claim: holds, does not hold, cannot be tested here.

    STUDY is the name of one that comes along (friesel2021, proos2020 ...), or a study file with claims (docs/reference/study-file.md).
    """
    from wirelab.cli.custom_studies import INSTRUMENTS, Wanted, redo
    from wirelab.cli.published_study import command_of, resume_paper, start_paper
    from wirelab.model.errors import BadInput
    from wirelab.studies.study_file import find

    path = find(study)
    if path.stem in INSTRUMENTS:
        trials = {
            "--plan": plan,
            "--pace": bool(pace),
            "--seed": seed is not None,
            "--resume": resume,
            "--more": more is not None,
        }
        wanted = Wanted(
            quick, resume, more or 0, quiet, seed, {"mpack": mpack_dir, "arduinojson": arduinojson_dir}
        )
        return redo(path, out, wanted, [flag for flag, given in trials.items() if given])
    flags = [*(["--quick"] if quick else []), *([f"--pace={pace}"] if pace else [])]
    flags += [f"--seed={seed}"] if seed is not None else []
    if plan and (resume or more):
        raise BadInput("--plan", "the run in that directory is planned already", "leave --plan out")
    if resume or more:
        name = path.stem + ("-quick" if quick else "") + (f"-{pace}" if pace else "")
        return resume_paper(out or Path("runs", name), quiet, more or 0)
    return start_paper(path, out, plan, quiet, command_of(study, *flags), quick, pace, seed)
