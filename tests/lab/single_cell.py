"""One trial, measured by a cell in its own lab."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from wirelab.lab.outcome import Outcome
from wirelab.lab.spec import lab_spec
from wirelab.model.trial import Trial
from wirelab.system.binaries import find


def outcome_of(trial: Trial, folder: Path, late_ns: int = 0) -> Outcome:
    """The outcome of the trial, started `late_ns` after it could."""
    (outcome,) = outcomes_of([trial], [folder], late_ns)
    return outcome


def outcomes_of(trials: Sequence[Trial], folders: Sequence[Path], late_ns: int = 0) -> list[Outcome]:
    """The outcomes of a chain of trials on one server."""
    for trial, folder in zip(trials, folders, strict=True):
        (folder / "trial.json").write_bytes(msgspec.json.encode(trial))
    spec = folders[0] / "lab.json"
    spec.write_text(json.dumps(lab_spec(trials[0], folders[0])))
    cell = [sys.executable, "-m", "wirelab.lab.cell", *map(str, folders)]
    subprocess.run(
        [find("wirelab-link"), "lab", str(spec), "--", *cell],
        input=f"go {late_ns}\n".encode() * len(trials),
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=60,
    )
    return [msgspec.json.decode((folder / "outcome.json").read_bytes(), type=Outcome) for folder in folders]
