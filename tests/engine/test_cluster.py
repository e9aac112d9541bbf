"""Trials on two real Ray nodes of this machine: distribution, collection, retries after a loss."""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import add_node
from tests.engine.sleeper import Sleeper, by_value, run_all, trial
from wirelab.engine.base import Local
from wirelab.engine.cluster import Cluster, opened
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.trial import State
from wirelab.store.run import RunStore
from wirelab.system.binaries import find

by_value()
pytestmark = pytest.mark.usefixtures("ends")


@pytest.fixture
def extra(two_nodes: Any) -> Iterator[Callable[..., Any]]:
    """Add a node for one test."""
    added: list[Any] = []

    def add(name: str, **options: Any) -> Any:
        added.append(add_node(two_nodes, name, **options))
        return added[-1]

    yield add
    for node in added:
        if node in two_nodes.worker_nodes:
            two_nodes.remove_node(node)


def nodes_of(store: RunStore) -> dict[str, str]:
    return {r.trial.id: r.result.environment["node"] for r in store.results() if r.result}


@pytest.mark.matrix
def test_blocks_are_spread_over_both_nodes_and_none_is_split(two_nodes: Any, tmp_path: Path) -> None:
    planned = [trial(c, r) for r in range(6) for c in "abc"]
    # A node runs one of these at a time: two that have begun are on two nodes.
    (tmp_path / "marks").mkdir()
    engine = Cluster(Sleeper(0.05, marks=str(tmp_path / "marks"), together=2))
    store = run_all(tmp_path / "r", planned, engine)
    assert Counter(str(r.result.verdict.state) for r in store.results() if r.result) == {"valid": 18}
    where = nodes_of(store)
    assert set(where.values()) == {"a", "b"}
    assert all(len({where[f"{c}-{r}"] for c in "abc"}) == 1 for r in range(6))
    assert list(store.samples("a-0")["seq"]) == [0, 1, 2, 3, 4]
    assert not (tmp_path / "r" / "work").exists()


@pytest.mark.matrix
def test_sparse_trials_of_a_block_run_concurrently_on_a_node(two_nodes: Any, tmp_path: Path) -> None:
    planned = [trial(c, 0, rate=5.0) for c in "abcdefgh"]
    # One after the other they would never end.
    engine = Cluster(Sleeper(marks=str(tmp_path), together=8))
    store = run_all(tmp_path / "r", planned, engine)
    assert len(set(nodes_of(store).values())) == 1
    assert len(list(tmp_path.glob("?-0-*"))) == 8


def test_one_and_two_nodes_give_the_same_results_but_for_nodes(two_nodes: Any, tmp_path: Path) -> None:
    planned = [trial(c, r) for r in range(4) for c in "ab"]

    def results(directory: Path, engine: Any) -> list[Any]:
        records = run_all(directory, planned, engine).results()
        return [
            (r.trial, r.state, r.attempt, r.result and (r.result.verdict, r.result.notes, r.result.counts))
            for r in records
        ]

    engine = Cluster(Sleeper())
    both = results(tmp_path / "two", engine)
    assert both == results(tmp_path / "local", Local(Sleeper()))


@pytest.mark.matrix
def test_the_trial_of_a_killed_worker_is_retried_with_a_note(two_nodes: Any, tmp_path: Path) -> None:
    planned = [trial(c, r) for r in range(2) for c in "abc"]
    engine = Cluster(Sleeper(0.05, fatal="b-1", marks=str(tmp_path)))
    store = run_all(tmp_path / "r", planned, engine)
    records = {r.trial.id: r.result for r in store.results()}
    assert {r.verdict.state for r in records.values() if r} == {State.VALID}
    marked = {
        name: r.notes
        for name, r in records.items()
        if r and any(str(n).startswith("retried: ") for n in r.notes)
    }
    assert list(marked) == ["b-1"]
    assert "a worker on node" in " ".join(map(str, marked["b-1"]))
    assert len(list(tmp_path.glob("b-1-*"))) == 2
    assert all(len(list(tmp_path.glob(f"{name}-*"))) == 1 for name in records if name != "b-1")


@pytest.mark.matrix
def test_a_trial_that_kills_its_worker_twice_has_failed(two_nodes: Any, tmp_path: Path) -> None:
    planned = [trial(c, 0) for c in "abc"]
    engine = Cluster(Sleeper(fatal="b-0", times=9, marks=str(tmp_path)))
    store = run_all(tmp_path / "r", planned, engine)
    verdicts = {r.trial.id: r.result.verdict for r in store.results() if r.result}
    assert verdicts["b-0"].state is State.FAILED
    assert "lost twice" in str(verdicts["b-0"])
    assert verdicts["a-0"].state is verdicts["c-0"].state is State.VALID


@pytest.mark.matrix
def test_nothing_is_left_of_a_killed_worker_after_the_next_unit(two_nodes: Any, tmp_path: Path) -> None:
    engine = Cluster(Sleeper(fatal="a-0", marks=str(tmp_path)))
    run_all(tmp_path / "r", [trial("a"), trial("b")], engine)
    dead = [p for p in Path(tempfile.gettempdir()).glob("wirelab-unit-*") if _gone(p)]
    assert dead == []


def _gone(folder: Path) -> bool:
    return not Path("/proc", folder.name.split("-")[2]).exists()


@pytest.mark.matrix
def test_the_trials_of_a_killed_node_run_on_others(
    two_nodes: Any, extra: Callable[..., Any], tmp_path: Path
) -> None:
    node = extra("c")
    planned = [trial(c, r) for r in range(6) for c in "ab"]

    def kill() -> None:
        while not (tmp_path / "hung").exists():
            time.sleep(0.01)
        two_nodes.remove_node(node, allow_graceful=False)

    threading.Thread(target=kill, daemon=True).start()
    store = run_all(tmp_path / "r", planned, Cluster(Sleeper(marks=str(tmp_path), hangs=node.node_id)))
    records = store.results()
    assert {r.result.verdict.state for r in records if r.result} == {State.VALID}
    assert {r.attempt for r in records} == {1}
    lost = "retried: node c was lost while it ran"
    again = [r for r in records if r.result and lost in map(str, r.result.notes)]
    assert [r.trial.id[0] for r in again] == ["b"]
    assert any("ran on" in note and "c" in note for note in store.notes())


@pytest.mark.matrix
def test_a_node_without_namespaces_runs_nothing_and_is_named(
    two_nodes: Any, extra: Callable[..., Any], tmp_path: Path
) -> None:
    extra("bare", resources={"wirelab": 1})
    engine = Cluster(Sleeper())
    store = run_all(tmp_path / "r", [trial("a", r) for r in range(6)], engine)
    assert set(nodes_of(store).values()) <= {"a", "b"}
    assert "node bare ran no trial: it declares no namespaces" in store.notes()


@pytest.mark.matrix
def test_a_server_that_no_node_has_is_refused_with_its_name(two_nodes: Any, tmp_path: Path) -> None:
    from msgspec.structs import replace

    wanted = [replace(trial("a"), server="mosquitto")]
    engine = Cluster(Sleeper())
    with pytest.raises(BadInput, match=r"node a ran no trial: it declares no server-mosquitto.*ray start"):
        run_all(tmp_path / "r", wanted, engine)


@pytest.mark.matrix
def test_a_node_with_another_wirelab_is_refused_with_both_versions(
    two_nodes: Any, extra: Callable[..., Any], tmp_path: Path, root: Path
) -> None:
    shutil.copytree(root / "src" / "wirelab", tmp_path / "other" / "wirelab")
    (tmp_path / "other" / "wirelab" / "__init__.py").write_text('__version__ = "0.0.9"\n')
    built = str(Path(find("wirelab-link")).parent)
    extra("old", env_vars={"PYTHONPATH": str(tmp_path / "other"), "WIRELAB_BIN": built})
    engine = Cluster(Sleeper())
    with pytest.raises(BadInput, match=r"node old: has wirelab 0\.0\.9 .*this machine has 0\.1\.0"):
        run_all(tmp_path / "r", [trial("a")], engine)


@pytest.mark.matrix
def test_a_node_with_another_program_is_refused_with_its_name(
    two_nodes: Any, extra: Callable[..., Any], tmp_path: Path
) -> None:
    folder = Path(find("wirelab-link")).parent
    for program in folder.glob("wirelab-*"):
        (tmp_path / program.name).symlink_to(program)
    (tmp_path / "wirelab-peer-mock").unlink()
    (tmp_path / "wirelab-peer-mock").write_text("#!/bin/sh\n")
    (tmp_path / "wirelab-peer-mock").chmod(0o755)
    extra("new", env_vars={"WIRELAB_BIN": str(tmp_path)})
    engine = Cluster(Sleeper())
    with pytest.raises(BadInput, match=r"node new: has another wirelab-peer-mock than this machine; install"):
        run_all(tmp_path / "r", [trial("a")], engine)


@pytest.mark.matrix
def test_a_run_continues_on_a_cluster_and_back_on_this_machine(two_nodes: Any, tmp_path: Path) -> None:
    planned = [trial(c, r) for r in range(3) for c in "ab"]

    class Half:
        """An engine that is interrupted after three trials."""

        def __init__(self, engine: Any) -> None:
            self.engine, self.check_link = engine, engine.check_link

        def run(self, trials: Any, journal: Any) -> Any:
            for number, ran in enumerate(self.engine.run(trials, journal)):
                if number == 3:
                    raise KeyboardInterrupt
                yield ran

    with pytest.raises(KeyboardInterrupt):
        run_all(tmp_path / "r", planned, Half(Local(Sleeper())))
    engine = Cluster(Sleeper())
    store = run_all(tmp_path / "r", planned, engine)
    assert store.counts() == {"planned": 0, "running": 0, "done": 6}
    assert sum("node" in r.result.environment for r in store.results() if r.result) == 3
    assert any("a machine outside the cluster" in note for note in store.notes())


@pytest.mark.matrix
def test_the_error_for_a_lost_head_says_how_to_continue(two_nodes: Any) -> None:
    from wirelab.engine import ray_connection

    error = ray_connection.lost_head("runs/x")
    assert isinstance(error, MeasurementFailed)
    assert "finished trials are kept in runs/x: continue with --resume" in error.sentence


def test_no_ray_without_the_flag() -> None:
    import subprocess

    code = "import sys; from wirelab.cli import pipeline; from wirelab.cli.commands import run, compare; assert 'ray' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("address", "why"),
    [("127.0.0.1:1", "no Ray head answers there"), ("ray://127.0.0.1:10001", "run wirelab on a node")],
)
@pytest.mark.matrix
def test_an_address_without_a_head_is_refused(address: str, why: str) -> None:
    with pytest.raises(BadInput, match=why), opened(address, Sleeper()):
        pass
