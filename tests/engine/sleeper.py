"""A mock executor for nodes: trials sleep and leave an outcome, without a lab.

It is pickled by value, because nodes do not import tests.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import ray
from ray import cloudpickle

from tests.factories import a_payload, a_trial
from wirelab.engine.base import Engine
from wirelab.engine.executor import Update
from wirelab.lab.outcome import Outcome
from wirelab.model.trial import Trial, Workload
from wirelab.store.run import RunStore
from wirelab.store.sample_file import RECORD, sample_file
from wirelab.studies.execution import execute

COUNT = 5


class Sleeper:
    """Each trial takes `seconds`; `fatal` trials kill the worker they run in, the first `times`
    times (counted in files).

    Trials called `b` never end on the node `hangs` (its id), and others wait until one hangs: a
    file `hung` says so. None ends before `together` of them have begun.
    """

    def __init__(
        self,
        seconds: float = 0.0,
        fatal: str = "",
        times: int = 1,
        marks: str = "",
        hangs: str = "",
        together: int = 0,
    ) -> None:
        self.seconds, self.fatal, self.times, self.marks, self.hangs = seconds, fatal, times, marks, hangs
        self.together = together

    def start(self, trials: Sequence[Trial], folders: Sequence[Path]) -> Any:
        (trial,), (folder,) = trials, folders
        if self.marks:
            Path(self.marks, f"{trial.id}-{time.monotonic_ns()}").write_text(str(os.getpid()))
        began = len(list(Path(self.marks).glob(f"{trial.id}-*"))) if self.marks else 0
        if trial.id == self.fatal and began <= self.times:
            os.kill(os.getpid(), signal.SIGKILL)
        ends = time.monotonic() + self.seconds

        def says() -> Iterator[Update]:
            yield Update.READY
            if self.hangs:
                self._hang_or_wait(trial)
            while self.together and len(list(Path(self.marks).glob("*-*-*"))) < self.together:
                time.sleep(0.01)
            time.sleep(max(0.0, ends - time.monotonic()))
            leave(folder)
            yield Update.ENDED

        told = says()
        return SimpleNamespace(poll=lambda: next(told), go=lambda _: None, kill=lambda: None)

    def _hang_or_wait(self, trial: Trial) -> None:
        hung = Path(self.marks, "hung")
        here = ray.get_runtime_context().get_node_id() == self.hangs
        if here and trial.id.startswith("b"):
            hung.touch()
            threading.Event().wait()
        while not here and not hung.exists():
            time.sleep(0.01)


def leave(folder: Path) -> None:
    """The outcome of a cell after five messages, a millisecond each."""
    at = 1_000_000_000 + np.arange(COUNT) * 200_000_000
    for name, columns in {
        "publisher": ("planned", "start", "sent"),
        "subscriber": ("received", "decoded"),
    }.items():
        records = np.zeros(COUNT, dtype=RECORD)
        records["seq"], records["bytes"] = np.arange(COUNT), 10
        for column in columns:
            records[column] = at if name == "publisher" else at + 1_000_000
        (folder / f"{name}.samples").write_bytes(sample_file(records, capacity=COUNT + 100))
    counters = {"publisher": {"sent": COUNT}, "subscriber": {"received": COUNT}}
    outcome = Outcome(messages=COUNT, counters=counters, settled=True)
    (folder / "outcome.json").write_bytes(msgspec.json.encode(outcome))


def trial(name: str, replicate: int = 0, rate: float | None = None) -> Trial:
    """A trial of five messages; a heavy one (a flood) unless it has a rate."""
    workload = Workload(rate_hz=rate, count=COUNT, warmup=0)
    levels = {"format": name, "link": "ideal"}
    payload = a_payload(codec="json/serde_json")
    return a_trial(
        f"{name}-{replicate}",
        levels=levels,
        replicate=replicate,
        payload=payload,
        protocol="mock",
        qos="plain",
        workload=workload,
    )


def run_all(directory: Path, trials: list[Trial], engine: Engine) -> RunStore:
    """Execute trials into a new run, or continue the existing one."""
    exists = (directory / "run.db").exists()
    store = RunStore.open(directory, write=True) if exists else RunStore.create(directory, {}, trials, {})
    try:
        execute(store, engine, lambda _progress, _result: None)
    except BaseException:
        store.close()
        raise
    return store


def by_value() -> None:
    """Pickle this module by value, so that nodes get it."""
    import sys

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
