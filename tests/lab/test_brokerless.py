"""Protocols without a server: peers discover each other through the emulated network first."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from tests.factories import a_payload, a_trial
from tests.lab.single_cell import outcome_of
from wirelab.lab.outcome import Outcome
from wirelab.model.trial import Link, State, Workload
from wirelab.store.sample_file import read_samples

pytestmark = pytest.mark.first_case


def run(folder: Path, name: str, qos: str, transport: str, topology: str = "one-way", **more: Any) -> Outcome:
    """Thirty messages of 100 B behind a link of 20 ms each way that loses one packet in ten."""
    messages = folder / "messages"
    messages.write_bytes(b"".join(struct.pack("<II", 100, i) + bytes(96) for i in range(30)))
    trial = a_trial(
        seed=3,
        payload=a_payload(corpus=str(messages), codec=""),
        protocol=name,
        qos=qos,
        link=Link("rtt=40ms,loss=10%"),
        workload=Workload(rate_hz=50, count=30, warmup=0, topology=topology),
        server="none",
        transport=transport,
        **more,
    )
    return outcome_of(trial, folder)


@pytest.mark.parametrize(
    ("name", "library", "qos", "transport", "group"),
    [
        ("zmq", "", "block", "tcp", ""),
        ("zmq", "", "block", "epgm", "239.192.0.1:5563"),
        ("dds", "", "reliable", "unicast", ""),
        ("dds", "", "reliable", "multicast", "239.255.0.1:7401"),
        ("dds", "fastdds", "reliable", "unicast", ""),
        ("dds", "fastdds", "reliable", "multicast", "239.255.0.1:7401"),
    ],
)
def test_repaired_messages_arrive_from_the_first_one_on(
    tmp_path: Path, name: str, library: str, qos: str, transport: str, group: str
) -> None:
    # By default Fast DDS requests missing samples every 3 s.
    options = {"heartbeat_ms": "100"} if library == "fastdds" else {}
    outcome = run(tmp_path, name, qos, transport, library=library, options=options)
    assert outcome.verdict.state is State.VALID, outcome.verdict
    assert outcome.counters["publisher"]["sent"] == 30
    assert outcome.counters["subscriber"]["received"] == 30
    assert outcome.settled
    up = [flow for flow in outcome.link["flows"] if (flow["host"], flow["direction"]) == ("device", "up")]
    busiest = max(up, key=lambda flow: flow["payload_bytes"])["destination"]
    assert busiest == group if group else busiest.startswith("10.77.0.")


@pytest.mark.parametrize("library", ["cyclonedds", "fastdds"])
def test_a_best_effort_reader_misses_only_messages_that_the_link_lost(tmp_path: Path, library: str) -> None:
    outcome = run(tmp_path, "dds", "best-effort", "unicast", library=library)
    dropped = sum(outcome.link["hosts"]["device"]["up"]["dropped"].values())
    assert 30 - dropped <= outcome.counters["subscriber"]["received"] < 30


def test_the_flow_controller_of_fast_dds_limits_the_bytes_per_period(tmp_path: Path) -> None:
    # 360 B a period: RTPS's 32 B and two of these messages, each of 132 B, but not three.
    options = {"flow_controller": "3600", "flow_period_ms": "100"}
    outcome = run(tmp_path, "dds", "best-effort", "unicast", library="fastdds", options=options)
    assert outcome.verdict.state is State.VALID, outcome.verdict
    samples = read_samples(tmp_path / "subscriber.samples")
    first, last = samples[0], samples[-1]
    passed = int(last["seq"] - first["seq"])
    assert passed > 20
    assert (last["received"] - first["received"]) / 1e9 == pytest.approx(passed * 0.05, rel=0.15)


def test_between_two_peers_on_one_host_nothing_is_measured(tmp_path: Path) -> None:
    outcome = run(tmp_path, "zmq", "drop", "tcp", topology="round-trip")
    assert outcome.verdict.state is State.SKIPPED
    assert "nothing would cross the link" in str(outcome.verdict)
