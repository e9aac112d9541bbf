"""Dispatch work units to Ray, read their events, and retry the trials of a dead node or worker."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from wirelab.engine import ray_connection
from wirelab.engine.base import FinishedTrial, JournalCallbacks
from wirelab.engine.executor import Executor
from wirelab.engine.node import MACHINE, Description, describe, differences
from wirelab.engine.node_affinity import WorkUnit
from wirelab.engine.node_inventory import NodeInventory
from wirelab.engine.ray_connection import Node, NodeAffinitySchedulingStrategy, ray
from wirelab.engine.ray_tasks import remote, sentence
from wirelab.engine.work_unit import Finished, Inputs, Started, read_inputs, run_unit
from wirelab.lab.outcome import Outcome
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.reason import Code, Reason
from wirelab.model.trial import State, Trial, Verdict

# Units submitted to Ray per node: a running one, and some that are ready.
PREFETCH = 3
POLL_S = 1.0
# A cluster without a usable node is given up after this many polls.
PATIENCE = 30
# A trial whose node or worker is lost is retried. After the second loss it has failed.
MAX_LOSSES = 2


class _Running:
    """A submitted unit: its remaining trials, the running ones, and its node."""

    def __init__(self, unit: WorkUnit) -> None:
        self.unit = unit
        self.left = {trial.id: trial for trial in unit.trials}
        self.begun: set[str] = set()
        self.node_id = self.node = ""


class Dispatcher:
    """One pass over planned trials.

    `wanted` are the resources that each of them needs on its node.
    """

    def __init__(
        self,
        inventory: NodeInventory,
        executor: Executor,
        journal: JournalCallbacks,
        nodes: list[Node],
        waiting: list[WorkUnit],
        wanted: dict[str, float],
    ) -> None:
        self._inventory, self._executor, self._journal = inventory, executor, journal
        self._waiting, self._wanted = waiting, wanted
        self._ids = {node.name: node.id for node in nodes}
        self._most = PREFETCH * len(nodes)
        # The whole of the smallest node: no other work of the cluster may run during a measurement.
        self._cpus = min(node.offers.get("CPU", 0.0) for node in nodes)
        self._inputs: Any = ray.put(read_inputs([t for unit in waiting for t in unit.trials]))
        self._running: dict[Any, _Running] = {}
        self._folders: dict[str, Path] = {}
        self._losses: dict[str, list[str]] = {}
        self._fruitless_losses = 0

    def run(self) -> Iterator[FinishedTrial]:
        """Submit units and process their events."""
        idle = 0
        while self._waiting or self._running:
            while self._waiting and len(self._running) < self._most:
                self._submit(self._waiting.pop(0))
            ready, _ = ray.wait(list(self._running), num_returns=1, timeout=POLL_S, fetch_local=True)
            if not ready:
                idle = self._check_cluster(idle)
                continue
            idle = 0
            yield from self._take(ready[0])

    def cancel(self) -> None:
        """End running units, and return their trials."""
        if self._running and ray_connection.head_answers():
            for stream in self._running:
                with suppress(ray.exceptions.RayError, ValueError):
                    ray.cancel(stream, force=True)
        for running in self._running.values():
            self._journal.end([t for t in running.left.values() if t.id in self._folders])

    def _submit(self, unit: WorkUnit) -> None:
        options: dict[str, Any] = {
            "num_cpus": self._cpus,
            "resources": {MACHINE: 1, **self._wanted},
            "max_retries": 0,
            "num_returns": "streaming",
            # A trial begins only after its event was processed here, so that the running trials are
            # always known.
            "_generator_backpressure_num_objects": 1,
        }
        if unit.home in self._ids:
            options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(self._ids[unit.home], soft=True)
        stream = remote(_unit, **options).remote(
            self._inventory.here, unit.trials, self._inputs, self._executor
        )
        self._running[stream] = _Running(unit)

    def _take(self, stream: Any) -> Iterator[FinishedTrial]:
        """Process the events that a unit sent together."""
        running = self._running[stream]
        try:
            said = ray.get(next(stream))
        except StopIteration:
            del self._running[stream]
            return
        except ray.exceptions.RayTaskError as error:
            raise sentence(error, "a node") from None
        except ray.exceptions.RayError as error:
            del self._running[stream]
            yield from self._lost(running, error)
            return
        # The next trial already runs, which is recorded before the previous one is judged.
        for event in (one for one in said if isinstance(one, Started)):
            new = [running.left[key] for key in event.ids if key not in self._folders]
            self._folders |= self._journal.begin(new)
            running.begun |= set(event.ids)
        for event in said:
            if isinstance(event, Finished):
                yield from self._ended(running, event)
            elif not isinstance(event, Started):
                running.node_id, there = event
                running.node = self._inventory.name(running.node_id)
                self._inventory.accept(running.node_id, there, running.node)

    def _ended(self, running: _Running, event: Finished) -> Iterator[FinishedTrial]:
        trial, folder = running.left.pop(event.id), self._folders.pop(event.id)
        self._fruitless_losses = 0
        for name, content in event.files.items():
            # Names from a node must not be paths.
            (folder / Path(name).name).write_bytes(content)
        seen = self._inventory.environment([running.node_id], event.load)
        again = self._losses.get(trial.id, [])
        notes = tuple(f"retried: {where} was lost while it ran" for where in again)
        yield from self._deliver(FinishedTrial(trial, event.outcome, notes, seen))

    def _lost(self, running: _Running, error: Exception) -> Iterator[FinishedTrial]:
        """A node or worker of a unit died.

        Count a loss for its running trials, and submit the rest again.
        """
        if not ray_connection.head_answers():
            raise ray_connection.lost_head(str(self._journal.directory))
        self._fruitless_losses += not running.begun
        if self._fruitless_losses > MAX_LOSSES * self._most:
            raise MeasurementFailed(
                "Ray cluster",
                f"workers end before a trial begins: {type(error).__name__}",
                "see Ray's logs in /tmp/ray",
            )
        gone = ray_connection.is_gone(running.node_id)
        where = f"node {running.node}" if gone else f"a worker on node {running.node}"
        for key in running.begun & set(running.left):
            self._losses.setdefault(key, []).append(where)
            if len(self._losses[key]) >= MAX_LOSSES:
                self._folders.pop(key)
                yield from self._deliver(lost_twice(running.left.pop(key), self._losses[key]))
        if running.left:
            self._waiting.insert(0, WorkUnit(list(running.left.values()), running.node or running.unit.home))

    def _deliver(self, ran: FinishedTrial) -> Iterator[FinishedTrial]:
        try:
            yield ran
        finally:
            self._journal.end([ran.trial])

    def _check_cluster(self, idle: int) -> int:
        """Check for a usable node after a poll without events.

        Returns the number of polls without one. Raises MeasurementFailed.
        """
        if not ray_connection.head_answers():
            raise ray_connection.lost_head(str(self._journal.directory))
        try:
            ray_connection.usable(self._wanted)
        except BadInput as error:
            if idle >= PATIENCE:
                raise ray_connection.no_node_left(error.why, str(self._journal.directory)) from None
            return idle + 1
        return 0


def lost_twice(trial: Trial, where: list[str]) -> FinishedTrial:
    """The outcome of a trial that is given up."""
    reason = Reason(Code.LOST_TWICE, why=" and ".join(where))
    return FinishedTrial(trial, Outcome(verdict=Verdict(State.FAILED, reason)))


@functools.cache
def _described() -> Description:
    """A worker describes its node once, not for every unit."""
    return describe()


def _unit(
    here: Description, trials: list[Trial], inputs: Inputs, executor: Executor
) -> Iterator[tuple[tuple[str, Description] | Started | Finished, ...]]:
    """The task. It first reports its node, and ends at once if that node has another build."""
    node_id = str(ray.get_runtime_context().get_node_id())
    there = _described()
    differences(here, there, node_id[:6])
    yield ((node_id, there),)
    yield from run_unit(trials, inputs, executor)
