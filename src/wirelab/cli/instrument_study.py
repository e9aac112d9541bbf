"""`wirelab reproduce` for a study with its own instrument instead of trials over links."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from pathlib import Path

from wirelab.cli.published_study import command_of
from wirelab.cli.verdicts import show_instrument_result
from wirelab.model.errors import BadInput
from wirelab.model.suggestions import nearest
from wirelab.studies import study_file
from wirelab.studies.registry import Instrument, Reproduction, Request


def run_instrument(
    study: str, found: Reproduction, out: Path | None, request: Request, flags: Sequence[str]
) -> int:
    """Run the study on its instrument, write its page and print its claims. Raises BadInput.

    `flags` are the flags of trials that the user gave. Returns the exit code.
    """
    instrument, began = found.instrument, time.monotonic()
    assert instrument is not None
    _check(study, instrument, request, flags)
    quick = request.quick and instrument.has_quick
    name = study_file.texts(found.study).name
    folder = out or Path("runs", name + ("-quick" if quick else ""))
    result = instrument.run(found.study, folder, request)
    given = ["--quick"] if quick else []
    given += [f"--seed={request.seed}"] if request.seed is not None else []
    given += [f"--option={option}={value}" for option, value in request.options.items()]
    command = command_of(study, *given)
    resumable = "--extra-replicates" in instrument.flags
    again = f"{command} -o {shlex.quote(str(folder))}" if resumable else ""
    return show_instrument_result(found.study, folder, result, command, again, began, quick)


def _check(study: str, instrument: Instrument, request: Request, flags: Sequence[str]) -> None:
    refused = [flag for flag in flags if flag not in instrument.flags]
    if refused:
        raise BadInput(
            f"{study}: {', '.join(refused)}",
            "not supported: this study has an instrument of its own, not a matrix of trials over links",
            "leave it out",
        )
    for name in request.options:
        if name not in instrument.options:
            raise BadInput(f"option '{name}'", f"not supported by {study}", nearest(name, instrument.options))
