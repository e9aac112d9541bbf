"""A work unit, run on a node by the local engine in a temporary folder. Independent of Ray."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from wirelab.engine.executor import Executor
from wirelab.engine.local import TrialsStarted, run_trials
from wirelab.lab.outcome import Outcome
from wirelab.model.arrivals import Replay
from wirelab.model.link_text import parse_link_text
from wirelab.model.trial import Trial, Workload
from wirelab.store.sample_file import written_part
from wirelab.workloads.recordings import recording_paths

Inputs = dict[str, bytes]
"""Files that trials read, by their path on the driver."""

PREFIX = "wirelab-unit-"
_OWN = ("trial.json", "lab.json")


class Started(Struct, frozen=True):
    """These trials run from now on."""

    ids: tuple[str, ...]


class Finished(Struct, frozen=True):
    """A trial ended, with the files of its folder."""

    id: str
    outcome: Outcome
    files: dict[str, bytes]
    load: str


def read_inputs(trials: Iterable[Trial]) -> Inputs:
    """The files of these trials: payload, schema, pack, traces of links and recorded arrivals."""
    paths = {path for trial in trials for path in _paths(trial)}
    return {path: Path(path).read_bytes() for path in sorted(paths)}


@contextmanager
def stage_inputs(trials: Sequence[Trial], inputs: Inputs) -> Iterator[tuple[list[Trial], Path]]:
    """The trials with the paths of this node, and a temporary folder that holds their input files."""
    _sweep()
    home = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    try:
        paths = _write_inputs(inputs, home)
        yield [_moved(trial, paths) for trial in trials], home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def run_unit(
    trials: Sequence[Trial], inputs: Inputs, executor: Executor
) -> Iterator[tuple[Started | Finished, ...]]:
    """Run trials here as the local engine does. No process and no file is left.

    Events that are yielded together wait for one answer. The end of a batch and the start of the
    next are yielded together, so that a node is idle once per batch.
    """
    with stage_inputs(trials, inputs) as (moved, home):
        last: tuple[Finished, ...] = ()
        for event in run_trials(moved, lambda trial: home / trial.id, executor):
            if isinstance(event, TrialsStarted):
                for trial in event.trials:
                    (home / trial.id).mkdir()
                yield (*last, Started(tuple(trial.id for trial in event.trials)))
                last = ()
                continue
            if last:
                yield last
            folder = home / event.trial.id
            last = (
                Finished(
                    event.trial.id, event.outcome, _collect_outputs(folder), f"{os.getloadavg()[0]:.2f}"
                ),
            )
            shutil.rmtree(folder, ignore_errors=True)
            if not event.more:
                yield last
                last = ()


def _paths(trial: Trial) -> list[str]:
    payload = trial.payload
    found = [payload.corpus, payload.schema, payload.pack]
    return [*(path for path in found if path and Path(path).is_file()), *recording_paths(trial)]


def _write_inputs(inputs: Inputs, home: Path) -> dict[str, str]:
    paths = {}
    for number, (path, content) in enumerate(inputs.items()):
        place = home / f"input-{number}" / Path(path).name
        place.parent.mkdir()
        place.write_bytes(content)
        paths[path] = str(place)
    return paths


def _moved(trial: Trial, paths: dict[str, str]) -> Trial:
    """The trial with the paths of this node."""
    payload, link = trial.payload, trial.link
    moved = replace(
        payload,
        corpus=paths.get(payload.corpus, payload.corpus),
        schema=paths.get(payload.schema, payload.schema),
        pack=paths.get(payload.pack, payload.pack),
    )
    return replace(
        trial,
        payload=moved,
        link=replace(
            link,
            text=str(parse_link_text(link.text).with_files(paths)),
            segment=str(parse_link_text(link.segment).with_files(paths)),
        ),
        workload=_moved_workload(trial.workload, paths),
    )


def _moved_workload(workload: Workload, paths: dict[str, str]) -> Workload:
    recording = workload.arrivals
    if not isinstance(recording, Replay):
        return workload
    return replace(workload, arrivals=Replay(paths.get(recording.path, recording.path)))


def _collect_outputs(folder: Path) -> dict[str, bytes]:
    return {p.name: _content(p) for p in sorted(folder.iterdir()) if p.is_file() and p.name not in _OWN}


def _content(path: Path) -> bytes:
    """The bytes of a file; of a sample file only the written records."""
    return written_part(path).tobytes() if path.suffix == ".samples" else path.read_bytes()


def _sweep() -> None:
    """Remove the files of units whose worker was killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        worker = folder.name.removeprefix(PREFIX).partition("-")[0]
        if worker.isdigit() and not Path("/proc", worker).exists():
            shutil.rmtree(folder, ignore_errors=True)
