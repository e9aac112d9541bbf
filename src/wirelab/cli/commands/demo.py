"""`wirelab demo`: a ranked answer for a shipped payload."""

from __future__ import annotations

import datetime
from pathlib import Path

from msgspec.structs import replace

from wirelab.cli.options import RunOptions, grouped_command, run_options

PAYLOAD = "vehicle-status.jsonl"
STUDY = {
    "name": "demo",
    "format": ["json", "protobuf", "flatbuffers"],
    "link": ["lte-drive"],
    "rate": ["10/s"],
    "replicates": 4,
    "thresholds": ["loss=0", "p99<1s"],
}


@grouped_command("demo")
@run_options
def command(run: RunOptions) -> int:
    """Measure and rank formats and protocols for a shipped payload over an LTE link.

    The report is in runs/demo, or in another directory where that exists.
    """
    from wirelab.cli.pipeline import resume_run, start_run
    from wirelab.studies.toml_reader import from_table
    from wirelab.system.data_root import data_root

    if run.resume is not None:
        return resume_run(run.resume, run.view, run.quiet)
    study = from_table({"payload": str(data_root() / "examples" / PAYLOAD), **STUDY}, "demo")
    return start_run(study, replace(run, out=run.out or _directory()))


def _directory() -> Path:
    """A run is never overwritten: the second demo has a directory of its own."""
    first = Path("runs", "demo")
    return Path("runs", f"demo-{datetime.datetime.now():%Y%m%d-%H%M%S}") if first.exists() else first
