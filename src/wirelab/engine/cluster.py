"""Where trials run: the nodes of a Ray cluster. Ray schedules by resources and says what died; here blocks become its tasks.

A task is a unit of whole blocks and takes a node for itself; the local engine runs the unit there. What a trial leaves
comes back file by file into the folder that a local run would have filled. A trial whose roles stand on several nodes
takes all of those for itself (`placed.py`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from wirelab.engine import ray_connection
from wirelab.engine.base import Desk, Ran
from wirelab.engine.dispatcher import Job
from wirelab.engine.distributed_runner import run_placed
from wirelab.engine.executor import Executor
from wirelab.engine.node import NAMESPACES, needs
from wirelab.engine.node_affinity import homes_of, mixed, units
from wirelab.engine.node_inventory import Census
from wirelab.engine.ray_connection import ray
from wirelab.engine.ray_tasks import answer, on
from wirelab.engine.work_unit import Freight, load_freight, unloaded
from wirelab.lab import link
from wirelab.model.trial import Link, PayloadSpec, Trial, Workload


@contextmanager
def opened(address: str, executor: Executor) -> Iterator[Cluster]:
    """The cluster at an address (see `connect.connected`). Raises BadInput."""
    with ray_connection.connected(address):
        yield Cluster(executor)


class Cluster:
    """The engine. `executor` starts the trials on each node."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._census = Census()

    def check_link(self, text: str, seed: int) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The check on every node that has namespaces; nodes of one machine one after the other. The worst is given back."""
        nodes = self._census.probe(ray_connection.usable({NAMESPACES: 0.0})[0])
        trial = Trial("", {}, 0, 0, PayloadSpec("", "", "", ""), "", "", Link(text), Workload())
        freight = ray.put(load_freight([trial]))
        found: dict[str, dict[str, Any]] = {}
        hosts = [self._census.host(node) for node in nodes]
        for turn in range(len(nodes)):
            now = [n for k, n in enumerate(nodes) if hosts[:k].count(hosts[k]) == turn]
            asked = {n.name: on(_check, n).remote(trial, freight, seed) for n in now}
            found |= {name: answer(ref, f"check of link '{text}'") for name, ref in asked.items()}
        bad = [name for name, figures in found.items() if not figures.get("ok")]
        notes = tuple(f"link '{text}' is off spec on node {name}" for name in bad)
        return found[bad[0] if bad else min(found)], notes

    def run(self, trials: Sequence[Trial], desk: Desk) -> Generator[Ran, None, None]:
        """Every trial once, block by block on a node each; a trial whose node dies runs again elsewhere, once, and says so."""
        known = desk.trials()
        placed = [trial for trial in trials if trial.workload.placement]
        alone = [trial for trial in trials if not trial.workload.placement]
        if alone:
            with closing(self._run_alone(alone, known, desk)) as running:
                yield from running
        if placed:
            with closing(run_placed(placed, self._census, desk)) as running:
                yield from running
        for note in mixed(known, desk.homes()):
            desk.note(note)

    def _run_alone(
        self, trials: Sequence[Trial], known: Sequence[Trial], desk: Desk
    ) -> Generator[Ran, None, None]:
        """Those that run on one node each."""
        wanted = {name: amount for trial in trials for name, amount in needs(trial).items()}
        offering, notes = ray_connection.usable(wanted)
        nodes = self._census.probe(offering)
        for note in [*notes, *self._census.notes(nodes)]:
            desk.note(note)
        waiting = units(trials, len(nodes), self._census.width(nodes), homes_of(known, desk.homes()))
        job = Job(self._census, self._executor, desk, nodes, waiting, wanted)
        try:
            yield from job.run()
        finally:
            job.cancel()


def _check(trial: Trial, freight: Freight, seed: int) -> dict[str, Any]:
    with unloaded([trial], freight) as (moved, _):
        return link.check(moved[0].link.text, seed)
