"""What runs on a node: a unit of trials, by the same local engine, in a folder that is gone afterwards. Knows nothing of Ray."""

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
from wirelab.engine.local import Begins, run_trials
from wirelab.lab.outcome import Outcome
from wirelab.model.arrivals import Replay
from wirelab.model.trial import Trial, Workload
from wirelab.store.sample_file import written_part

Freight = dict[str, bytes]
"""Files that trials read, by their path on the driver."""

PREFIX = "wirelab-unit-"
_OWN = ("trial.json", "lab.json")


class Begun(Struct, frozen=True):
    """These trials run from now on."""

    ids: tuple[str, ...]


class Ended(Struct, frozen=True):
    """A trial ended, with what it left in its folder."""

    id: str
    outcome: Outcome
    files: dict[str, bytes]
    load: str


def load_freight(trials: Iterable[Trial]) -> Freight:
    """The files of these trials: payload, schema, pack, and the recordings that link and arrivals name."""
    paths = {path for trial in trials for path in _paths(trial)}
    return {path: Path(path).read_bytes() for path in sorted(paths)}


@contextmanager
def unloaded(trials: Sequence[Trial], freight: Freight) -> Iterator[tuple[list[Trial], Path]]:
    """The trials as they read on this node, and a folder that is gone afterwards and holds the freight."""
    _sweep()
    home = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    try:
        places = _unload(freight, home)
        yield [_moved(trial, places) for trial in trials], home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def run_unit(
    trials: Sequence[Trial], freight: Freight, executor: Executor
) -> Iterator[tuple[Begun | Ended, ...]]:
    """Run trials here, as on this machine alone. Nothing is left running, and no file, when this ends.

    What is yielded together waits for one answer: the end of a batch and the beginning of the next, so that a node idles once a batch.
    """
    with unloaded(trials, freight) as (moved, home):
        last: tuple[Ended, ...] = ()
        for event in run_trials(moved, lambda trial: home / trial.id, executor):
            if isinstance(event, Begins):
                for trial in event.trials:
                    (home / trial.id).mkdir()
                yield (*last, Begun(tuple(trial.id for trial in event.trials)))
                last = ()
                continue
            if last:
                yield last
            folder = home / event.trial.id
            last = (Ended(event.trial.id, event.outcome, _left(folder), f"{os.getloadavg()[0]:.2f}"),)
            shutil.rmtree(folder, ignore_errors=True)
            if not event.more:
                yield last
                last = ()


def _paths(trial: Trial) -> list[str]:
    payload, link = trial.payload, trial.link
    texts = (link.text, link.segment)
    recording = trial.workload.arrivals.path if isinstance(trial.workload.arrivals, Replay) else ""
    named = [part.rpartition("=")[2] for text in texts for part in text.split(",")]
    found = [
        payload.corpus,
        payload.schema,
        payload.pack,
        recording,
        *(name for name in named if set(name) & set("/.")),
    ]
    return [path for path in found if path and Path(path).is_file()]


def _unload(freight: Freight, home: Path) -> dict[str, str]:
    places = {}
    for number, (path, content) in enumerate(freight.items()):
        place = home / f"freight-{number}" / Path(path).name
        place.parent.mkdir()
        place.write_bytes(content)
        places[path] = str(place)
    return places


def _moved(trial: Trial, places: dict[str, str]) -> Trial:
    """The trial as it reads here: the driver's paths are this node's."""
    payload, link = trial.payload, trial.link
    moved = replace(
        payload,
        corpus=places.get(payload.corpus, payload.corpus),
        schema=places.get(payload.schema, payload.schema),
        pack=places.get(payload.pack, payload.pack),
    )
    return replace(
        trial,
        payload=moved,
        link=replace(link, text=_reworded(link.text, places), segment=_reworded(link.segment, places)),
        workload=_moved_workload(trial.workload, places),
    )


def _moved_workload(workload: Workload, places: dict[str, str]) -> Workload:
    recording = workload.arrivals
    if not isinstance(recording, Replay):
        return workload
    return replace(workload, arrivals=Replay(places.get(recording.path, recording.path)))


def _reworded(text: str, places: dict[str, str]) -> str:
    """`a,b=FILE` with each file's place on this node."""
    parts = (part.rpartition("=") for part in text.split(","))
    return ",".join(f"{key}{equals}{places.get(value, value)}" for key, equals, value in parts)


def _left(folder: Path) -> dict[str, bytes]:
    return {p.name: _content(p) for p in sorted(folder.iterdir()) if p.is_file() and p.name not in _OWN}


def _content(path: Path) -> bytes:
    """A file's bytes; of samples only the records written."""
    return written_part(path).tobytes() if path.suffix == ".samples" else path.read_bytes()


def _sweep() -> None:
    """Remove what units left whose worker was killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        worker = folder.name.removeprefix(PREFIX).partition("-")[0]
        if worker.isdigit() and not Path("/proc", worker).exists():
            shutil.rmtree(folder, ignore_errors=True)
