"""A cell measures one trial in its own lab, with real server, peers and link."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.factories import a_payload, a_trial
from tests.lab.single_cell import outcome_of, outcomes_of
from wirelab.lab.outcome import Outcome
from wirelab.model.arrivals import ClosedLoop
from wirelab.model.trial import Link, State, Workload
from wirelab.workloads import messages

SECOND = 1_000_000_000


def measured(folder: Path, workload: Workload, late_ns: int = 0, **changes: Any) -> Outcome:
    """The outcome of a trial of 10-byte messages over MQTT; `changes` are fields of Trial."""
    corpus = folder / "messages"
    messages.write(corpus, messages.messages(10, 20, seed=1))
    trial = a_trial(
        "one",
        payload=a_payload(corpus=str(corpus), codec="messages/10B"),
        link=Link("rtt=10ms"),
        workload=workload,
        **changes,
    )
    return outcome_of(trial, folder, late_ns)


def test_the_link_time_of_a_late_trial_starts_late_too(tmp_path: Path) -> None:
    outcome = measured(tmp_path, Workload(rate_hz=20.0, count=2, warmup=0), late_ns=SECOND)
    assert 0 <= outcome.start_ns - outcome.link["epoch_ns"] < SECOND


def test_stop_and_wait_messages_are_spaced_in_link_time_only(tmp_path: Path) -> None:
    one_by_one = Workload(rate_hz=2.0, count=2, warmup=1, arrivals=ClosedLoop(spacing_ns=60_000_000_000))
    outcome = measured(tmp_path, one_by_one)
    assert outcome.elapsed_ns < 60 * SECOND
    assert outcome.start_ns - outcome.link["epoch_ns"] > 120 * SECOND


def test_connecting_is_counted_apart_from_the_messages(tmp_path: Path) -> None:
    outcome = measured(tmp_path, Workload(rate_hz=20.0, count=2, warmup=0))
    up, down = (outcome.connecting["hosts"]["device"][way] for way in ("up", "down"))
    # SYN, the ACK of SYN-ACK, CONNECT and the ACK of CONNACK; of the broker SYN-ACK, the ACK of
    # CONNECT and CONNACK. A header of TCP over IPv4 has 52 bytes with timestamps, 60 in a SYN.
    connect, connack = 14 + len("publisher"), 4
    assert (up["packets"], up["l3_bytes"]) == (4, 60 + 52 + 52 + connect + 52)
    assert (down["packets"], down["l3_bytes"]) in {(2, 60 + 52 + connack), (3, 60 + 52 + 52 + connack)}
    assert outcome.link["hosts"]["device"]["up"]["payload_bytes"] == 2 * (2 + 2 + len("wirelab/t") + 10)


def test_messages_carry_the_topic_that_was_asked_for(tmp_path: Path) -> None:
    few = Workload(rate_hz=20.0, count=2, warmup=0)
    outcome = measured(tmp_path, few, topic="dt/fleet/{id}/telemetry")
    assert outcome.link["hosts"]["device"]["up"]["payload_bytes"] == 2 * (2 + 2 + 23 + 10)


@pytest.mark.matrix
def test_keep_alives_of_an_idle_connection_are_counted(tmp_path: Path) -> None:
    # A keep-alive of MQTT: PINGREQ, PINGRESP and the ACK of it, 52 bytes of header each.
    few = Workload(rate_hz=20.0, count=1, warmup=0, idle_ns=16 * SECOND)
    idle = measured(tmp_path, few, options={"keep_alive_s": "5"}).idle
    assert idle.exchanges == 2
    assert idle.bytes == 2 * (54 + 54 + 52)
    assert 9 * SECOND < idle.ns < 11 * SECOND


def test_a_trial_after_one_that_failed_has_a_new_server(tmp_path: Path) -> None:
    corpus = tmp_path / "messages"
    messages.write(corpus, messages.messages(10, 20, seed=1))
    payload = a_payload(corpus=str(corpus), codec="messages/10B")
    few = Workload(rate_hz=20.0, count=2, warmup=0)
    missing = a_payload(corpus=str(tmp_path / "nothing"), codec="messages/10B")
    trials = [
        a_trial(name, payload=given, link=Link("rtt=10ms"), workload=few)
        for name, given in (("a", payload), ("b", missing), ("c", payload), ("d", payload))
    ]
    folders = [tmp_path / trial.id for trial in trials]
    for folder in folders:
        folder.mkdir()
    outcomes = outcomes_of(trials, folders)
    states = [outcome.verdict.state for outcome in outcomes]
    assert states == [State.VALID, State.FAILED, State.VALID, State.VALID]
    assert sorted(folder.name for folder in tmp_path.glob("*-server")) == ["a-server", "c-server"]
