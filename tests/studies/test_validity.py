"""The verdict of a trial is a pure function of its facts; each reason has its sentence."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tests.factories import a_payload, a_trial
from wirelab.lab.outcome import Outcome
from wirelab.lab.packets import RECORD as PACKET
from wirelab.model.reason import Reason
from wirelab.model.result import Shares, TrialResult, Usage, Wire
from wirelab.model.trial import Link, State, Verdict, Workload
from wirelab.store.sample_file import RECORD, sample_file
from wirelab.studies.trial_result import evaluate

MS = 1_000_000
TRIAL = a_trial(
    levels={"format": "json/serde_json"},
    payload=a_payload(codec="json/serde_json"),
    qos="1",
    workload=Workload(rate_hz=10.0, count=3, warmup=1),
)


def outcome(**changes: Any) -> Outcome:
    seen = Outcome(messages=4, delivery="at-least-once", settled=True, counters={"publisher": {"sent": 4}})
    for key, value in changes.items():
        setattr(seen, key, value)
    return seen


def write(path: Path, rows: list[dict[str, int]]) -> None:
    records = np.zeros(len(rows), dtype=RECORD)
    for index, row in enumerate(rows):
        for key, value in row.items():
            records[index][key] = value
    path.write_bytes(sample_file(records))


def samples(folder: Path, sent: int = 4, lost: tuple[int, ...] = (), every: int = 100) -> None:
    """Message i: planned at i * every ms, 1 ms of queue, 2 ms of encode, 40 ms on the way, 3 ms to
    decode.
    """
    published = [
        {
            "seq": i,
            "planned": (1 + i * every) * MS,
            "start": (2 + i * every) * MS,
            "sent": (4 + i * every) * MS,
            "bytes": 100,
            "flags": 1,
        }
        for i in range(sent)
    ]
    write(folder / "publisher.samples", published)
    arrived = [
        {"seq": i, "received": (44 + i * every) * MS, "decoded": (47 + i * every) * MS, "bytes": 100}
        for i in range(sent)
        if i not in lost
    ]
    write(folder / "subscriber.samples", arrived)


def told(result: TrialResult) -> list[str]:
    return [str(note) for note in result.notes]


def test_a_clean_trial_is_valid_with_a_latency_breakdown(tmp_path: Path) -> None:
    samples(tmp_path)
    result, joined = evaluate(TRIAL, outcome(), tmp_path)
    assert result.verdict.state is State.VALID
    assert (result.counts.planned, result.counts.delivered, result.counts.lost) == (3, 3, 0)
    assert result.shares == Shares(queue=1e6, encode=2e6, wire=40e6, server=0, decode=3e6, separable=False)
    assert result.payload_bytes == 100
    assert joined is not None
    assert joined.latency().tolist() == [46 * MS] * 3


def test_the_packet_log_separates_the_server_from_the_wire(tmp_path: Path) -> None:
    samples(tmp_path)
    flows = [
        {"host": "server", "direction": "down", "payload_bytes": 400},
        {"host": "server", "direction": "up", "payload_bytes": 400},
    ]
    packets = np.zeros(8, dtype=PACKET)
    for i in range(4):
        base = i * 100 * MS
        packets[2 * i]["flow"], packets[2 * i]["egress"] = 0, base + 20 * MS
        packets[2 * i + 1]["flow"], packets[2 * i + 1]["ingress"] = 1, base + 25 * MS
    packets["payload_bytes"] = 100
    (tmp_path / "packets.bin").write_bytes(struct.pack("<8sII", b"WLPKTS01", 1, 48) + packets.tobytes())
    result, _ = evaluate(TRIAL, outcome(link={"flows": flows}), tmp_path)
    assert result.shares == Shares(queue=1e6, encode=2e6, wire=35e6, server=5e6, decode=3e6, separable=True)


def test_messages_that_were_never_sent_make_the_trial_invalid(tmp_path: Path) -> None:
    samples(tmp_path, sent=2)
    result, _ = evaluate(TRIAL, outcome(), tmp_path)
    assert str(result.verdict) == "invalid: under-sent: only 1 of 3 planned messages were sent"


def test_an_overloaded_trial_is_a_valid_result(tmp_path: Path) -> None:
    samples(tmp_path, sent=2)
    result, _ = evaluate(TRIAL, outcome(overloaded=True), tmp_path)
    assert result.verdict.state is State.VALID
    assert (result.counts.planned, result.counts.delivered) == (3, 1)
    assert told(result) == [
        "overloaded: mqtt carries 10.0/s of 10.0/s here; 2 of 3 messages had not arrived 10.0 s after the last was due",
        "cause: the sender's queue or socket buffer was full: 2 messages not handed over",
    ]


def test_an_emulator_that_dropped_packets_makes_the_trial_invalid(tmp_path: Path) -> None:
    samples(tmp_path)
    result, _ = evaluate(TRIAL, outcome(link={"own_drops": 3}), tmp_path)
    assert str(result.verdict) == "invalid: emulator dropped packets: 3 packets, beyond those of the link"


def test_a_late_emulator_makes_the_trial_invalid(tmp_path: Path) -> None:
    samples(tmp_path)
    result, _ = evaluate(TRIAL, outcome(link={"lateness": {"p99_ns": 1.5 * MS}}), tmp_path)
    assert (
        str(result.verdict)
        == "invalid: emulator behind schedule: packets left it up to 1.50 ms late (99th percentile)"
    )
    result, _ = evaluate(TRIAL, outcome(link={"lateness": {"p99_ns": 0.9 * MS}}), tmp_path)
    assert result.verdict.state is State.VALID


def test_steal_time_alone_makes_no_trial_invalid_but_is_named_in_invalid_ones(
    tmp_path: Path,
) -> None:
    samples(tmp_path)
    result, _ = evaluate(TRIAL, outcome(stolen=0.46), tmp_path)
    assert (result.verdict.state, result.stolen) == (State.VALID, 0.46)
    result, _ = evaluate(TRIAL, outcome(stolen=0.46, link={"own_drops": 3}), tmp_path)
    assert str(result.verdict) == (
        "invalid: emulator dropped packets: 3 packets, beyond those of the link; "
        "the hypervisor took 46 % of the CPU time"
    )
    result, _ = evaluate(TRIAL, outcome(stolen=0.01, link={"own_drops": 3}), tmp_path)
    assert str(result.verdict) == "invalid: emulator dropped packets: 3 packets, beyond those of the link"


def test_latency_of_pure_cpu_time_is_invalid_with_much_steal_time(
    tmp_path: Path,
) -> None:
    flow(tmp_path)
    seen = outcome(messages=100, counters={"publisher": {"sent": 100}}, stolen=0.11)
    assert str(evaluate(DENSE, seen, tmp_path)[0].verdict) == (
        "invalid: steal time: over an ideal link, latency is CPU time; "
        "the hypervisor took 11 % of the CPU time"
    )
    seen.stolen = 0.1
    assert evaluate(DENSE, seen, tmp_path)[0].verdict.state is State.VALID
    seen.stolen = 0.11
    behind_a_link = replace(DENSE, link=Link("rtt=20ms"))
    assert evaluate(behind_a_link, seen, tmp_path)[0].verdict.state is State.VALID


def test_peers_that_waited_for_a_cpu_make_the_trial_invalid(tmp_path: Path) -> None:
    samples(tmp_path)
    usage = {"publisher": Usage(run_delay_ns=5 * MS), "subscriber": Usage(run_delay_ns=6 * MS)}
    result, _ = evaluate(TRIAL, outcome(usage=usage), tmp_path)
    assert (
        str(result.verdict)
        == "invalid: load generator saturated (coordinated-omission risk): peers waited 2.75 ms per message for a CPU"
    )


def test_a_publisher_that_waited_while_it_had_nothing_to_send_costs_no_message_anything(
    tmp_path: Path,
) -> None:
    samples(tmp_path)
    usage = {"publisher": Usage(run_delay_ns=900 * MS), "subscriber": Usage(run_delay_ns=0)}
    result, _ = evaluate(TRIAL, outcome(usage=usage), tmp_path)
    assert (
        str(result.verdict)
        == "invalid: load generator saturated (coordinated-omission risk): peers waited 3.00 ms per message for a CPU"
    )
    prompt = [
        {
            "seq": i,
            "planned": i * 100 * MS + 1,
            "start": i * 100 * MS + 1,
            "sent": i * 100 * MS + 2,
            "flags": 1,
        }
        for i in range(4)
    ]
    write(tmp_path / "publisher.samples", prompt)
    result, _ = evaluate(TRIAL, outcome(usage=usage), tmp_path)
    assert result.verdict.state is State.VALID


def test_a_subscriber_that_waited_while_nothing_came_costs_a_message_no_more_than_its_wake_ups(
    tmp_path: Path,
) -> None:
    samples(tmp_path)
    idle = {"subscriber": Usage(run_delay_ns=100 * MS, slices=2000)}
    result, _ = evaluate(TRIAL, outcome(usage=idle), tmp_path)
    assert result.verdict.state is State.VALID
    held_up = {"subscriber": Usage(run_delay_ns=100 * MS, slices=100)}
    result, _ = evaluate(TRIAL, outcome(usage=held_up), tmp_path)
    assert (
        str(result.verdict)
        == "invalid: load generator saturated (coordinated-omission risk): peers waited 4.00 ms per message for a CPU"
    )


def flow(folder: Path, held_from: int = 0, held_ms: int = 0, on_the_way_us: int = 500) -> None:
    """100 messages, one per ms.

    At `held_from` the sender stalls for `held_ms`, then sends what is due.
    """
    rows, us = [], MS // 1000
    for i in range(100):
        planned = (1 + i) * MS
        held = held_from <= i < held_from + held_ms
        start = (1 + held_from + held_ms) * MS + (i - held_from) * 10 * us if held else planned + 10 * us
        rows.append({"seq": i, "planned": planned, "start": start, "sent": start + 5 * us, "flags": 1})
    write(folder / "publisher.samples", rows)
    arrived = [
        {
            "seq": row["seq"],
            "received": row["start"] + on_the_way_us * us,
            "decoded": row["start"] + on_the_way_us * us,
        }
        for row in rows
    ]
    write(folder / "subscriber.samples", arrived)


DENSE = replace(TRIAL, workload=Workload(rate_hz=1000.0, count=99, warmup=1))


def test_a_sender_stall_makes_the_trial_invalid(tmp_path: Path) -> None:
    # 5 ms: the five messages due in that time are late by 5.0, 4.0, 3.0, 2.0 and 1.0 ms, of 65
    # ms of all latency.
    flow(tmp_path, held_from=50, held_ms=5)
    seen = outcome(
        messages=100, usage={"publisher": Usage(run_delay_ns=4 * MS)}, counters={"publisher": {"sent": 100}}
    )
    result, _ = evaluate(DENSE, seen, tmp_path)
    assert str(result.verdict) == ("invalid: sender stalled: 5 messages were started up to 5.00 ms late")


def test_a_sender_stall_of_little_latency_is_valid(tmp_path: Path) -> None:
    flow(tmp_path, held_from=50, held_ms=5, on_the_way_us=40_000)
    seen = outcome(
        messages=100, usage={"publisher": Usage(run_delay_ns=4 * MS)}, counters={"publisher": {"sent": 100}}
    )
    assert evaluate(DENSE, seen, tmp_path)[0].verdict.state is State.VALID


def test_a_sender_that_waited_for_its_protocol_is_valid(tmp_path: Path) -> None:
    # The message before is on its way for 6 ms: a window may be full of it.
    flow(tmp_path, held_from=50, held_ms=30, on_the_way_us=6000)
    seen = outcome(
        messages=100, usage={"publisher": Usage(run_delay_ns=MS // 2)}, counters={"publisher": {"sent": 100}}
    )
    assert evaluate(DENSE, seen, tmp_path)[0].verdict.state is State.VALID


def test_a_sender_stall_with_nothing_in_flight_makes_the_trial_invalid(tmp_path: Path) -> None:
    # A hypervisor's pause is charged to the running process as CPU time: no process waited.
    flow(tmp_path, held_from=50, held_ms=30)
    seen = outcome(
        messages=100, usage={"publisher": Usage(run_delay_ns=MS // 2)}, counters={"publisher": {"sent": 100}}
    )
    assert str(evaluate(DENSE, seen, tmp_path)[0].verdict) == (
        "invalid: sender stalled: 30 messages were started up to 30.0 ms late"
    )


def test_a_broken_promise_is_counted_and_noted(tmp_path: Path) -> None:
    samples(tmp_path, lost=(2,))
    result, _ = evaluate(TRIAL, outcome(), tmp_path)
    assert result.verdict.state is State.VALID
    assert result.counts.lost == 1
    assert told(result) == [
        "promise broken: 1 message lost although mqtt qos 1 promises at-least-once",
        "cause unknown: no counter of peers, server or link explains it",
    ]


def test_messages_in_flight_at_the_end_of_an_overloaded_trial_are_late(
    tmp_path: Path,
) -> None:
    samples(tmp_path, lost=(2,))
    result, _ = evaluate(TRIAL, outcome(overloaded=True), tmp_path)
    assert told(result) == [
        "overloaded: mqtt carries 8.23/s of 10.0/s here; 1 of 3 messages had not arrived 10.0 s after the last was due",
        "cause unknown: no counter of peers, server or link explains it",
    ]


def test_a_trial_in_which_nothing_arrives_any_more_is_stalled(tmp_path: Path) -> None:
    samples(tmp_path, lost=(2, 3))
    # The last message arrived 144 ms after the start.
    stalled = outcome(overloaded=True, start_ns=0, elapsed_ns=10_400 * MS)
    result, _ = evaluate(TRIAL, stalled, tmp_path)
    assert result.verdict.state is State.VALID
    assert told(result)[0] == (
        "stalled: nothing arrived in the last 10.3 s; 2 of 3 messages were still to come"
    )


def test_a_missed_rate_is_noted(tmp_path: Path) -> None:
    samples(tmp_path, every=200)
    result, _ = evaluate(TRIAL, outcome(), tmp_path)
    assert told(result) == [
        "rate missed: 5.00/s instead of 10.0/s; the sender could not hand messages over in time"
    ]


def test_a_trial_that_was_skipped_or_failed_keeps_its_reason(tmp_path: Path) -> None:
    result, joined = evaluate(
        TRIAL, outcome(verdict=Verdict(State.SKIPPED, Reason.message("no qos 2"))), tmp_path
    )
    assert str(result.verdict) == "skipped: no qos 2"
    assert joined is None


@pytest.mark.parametrize("content", [b"", b"garbage" * 20])
def test_samples_that_cannot_be_read_fail_the_trial(tmp_path: Path, content: bytes) -> None:
    samples(tmp_path)
    (tmp_path / "subscriber.samples").write_bytes(content)
    result, joined = evaluate(TRIAL, outcome(), tmp_path)
    assert result.verdict.state is State.FAILED
    assert joined is None


def test_bytes_on_the_wire_are_kept_by_host_and_direction(tmp_path: Path) -> None:
    samples(tmp_path)
    counted = {
        "packets": 4,
        "l2_bytes": 600,
        "l3_bytes": 544,
        "dropped": {"loss": 1, "queue": 2},
        "retransmissions": 1,
    }
    result, _ = evaluate(TRIAL, outcome(link={"hosts": {"device": {"up": counted}}}), tmp_path)
    assert result.wire == {
        "device.up": Wire(packets=4, l2_bytes=600, l3_bytes=544, dropped=3, retransmissions=1)
    }
