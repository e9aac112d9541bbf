"""Distributed trials on two real Ray nodes: shares of senders, complete delivery, one clock."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.sleeper import Sleeper, by_value, run_all
from tests.factories import a_payload, a_trial
from wirelab.engine.base import Local
from wirelab.engine.cluster import Cluster
from wirelab.model.errors import BadInput
from wirelab.model.trial import Link, Trial, Workload
from wirelab.system.binaries import find
from wirelab.workloads import messages

by_value()
pytestmark = [pytest.mark.usefixtures("ends"), pytest.mark.quiet]
EVERYWHERE = ("publishers=2,server", "publishers=2,subscriber")


@pytest.fixture
def load(tmp_path: Path) -> Any:
    """A trial of `count` messages of 100 B over MQTT, at 2,000/s."""
    corpus = tmp_path / "messages"
    messages.write(corpus, messages.messages(100, 500))

    def made(placement: tuple[str, ...], count: int = 1000, subscribers: int = 1, qos: str = "1") -> Trial:
        workload = Workload(
            rate_hz=2000.0, count=count, warmup=0, subscribers=subscribers, placement=placement
        )
        payload = a_payload(corpus=str(corpus))
        levels = {"size": "100", "protocol": "mqtt", "link": "between nodes"}
        return a_trial(
            "load", levels=levels, payload=payload, qos=qos, link=Link("between nodes"), workload=workload
        )

    return made


@pytest.fixture
def outside(two_nodes: Any) -> Iterator[str]:
    """A broker that wirelab did not start."""
    argv = [find("wirelab-server-mqtt"), "--listen", "127.0.0.2:0"]
    broker = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert broker.stdout is not None
    yield json.loads(broker.stdout.readline())["listen"]
    broker.kill()
    broker.wait()


def test_four_publishers_on_two_nodes_send_the_same_as_one(two_nodes: Any, load: Any, tmp_path: Path) -> None:
    store = run_all(tmp_path / "r", [load(EVERYWHERE)], Cluster(Sleeper()))
    (record,) = store.results()
    result = record.result
    assert result is not None
    assert (result.counts.planned, result.counts.delivered, result.counts.duplicated) == (1000, 1000, 0)
    assert set(result.environment["node"].split(" + ")) == {"a", "b"}
    columns = store.samples("load")
    assert columns["seq"].tolist() == list(range(1000))
    assert np.bincount(columns["publisher"].astype(np.int64)).tolist() == [250, 250, 250, 250]
    # Two nodes of one machine have one clock: what was measured of it must be true within the error
    # it claims.
    error = result.clock_error_ns
    assert 0 < error < 1_000_000_000
    ideal = columns["planned"][0] + 500_000 * np.arange(1000)
    assert np.abs(columns["planned"].astype(np.int64) - ideal).max() <= 2 * error + 500_000
    assert any("clocks are known to within" in str(note) for note in result.notes)


@pytest.mark.matrix
def test_every_subscriber_hears_every_publisher(two_nodes: Any, load: Any, tmp_path: Path) -> None:
    placement = ("server,subscriber", "publishers=2,subscriber")
    store = run_all(tmp_path / "r", [load(placement, 300, subscribers=2)], Cluster(Sleeper()))
    (record,) = store.results()
    assert record.result is not None
    assert (record.result.counts.planned, record.result.counts.delivered) == (600, 600)
    assert record.result.carried == 300
    columns = store.samples("load")
    heard = {(int(s), int(p)) for s, p in zip(columns["subscriber"], columns["publisher"], strict=True)}
    assert heard == {(0, 0), (0, 1), (1, 0), (1, 1)}


@pytest.mark.matrix
def test_one_node_has_one_clock_and_a_server_elsewhere_is_met_there(
    two_nodes: Any, load: Any, outside: str, tmp_path: Path
) -> None:
    placement = ("publishers=2,subscriber", f"server={outside}")
    store = run_all(tmp_path / "r", [load(placement, 300)], Cluster(Sleeper()))
    (record,) = store.results()
    assert record.result is not None
    assert record.result.counts.delivered == 300
    assert (record.result.one_way, record.result.clock_error_ns) == (True, 0)
    assert record.result.server.name == f"at {outside}"


class Heard:
    """An engine whose notes are kept, also those of a trial that is retried because the machine was
    busy.
    """

    def __init__(self, engine: Cluster) -> None:
        self.engine, self.check_link = engine, engine.check_link
        self.notes: list[str] = []

    def run(self, trials: Any, journal: Any) -> Any:
        for ran in self.engine.run(trials, journal):
            self.notes += ran.notes
            yield ran


@pytest.mark.matrix
def test_the_peers_of_a_killed_worker_end_and_the_trial_is_retried(
    two_nodes: Any, load: Any, tmp_path: Path
) -> None:
    killed: list[Path] = []

    def kill() -> None:
        while not killed:
            time.sleep(0.01)
            for samples in Path("/tmp").glob("wirelab-unit-*/trial/publisher-3.samples"):
                # The folder of a killed worker may still exist.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(samples.parts[2].split("-")[2]), signal.SIGKILL)
                    killed.append(samples.parent)

    threading.Thread(target=kill, daemon=True).start()
    heard = Heard(Cluster(Sleeper()))
    (record,) = run_all(tmp_path / "r", [load(EVERYWHERE, 4000)], heard).results()
    assert record.result is not None
    assert record.result.counts.delivered == 4000
    assert sum("retried: a worker on node" in note for note in heard.notes) == 1
    assert not [p for p in Path("/proc").glob("[0-9]*/cwd") if _target(p).startswith(str(killed[0]))]


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""


@pytest.mark.matrix
def test_more_nodes_than_there_are_is_refused_with_both_numbers(
    two_nodes: Any, load: Any, tmp_path: Path
) -> None:
    many = ("publishers=1", "publishers=1", "server", "subscriber")
    with pytest.raises(BadInput, match=r"4 nodes are needed, 2 declare the resource wirelab; start more"):
        run_all(tmp_path / "r", [load(many)], Cluster(Sleeper()))


def test_one_machine_alone_has_no_nodes_to_place_on(load: Any, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="add --engine ray"):
        run_all(tmp_path / "r", [load(EVERYWHERE)], Local(Sleeper()))
