"""A message's time is divided along the packets that it had to wait for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from wirelab.lab.critical_path import mean_path
from wirelab.lab.hops import Hop, read_hops
from wirelab.lab.packets import RECORD
from wirelab.model.result import MessagePath

MS = 1_000_000
D, B, C = "10.0.0.1:40000", "10.0.0.2:1883", "10.0.0.3:40001"
HOME = {D: "device", B: "server", "10.0.0.2:9": "server", C: "consumer"}
PARTS = ("serialization", "capacity", "propagation", "retransmission", "broker", "hosts", "unexplained")


class Log:
    """A packet log: the links of the device take 1 ms for 100 B and then 9 ms, those of others no
    time.
    """

    def __init__(self) -> None:
        self.flows: list[dict[str, Any]] = []
        self.rows: list[tuple[int, int, int, int, int, int, int]] = []

    def send(
        self, at: float, source: str, target: str, payload: int = 60, wait: float = 0, lost: bool = False
    ) -> float:
        """A packet of 100 B that leaves at a time in ms. Returns when it arrives."""
        slow = "device" in (HOME[source], HOME[target])
        held, whole = (wait + 1, wait + 10) if slow else (0, 0)
        up_held, up_end = (held, at + whole) if HOME[source] == "device" else (0, at)
        self._row(source, target, HOME[source], "up", at, up_end, payload, up_held, lost)
        end = up_end if HOME[source] == "device" else at + whole
        if not lost:
            own = held if HOME[source] != "device" else 0
            self._row(source, target, HOME[target], "down", up_end, end, payload, own, False)
        return end

    def _row(self, source, target, host, way, at, end, payload, held, lost) -> None:
        flow = {"host": host, "direction": way, "protocol": "tcp", "source": source, "destination": target}
        if flow not in self.flows:
            self.flows.append(flow)
        egress = 0 if lost else round(end * MS)
        self.rows.append((
            round(at * MS), egress, self.flows.index(flow), payload, int(lost), int(way == "down"), round(held * MS),
        ))  # fmt: skip

    def packets(self) -> np.ndarray:
        records = np.zeros(len(self.rows), RECORD)
        for record, (at, end, flow, payload, drop, way, held) in zip(records, self.rows, strict=True):
            record["ingress"], record["egress"], record["flow"] = at, end, flow
            record["l3_bytes"], record["payload_bytes"], record["drop"] = 100, payload, drop
            record["direction"] = way
            record["sojourn"] = (held & 0xFFFF, held >> 16 & 0xFFFF, held >> 32)
        return records

    def path(self, sent: float, received: float) -> MessagePath:
        ends = (np.array([round(at * MS)], np.int64) for at in (sent, received))
        found = mean_path(self.packets(), self.flows, *ends)
        assert sum(getattr(found, part) for part in PARTS) == pytest.approx((received - sent) * MS)
        return found


def test_the_records_of_a_packet_are_one_hop() -> None:
    log = Log()
    log.send(1, D, B, wait=3)
    log.send(20, D, B)
    first, _ = read_hops(log.packets(), log.flows).arrived["server"]
    assert first == Hop(1 * MS, 14 * MS, "device", "server", frozenset((D, B)), 60, 1 * MS, 3 * MS)


def test_a_message_through_a_broker_takes_its_links_and_the_broker() -> None:
    log = Log()
    at_broker = log.send(1, D, B)
    log.send(at_broker + 2, B, C)
    assert log.path(0.5, 13.25) == MessagePath(
        1, serialization=1e6, propagation=9e6, broker=2e6, hosts=0.75e6
    )


def test_time_behind_other_packets_is_waiting_for_capacity() -> None:
    log = Log()
    log.send(0, D, B)
    log.send(log.send(20, D, B, wait=7), B, C)
    found = log.path(20, 37)
    assert (found.serialization, found.capacity, found.propagation) == (1e6, 7e6, 9e6)


def test_behind_packets_of_its_own_message_a_packet_is_serialized() -> None:
    log = Log()
    log.send(20, D, B)
    log.send(20.25, D, B, wait=0.75)
    log.send(log.send(20.5, D, B, wait=4), B, C)
    found = log.path(20, 34.5)
    assert (found.serialization, found.capacity, found.hosts) == (3e6, 2e6, 0.5e6)


def test_a_lost_packet_costs_its_timer() -> None:
    log = Log()
    log.send(1, D, B, lost=True)
    log.send(log.send(201, D, B), B, C)
    found = log.path(1, 211)
    assert (found.retransmission, found.timeouts) == (200e6, 1)
    assert (found.serialization, found.propagation, found.hosts) == (1e6, 9e6, 0)


def test_packets_that_are_spaced_after_a_loss_wait_for_no_timer() -> None:
    log = Log()
    log.send(1, D, B, lost=True)
    for at in (3, 5):
        arrived = log.send(at, D, B)
    log.send(arrived, B, C)
    found = log.path(1, 15)
    assert (found.timeouts, found.retransmission, found.hosts) == (0, 0, 4e6)


def test_the_timer_of_the_message_before_holds_the_next_one() -> None:
    log = Log()
    log.send(1, D, B, lost=True)
    acknowledged = log.send(log.send(201, D, B), B, D)
    log.send(log.send(acknowledged, D, B), B, C)
    found = log.path(101, 231)
    assert (found.retransmission, found.timeouts, found.answers) == (100e6, 1, 1)
    assert (found.propagation, found.hosts) == (27e6, 0)


def test_a_handshake_before_delivery_is_a_round_trip_of_answers() -> None:
    log = Log()
    received = log.send(log.send(0, D, B), B, D)
    log.send(log.send(received + 0.5, D, B), B, C)
    found = log.path(0, 30.5)
    assert (found.answers, found.acknowledgements) == (1, 0)
    assert (found.serialization, found.propagation, found.hosts) == (3e6, 27e6, 0.5e6)


def test_an_answer_to_another_message_is_no_round_trip_of_this_one() -> None:
    log = Log()
    log.send(log.send(0, D, B), B, D)
    log.send(log.send(20.25, D, B), B, C)
    found = log.path(18.75, 30.25)
    assert (found.answers, found.hosts) == (0, 1.5e6)


def test_a_window_that_opens_is_a_round_trip_of_acknowledgements() -> None:
    log = Log()
    acknowledged = log.send(log.send(0, D, B), B, D, payload=0)
    log.send(log.send(acknowledged, D, B), B, C)
    found = log.path(0, 30)
    assert (found.answers, found.acknowledgements, found.propagation) == (0, 1, 27e6)


def test_a_message_whose_packets_are_not_in_the_log_is_unexplained() -> None:
    log = Log()
    log.send(log.send(0, D, B), B, C)
    assert log.path(50, 70) == MessagePath(1, unexplained=20e6)


def test_packets_of_flows_that_the_counters_do_not_have_are_left_out() -> None:
    log = Log()
    log.send(log.send(0, D, B), B, C)
    known = list(log.flows)
    log.send(30, D, "10.0.0.2:9")
    assert len(read_hops(log.packets(), known).left["device"]) == 1


def test_without_a_log_there_is_no_path() -> None:
    nothing = np.zeros(0, RECORD)
    assert mean_path(nothing, [], np.array([1]), np.array([2])) == MessagePath()
