"""The engine of a Ray cluster: blocks of trials become Ray tasks.

Ray schedules by resources and reports dead nodes. A task is a work unit of whole blocks and takes
a node for itself; the local engine runs the unit there. The files of a trial are transferred into
the folder that a local run would have filled. A distributed trial takes all of its nodes for
itself (`distributed_runner.py`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from wirelab.engine import ray_connection
from wirelab.engine.base import FinishedTrial, JournalCallbacks
from wirelab.engine.dispatcher import Dispatcher
from wirelab.engine.distributed_runner import run_distributed
from wirelab.engine.executor import Executor
from wirelab.engine.node import NAMESPACES, needs
from wirelab.engine.node_affinity import homes_of, mixed_nodes, units
from wirelab.engine.node_inventory import NodeInventory
from wirelab.engine.ray_connection import ray
from wirelab.engine.ray_tasks import answer, on
from wirelab.engine.work_unit import Inputs, read_inputs, stage_inputs
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
        self._inventory = NodeInventory()

    def check_link(self, text: str, seed: int) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Check a link on every node that has namespaces, in sequence for nodes of one machine.

        Returns the worst check.
        """
        nodes = self._inventory.probe(ray_connection.usable({NAMESPACES: 0.0})[0])
        trial = Trial("", {}, 0, 0, PayloadSpec("", "", "", ""), "", "", Link(text), Workload())
        inputs = ray.put(read_inputs([trial]))
        found: dict[str, dict[str, Any]] = {}
        hosts = [self._inventory.host(node) for node in nodes]
        for turn in range(len(nodes)):
            now = [n for k, n in enumerate(nodes) if hosts[:k].count(hosts[k]) == turn]
            asked = {n.name: on(_check, n).remote(trial, inputs, seed) for n in now}
            found |= {name: answer(ref, f"check of link '{text}'") for name, ref in asked.items()}
        bad = [name for name, figures in found.items() if not figures.get("ok")]
        notes = tuple(f"link '{text}' is off spec on node {name}" for name in bad)
        return found[bad[0] if bad else min(found)], notes

    def run(self, trials: Sequence[Trial], journal: JournalCallbacks) -> Generator[FinishedTrial, None, None]:
        """Run every trial once, each block on one node.

        A trial whose node dies is retried once on another node, with a note.
        """
        known = journal.trials()
        placed = [trial for trial in trials if trial.workload.placement]
        alone = [trial for trial in trials if not trial.workload.placement]
        if alone:
            with closing(self._run_alone(alone, known, journal)) as running:
                yield from running
        if placed:
            with closing(run_distributed(placed, self._inventory, journal)) as running:
                yield from running
        for note in mixed_nodes(known, journal.homes()):
            journal.note(note)

    def _run_alone(
        self, trials: Sequence[Trial], known: Sequence[Trial], journal: JournalCallbacks
    ) -> Generator[FinishedTrial, None, None]:
        """Run the trials that need one node each."""
        wanted = {name: amount for trial in trials for name, amount in needs(trial).items()}
        offering, notes = ray_connection.usable(wanted)
        nodes = self._inventory.probe(offering)
        for note in [*notes, *self._inventory.notes(nodes)]:
            journal.note(note)
        waiting = units(
            trials, len(nodes), self._inventory.max_parallel(nodes), homes_of(known, journal.homes())
        )
        dispatcher = Dispatcher(self._inventory, self._executor, journal, nodes, waiting, wanted)
        try:
            yield from dispatcher.run()
        finally:
            dispatcher.cancel()


def _check(trial: Trial, inputs: Inputs, seed: int) -> dict[str, Any]:
    with stage_inputs([trial], inputs) as (moved, _):
        return link.check(moved[0].link.text, seed)
