"""The report of a node in a distributed trial, without Ray."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.factories import a_payload, a_trial
from wirelab.engine.node_agent import NodeAgent
from wirelab.engine.work_unit import read_inputs
from wirelab.lab import processes
from wirelab.lab.host_cpu import CpuTime
from wirelab.lab.peer_contract import Role
from wirelab.lab.peer_requests import PeerSchedule
from wirelab.model.trial import Workload
from wirelab.workloads import messages
from wirelab.workloads.schedule import Interval

AHEAD_NS = 60_000_000_000


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[NodeAgent]:
    """A node with a quarter of the 200 requested ticks stolen during the trial."""
    readings = iter([CpuTime(0, 0), CpuTime(asked=100, stolen=10), CpuTime(asked=300, stolen=60)])
    monkeypatch.setattr(processes, "cpu_time", lambda: next(readings))
    corpus = tmp_path / "messages"
    messages.write(corpus, messages.messages(100, 10))
    payload, workload = a_payload(corpus=str(corpus)), Workload(count=10, warmup=0)
    trial = a_trial(payload=payload, protocol="mock", qos="plain", workload=workload, server="none")
    found = NodeAgent()
    found.open(trial, read_inputs([trial]), "127.0.0.1", 0)
    yield found
    found.close()


def test_a_node_reports_its_steal_time_from_start_to_stop(opened: NodeAgent) -> None:
    opened.connect(Role.PUBLISHER, "publisher", "topic")
    schedule = Interval(1000, count=10)
    opened.start(opened.clock() + AHEAD_NS, {"publisher": PeerSchedule(0, schedule)})
    assert opened.stop().stolen == 0.25
