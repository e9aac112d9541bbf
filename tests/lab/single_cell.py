"""One trial, measured by a cell in its own lab."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import msgspec

from wirelab.lab.outcome import Outcome
from wirelab.lab.spec import lab_spec
from wirelab.model.trial import Trial
from wirelab.system.binaries import find


def outcome_of(trial: Trial, folder: Path, late_ns: int = 0) -> Outcome:
    """The outcome of the trial, started `late_ns` after it could."""
    (folder / "trial.json").write_bytes(msgspec.json.encode(trial))
    (folder / "lab.json").write_text(json.dumps(lab_spec(trial, folder)))
    cell = [sys.executable, "-m", "wirelab.lab.cell", str(folder)]
    subprocess.run(
        [find("wirelab-link"), "lab", str(folder / "lab.json"), "--", *cell],
        input=f"go {late_ns}\n".encode(),
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=60,
    )
    return msgspec.json.decode((folder / "outcome.json").read_bytes(), type=Outcome)
