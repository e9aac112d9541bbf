"""What `reproduce` does for the studies that have an instrument of their own, in place of a matrix of trials over links."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from wirelab.studies.published_tables import Redone


@dataclass(frozen=True)
class Wanted:
    """What an instrument is given: the flags of `reproduce`, and the folders of libraries by name."""

    quick: bool
    resume: bool
    more: int
    quiet: bool
    seed: int | None
    libraries: dict[str, Path | None]

    def tell(self) -> Callable[[str], None] | None:
        """Where lines of progress go."""
        return None if self.quiet else lambda line: click.echo(line, err=True)


@dataclass(frozen=True)
class Instrument:
    """`measure` writes into a folder and gives what it came to. `trial_flags` are those options of trials that it takes."""

    measure: Callable[[Path, Wanted], Redone]
    trial_flags: tuple[str, ...] = ()
    has_quick: bool = True


def _devices(folder: Path, wanted: Wanted) -> Redone:
    """Measures microcontrollers."""
    from wirelab.devices import libraries
    from wirelab.studies.friesel import reproduce_friesel

    found = libraries.find({"nanopb": None, "tinycbor": None, **wanted.libraries})
    return reproduce_friesel(folder, found)


def _formats_in_java(folder: Path, wanted: Wanted) -> Redone:
    """Measures formats and actors in Java."""
    from wirelab.studies.maltsev import reproduce_maltsev

    resume = wanted.resume or wanted.more > 0
    return reproduce_maltsev(folder, wanted.quick, resume, wanted.seed, wanted.more, wanted.tell())


def _formats_in_cpp(folder: Path, wanted: Wanted) -> Redone:
    """Measures formats in C++."""
    from wirelab.studies.proos import reproduce_proos

    repeats, seconds = (3, 0.03) if wanted.quick else (5, 0.1)
    return reproduce_proos(folder, repeats, seconds, wanted.seed, wanted.tell())


INSTRUMENTS = {
    "friesel2021": Instrument(_devices, has_quick=False),
    "maltsev2024": Instrument(_formats_in_java, trial_flags=("--resume", "--more", "--seed")),
    "proos2020-serialization": Instrument(_formats_in_cpp, trial_flags=("--seed",)),
}


def redo(path: Path, out: Path | None, wanted: Wanted, trial_flags: list[str]) -> int:
    """Run the study of that file on its instrument, given these options of trials. The exit code. Raises BadInput."""
    from wirelab.cli.published_study import command_of
    from wirelab.cli.verdicts import show_redone

    instrument, began = INSTRUMENTS[path.stem], time.monotonic()
    _refuse(path.stem, [flag for flag in trial_flags if flag not in instrument.trial_flags])
    quick = wanted.quick and instrument.has_quick
    folder = out or Path("runs", path.stem + ("-quick" if quick else ""))
    found = instrument.measure(folder, wanted)
    flags = ["--quick"] if quick else []
    flags += [f"--seed={wanted.seed}"] if wanted.seed is not None else []
    for name, given in wanted.libraries.items():
        flags += [f"--{name}-dir", "DIR"] if given is not None else []
    command = command_of(path.stem, *flags)
    again = f"{command} -o {shlex.quote(str(folder))}" if "--more" in instrument.trial_flags else ""
    return show_redone(path, folder, found, command, again, began, quick)


def _refuse(name: str, flags: list[str]) -> None:
    from wirelab.model.errors import BadInput

    if flags:
        raise BadInput(
            f"{name}: {', '.join(flags)}",
            "this study has an instrument of its own, no matrix of trials over links",
            "leave that out; docs/studies says what it measures and how long that takes",
        )
