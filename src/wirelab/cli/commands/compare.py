"""`wirelab compare`: from a payload and a link to a ranked answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wirelab.cli.options import RunOptions, grouped_command, run_options
from wirelab.cli.study_options import every_protocol, study_options
from wirelab.model.errors import BadInput


@grouped_command("compare")
@click.argument("payload", required=False, type=click.Path(path_type=Path))
@study_options(without=("payload",))
@run_options
def command(payload: Path | None, given: dict[str, Any], run: RunOptions) -> int:
    """Measure and rank formats, protocols and QoS for the messages in PAYLOAD.

    PAYLOAD is a file of JSON Lines, JSON, CBOR, CSV ..., a directory, an archive, or - for standard
    input.

    \b
    wirelab compare sample.json --link lte-drive --threshold loss=0 --threshold 'p99<500ms'
    wirelab compare sample.json --link rate=2Mbit/s,rtt=80ms --loss 0,1%,5%
    """
    from wirelab.cli.pipeline import resume_run, start_run
    from wirelab.studies.toml_reader import from_table
    from wirelab.workloads.services import brings_messages

    if run.resume is not None:
        return resume_run(run.resume, run.view, run.quiet)
    service = given.get("service", "")
    if not brings_messages(service) and (payload is None) == (not given.get("size")):
        why = "no payload" if payload is None else "both a payload and --size"
        raise BadInput("compare", why, "give a file of messages, or --size, or --resume DIR")
    name = payload.stem if payload is not None else service or "sizes"
    study = from_table({"name": name, "payload": str(payload or ""), **every_protocol(given)}, "compare")
    return start_run(study, run)
