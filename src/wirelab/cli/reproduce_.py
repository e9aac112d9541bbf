"""`wirelab reproduce`: a published study, run again, claim by claim."""

from __future__ import annotations

import time
from pathlib import Path

import click

from wirelab.cli.options import engine_options, quiet_option

# Studies with an instrument of their own, and the options of trials that they take.
INSTRUMENTS = {"friesel2021": (), "maltsev2024": ("--resume",), "proos2020-serialization": ()}


@click.command("reproduce")
@click.argument("study")
@click.option(
    "--quick", is_flag=True, help="Fewer levels, messages and replicates: minutes, wider intervals."
)
@click.option("--pace", default="", help="A pace the study names; paper: messages as far apart as published.")
@click.option("--seed", type=int, help="In place of the study's own: other places in traces, other losses.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Run directory [default: runs/STUDY].")
@click.option("--resume", is_flag=True, help="Go on with the run in that directory.")
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
    plan: bool,
    mpack_dir: Path | None,
    arduinojson_dir: Path | None,
    quiet: bool,
) -> int:
    """Run a published study again and say of each claim: holds, does not hold, cannot be tested here.

    STUDY is the name of one that comes along (friesel2021, proos2020 ...), or a study file with claims (docs/studies.md).
    """
    from wirelab.cli.papers import command_of, resume_paper, start_paper
    from wirelab.studies.paper import find

    path = find(study)
    if path.stem in INSTRUMENTS:
        lacks = {"--plan": plan, "--pace": bool(pace), "--seed": seed is not None, "--resume": resume}
        _refuse(
            path.stem, [flag for flag, given in lacks.items() if given and flag not in INSTRUMENTS[path.stem]]
        )
    if path.stem == "friesel2021":
        return _devices(path, out or Path("runs", path.stem), mpack_dir, arduinojson_dir)
    if path.stem == "maltsev2024":
        folder = out or Path("runs", path.stem + ("-quick" if quick else ""))
        return _formats(path, folder, quick, resume, quiet)
    if path.stem == "proos2020-serialization":
        return _formats_in_cpp(path, out or Path("runs", path.stem), quick, quiet)
    flags = [*(["--quick"] if quick else []), *([f"--pace={pace}"] if pace else [])]
    flags += [f"--seed={seed}"] if seed is not None else []
    if resume:
        name = path.stem + ("-quick" if quick else "") + (f"-{pace}" if pace else "")
        return resume_paper(out or Path("runs", name), quiet)
    return start_paper(path, out, plan, quiet, command_of(study, *flags), quick, pace, seed)


def _refuse(name: str, flags: list[str]) -> None:
    from wirelab.model.errors import BadInput

    if flags:
        raise BadInput(
            f"{name}: {', '.join(flags)}",
            "this study has an instrument of its own, no matrix of trials over links",
            "leave that out; docs/studies says what it measures and how long that takes",
        )


def _devices(path: Path, folder: Path, mpack_dir: Path | None, arduinojson_dir: Path | None) -> int:
    """friesel2021 measures microcontrollers, not links."""
    from wirelab.cli.papers import command_of, show_redone
    from wirelab.devices import libraries
    from wirelab.studies.friesel import reproduce_friesel

    began = time.monotonic()
    found = libraries.find(
        {"nanopb": None, "tinycbor": None, "mpack": mpack_dir, "arduinojson": arduinojson_dir}
    )
    given = [("--mpack-dir", mpack_dir), ("--arduinojson-dir", arduinojson_dir)]
    flags = [word for flag, given_dir in given if given_dir is not None for word in (flag, "DIR")]
    again = command_of(path.stem, *flags)
    return show_redone(path, folder, reproduce_friesel(folder, found), again, began, quick=False)


def _formats(path: Path, folder: Path, quick: bool, resume: bool, quiet: bool) -> int:
    """maltsev2024 measures formats and actors in Java."""
    from wirelab.cli.papers import command_of, show_redone
    from wirelab.studies.maltsev import reproduce_maltsev

    began, flags = time.monotonic(), ["--quick"] if quick else []
    tell = None if quiet else lambda line: click.echo(line, err=True)
    redone = reproduce_maltsev(folder, quick, resume, tell)
    return show_redone(path, folder, redone, command_of(path.stem, *flags), began, quick)


def _formats_in_cpp(path: Path, folder: Path, quick: bool, quiet: bool) -> int:
    """The serialization part of proos2020 measures formats in C++, not links."""
    from wirelab.cli.papers import command_of, show_redone
    from wirelab.studies.proos import reproduce_proos

    began, flags = time.monotonic(), ["--quick"] if quick else []
    repeats, seconds = (3, 0.03) if quick else (5, 0.1)
    tell = None if quiet else lambda line: click.echo(line, err=True)
    redone = reproduce_proos(folder, repeats, seconds, tell)
    return show_redone(path, folder, redone, command_of(path.stem, *flags), began, quick)
