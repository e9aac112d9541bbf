"""Where trials run: the nodes of a Ray cluster. Ray schedules by resources and says what died; here blocks become its tasks.

A task is a unit of whole blocks and takes a node for itself; the local engine runs the unit there. What a trial leaves
comes back file by file into the folder that a local run would have filled.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from wirelab.engine import connect
from wirelab.engine.base import Desk, Ran
from wirelab.engine.blocks import Unit, homes_of, mixed, slower, told, units
from wirelab.engine.connect import Node, NodeAffinitySchedulingStrategy, ray
from wirelab.engine.local import SPARSE_PER_CORE, Executor
from wirelab.engine.node import MACHINE, NAMESPACES, Description, describe, differences, needs
from wirelab.engine.unit import Begun, Ended, Freight, load_freight, run_unit, unloaded
from wirelab.lab import link
from wirelab.lab.outcome import Outcome
from wirelab.model.errors import BadInput, MeasurementFailed, WirelabError
from wirelab.model.trial import Link, PayloadSpec, State, Trial, Verdict, Workload

# Units handed to Ray per node: one that runs, and some that are ready to.
AHEAD = 3
POLL_S = 1.0
PROBE_S = 120.0
# A cluster without a node that could go on is given up after this many polls.
PATIENCE = 30
# A trial whose node or worker is lost runs once more; after the second loss it has failed.
MAX_LOSSES = 2


@contextmanager
def opened(address: str, executor: Executor) -> Iterator[Cluster]:
    """The cluster at an address (see `connect.connected`). Raises BadInput."""
    with connect.connected(address):
        yield Cluster(executor)


class Cluster:
    """The engine. `executor` starts the trials on each node."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._here = describe()
        self._probed: dict[str, Description] = {}

    def check_link(self, text: str, seed: int) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The check on every node that has namespaces; nodes of one machine one after the other. The worst is given back."""
        nodes = self._probe(connect.usable({NAMESPACES: 0.0})[0])
        trial = Trial("", {}, 0, 0, PayloadSpec("", "", "", ""), "", "", Link(text), Workload())
        freight = ray.put(load_freight([trial]))
        found: dict[str, dict[str, Any]] = {}
        hosts = [self._probed[node.id].host for node in nodes]
        for turn in range(len(nodes)):
            now = [n for k, n in enumerate(nodes) if hosts[:k].count(hosts[k]) == turn]
            asked = {n.name: _on(_check, n).remote(trial, freight, seed) for n in now}
            found |= {name: self._get(ref, f"check of link '{text}'") for name, ref in asked.items()}
        bad = [name for name, figures in found.items() if not figures.get("ok")]
        notes = tuple(f"link '{text}' is off spec on node {name}" for name in bad)
        return found[bad[0] if bad else min(found)], notes

    def run(self, trials: Sequence[Trial], desk: Desk) -> Generator[Ran, None, None]:
        """Every trial once, block by block on a node each; a trial whose node dies runs again elsewhere, once, and says so."""
        wanted = {name: amount for trial in trials for name, amount in needs(trial).items()}
        offering, notes = connect.usable(wanted)
        nodes = self._probe(offering)
        for note in [*notes, *self._notes(nodes)]:
            desk.note(note)
        done = desk.homes()
        known = desk.trials()
        width = SPARSE_PER_CORE * min(int(self._probed[n.id].environment["cores"]) for n in nodes)
        waiting = units(trials, len(nodes), width, homes_of(known, done))
        job = _Job(self, desk, nodes, waiting, wanted)
        try:
            yield from job.run()
        finally:
            job.cancel()
        for note in mixed(known, desk.homes()):
            desk.note(note)

    def accept(self, node_id: str, there: Description, name: str) -> None:
        """Note how a node describes itself. Raises BadInput where it has another build than this machine."""
        differences(self._here, there, name)
        self._probed.setdefault(node_id, there)

    def environment(self, node_id: str, name: str, load: str) -> dict[str, str]:
        """What a trial's result says of its node."""
        seen = self._probed[node_id].environment
        return {"node": name, **{k: seen[k] for k in ("cpu", "cores", "kernel", "user")}, "load_1min": load}

    @property
    def here(self) -> Description:
        """This machine."""
        return self._here

    @property
    def executor(self) -> Executor:
        """What starts the trials."""
        return self._executor

    def _probe(self, nodes: Sequence[Node]) -> list[Node]:
        """The nodes that say what they are; one that Ray still lists although it is dead does not."""
        new = [node for node in nodes if node.id not in self._probed]
        asked = [_on(_describe, node, num_cpus=0).remote() for node in new]
        for node, ref in zip(new, asked, strict=True):
            with suppress(ray.exceptions.TaskUnschedulableError, ray.exceptions.NodeDiedError):
                self.accept(node.id, self._get(ref, f"node {node.name}"), node.name)
        answered = [node for node in nodes if node.id in self._probed]
        if not answered:
            raise MeasurementFailed("Ray cluster", "no node answers", "see ray status")
        return answered

    def _notes(self, nodes: Sequence[Node]) -> list[str]:
        seen = {node.name: self._probed[node.id] for node in nodes}
        return [
            *slower({name: one.spin_ns for name, one in seen.items()}),
            *told({name: one.warnings for name, one in seen.items()}),
        ]

    def _get(self, ref: Any, what: str) -> Any:
        try:
            return ray.get(ref, timeout=PROBE_S)
        except (ray.exceptions.TaskUnschedulableError, ray.exceptions.NodeDiedError):
            raise
        except ray.exceptions.RayError as error:
            raise _sentence(error, what) from None


class _Running:
    """A unit on its way: what is left of it, what has begun, and where."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.left = {trial.id: trial for trial in unit.trials}
        self.begun: set[str] = set()
        self.node_id = self.node = ""


class _Job:
    """One pass over planned trials."""

    def __init__(
        self, cluster: Cluster, desk: Desk, nodes: list[Node], waiting: list[Unit], wanted: dict[str, float]
    ) -> None:
        self._cluster, self._desk, self._waiting, self._wanted = cluster, desk, waiting, wanted
        self._names = {node.id: node.name for node in nodes}
        self._most = AHEAD * len(nodes)
        # The whole of the smallest node: what else runs in the cluster must not run beside a measurement.
        self._cpus = min(node.offers.get("CPU", 0.0) for node in nodes)
        self._freight: Any = ray.put(load_freight([t for unit in waiting for t in unit.trials]))
        self._running: dict[Any, _Running] = {}
        self._folders: dict[str, Path] = {}
        self._losses: dict[str, list[str]] = {}
        self._barren = 0

    def run(self) -> Iterator[Ran]:
        """Hand out units, take in what comes back."""
        idle = 0
        while self._waiting or self._running:
            while self._waiting and len(self._running) < self._most:
                self._submit(self._waiting.pop(0))
            ready, _ = ray.wait(list(self._running), num_returns=1, timeout=POLL_S, fetch_local=True)
            if not ready:
                idle = self._still_hopeful(idle)
                continue
            idle = 0
            yield from self._take(ready[0])

    def cancel(self) -> None:
        """End what still runs, and give its trials back."""
        if self._running and connect.head_answers():
            for stream in self._running:
                with suppress(ray.exceptions.RayError, ValueError):
                    ray.cancel(stream, force=True)
        for running in self._running.values():
            self._desk.end([t for t in running.left.values() if t.id in self._folders])

    def _submit(self, unit: Unit) -> None:
        options: dict[str, Any] = {
            "num_cpus": self._cpus,
            "resources": {MACHINE: 1, **self._wanted},
            "max_retries": 0,
            "num_returns": "streaming",
            # A trial begins only once its beginning is journaled here: whatever dies then, it is known what was running.
            "_generator_backpressure_num_objects": 1,
        }
        home = next((key for key, name in self._names.items() if name == unit.home), "")
        if home:
            options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(home, soft=True)
        stream = _remote(_unit, **options).remote(
            self._cluster.here, unit.trials, self._freight, self._cluster.executor
        )
        self._running[stream] = _Running(unit)

    def _take(self, stream: Any) -> Iterator[Ran]:
        """One event of a unit."""
        running = self._running[stream]
        try:
            event = ray.get(next(stream))
        except StopIteration:
            del self._running[stream]
            return
        except ray.exceptions.RayTaskError as error:
            raise _sentence(error, "a node") from None
        except ray.exceptions.RayError as error:
            del self._running[stream]
            yield from self._lost(running, error)
            return
        if isinstance(event, Begun):
            new = [running.left[key] for key in event.ids if key not in self._folders]
            self._folders |= self._desk.begin(new)
            running.begun |= set(event.ids)
        elif isinstance(event, Ended):
            yield from self._ended(running, event)
        else:
            running.node_id, there = event
            running.node = self._name(running.node_id)
            self._cluster.accept(running.node_id, there, running.node)

    def _ended(self, running: _Running, event: Ended) -> Iterator[Ran]:
        trial, folder = running.left.pop(event.id), self._folders.pop(event.id)
        self._barren = 0
        for name, content in event.files.items():
            # A name from a node is a name, not a path.
            (folder / Path(name).name).write_bytes(content)
        seen = self._cluster.environment(running.node_id, running.node, event.load)
        again = self._losses.get(trial.id, [])
        notes = tuple(f"ran again: {where} was lost while it ran" for where in again)
        yield from self._hand_over(Ran(trial, event.outcome, notes, seen))

    def _lost(self, running: _Running, error: Exception) -> Iterator[Ran]:
        """A node or worker died under a unit: what had begun is counted as lost once, and everything left is handed out again."""
        if not connect.head_answers():
            raise connect.lost_head(str(self._desk.directory))
        self._barren += not running.begun
        if self._barren > MAX_LOSSES * self._most:
            raise MeasurementFailed(
                "Ray cluster",
                f"workers die before a trial begins: {type(error).__name__}",
                "see Ray's logs in /tmp/ray",
            )
        where = (
            f"node {running.node}" if _node_is_gone(running.node_id) else f"a worker on node {running.node}"
        )
        for key in running.begun & set(running.left):
            self._losses.setdefault(key, []).append(where)
            if len(self._losses[key]) >= MAX_LOSSES:
                self._folders.pop(key)
                reason = f"lost twice: {' and '.join(self._losses[key])} died while it ran"
                yield from self._hand_over(
                    Ran(running.left.pop(key), Outcome(verdict=Verdict(State.FAILED, reason)))
                )
        if running.left:
            self._waiting.insert(0, Unit(list(running.left.values()), running.node or running.unit.home))

    def _hand_over(self, ran: Ran) -> Iterator[Ran]:
        try:
            yield ran
        finally:
            self._desk.end([ran.trial])

    def _still_hopeful(self, idle: int) -> int:
        """Nothing came for a while: whether it still can. Polls without a usable node so far. Raises MeasurementFailed."""
        if not connect.head_answers():
            raise connect.lost_head(str(self._desk.directory))
        try:
            connect.usable(self._wanted)
        except BadInput as error:
            if idle >= PATIENCE:
                raise MeasurementFailed(
                    "Ray cluster",
                    f"no node is left that could go on ({error.why})",
                    f"what is done is kept: go on with wirelab run --resume {self._desk.directory}",
                ) from None
            return idle + 1
        return 0

    def _name(self, node_id: str) -> str:
        if node_id not in self._names:
            self._names |= {node.id: node.name for node in connect.living()}
        return self._names.get(node_id, node_id[:6])


def _node_is_gone(node_id: str) -> bool:
    return node_id not in {node.id for node in connect.living()}


def _remote(function: Any, **options: Any) -> Any:
    return ray.remote(**options)(function)


def _on(function: Any, node: Node, **options: Any) -> Any:
    where = NodeAffinitySchedulingStrategy(node.id, soft=False)
    asked = options or {"num_cpus": 0, "resources": {MACHINE: 1}}
    return _remote(function, scheduling_strategy=where, max_retries=1, **asked)


def _sentence(error: Exception, what: str) -> WirelabError:
    """A node's error as one of ours."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, WirelabError):
        named = cause.what if cause.what.startswith("node ") else f"{what}: {cause.what}"
        return type(cause)(named, cause.why, cause.next_step)
    text = " ".join(str(cause or error).split())
    if "No module named 'wirelab" in text:
        return BadInput(what, "wirelab is not installed there", "install the same build on every node")
    return MeasurementFailed(what, text[-300:], "see Ray's logs in /tmp/ray")


def _describe() -> Description:
    return describe()


def _check(trial: Trial, freight: Freight, seed: int) -> dict[str, Any]:
    with unloaded([trial], freight) as (moved, _):
        return link.check(moved[0].link.text, seed)


def _unit(
    here: Description, trials: list[Trial], freight: Freight, executor: Executor
) -> Iterator[tuple[str, Description] | Begun | Ended]:
    """The task. It first says where it is, and ends at once where the node has another build."""
    node_id = str(ray.get_runtime_context().get_node_id())
    there = describe()
    differences(here, there, node_id[:6])
    yield node_id, there
    yield from run_unit(trials, freight, executor)
