"""Overload and loss have causes: what link, server and peers counted."""

from __future__ import annotations

import pytest

from tests.factories import a_trial
from wirelab.lab.outcome import Outcome
from wirelab.model.note import Note, NoteCode
from wirelab.model.result import Counts, ServerInfo, Usage, Waiting
from wirelab.studies.causes import Observed, causes, observed

S = 1_000_000_000
LATE = Counts(planned=100, sent=100, delivered=60, lost=40)
LOST = Counts(planned=100, sent=100, delivered=93, lost=7)


def codes(seen: Observed, counts: Counts, overloaded: bool, protocol: str = "mqtt") -> list[NoteCode]:
    return [note.code for note in causes(seen, counts, overloaded, 1e9, protocol, "1")]


@pytest.mark.parametrize(
    ("seen", "code"),
    [
        (Observed(waits={"device.up": 0.2e9}), NoteCode.LINK_BUSY),
        (Observed(queue_drops={"device.up": 9}), NoteCode.LINK_QUEUE),
        (Observed(busy={"publisher": 0.95}), NoteCode.SENDER_BUSY),
        (Observed(busy={"server": 1.8}), NoteCode.SERVER_BUSY),
        (Observed(busy={"subscriber": 0.97}), NoteCode.SLOW_CONSUMER),
        (Observed(unsent=12), NoteCode.SENDER_QUEUE),
        (Observed(unacknowledged=3), NoteCode.UNACKNOWLEDGED),
        (Observed(at_server=8), NoteCode.SERVER_QUEUE),
        (Observed(server_dropped=8), NoteCode.SERVER_LIMIT),
        (Observed(), NoteCode.CAUSE_UNKNOWN),
    ],
)
def test_overload_has_the_cause_that_was_counted(seen: Observed, code: NoteCode) -> None:
    assert codes(seen, LATE, overloaded=True) == [code]


def test_a_process_that_has_time_and_a_link_that_is_free_are_no_cause() -> None:
    seen = Observed(waits={"device.up": 0.05e9}, busy={"publisher": 0.8}, unsent=1)
    assert codes(seen, LATE, overloaded=True) == [NoteCode.SENDER_QUEUE]


def test_datagrams_that_the_link_lost_explain_loss_and_a_queue_at_the_sender_does_not() -> None:
    assert codes(Observed(lost=7, unsent=2), LOST, overloaded=False) == [NoteCode.LINK_LOSS]


def test_a_trial_that_carries_all_needs_no_cause() -> None:
    carried = Counts(planned=100, sent=100, delivered=100)
    assert codes(Observed(lost=7, unacknowledged=2), carried, overloaded=False) == []


def test_a_loss_that_the_sender_knows_of_needs_no_cause() -> None:
    assert codes(Observed(lost=9), Counts(planned=9, sent=9, lost=9, failed=9), overloaded=False) == []


@pytest.mark.parametrize(
    ("receiver", "sent", "elapsed_s", "found"),
    [
        ("californium", 70_000, 70, True),
        ("californium", 65_536, 70, False),
        ("californium", 100_000, 494, False),
        ("built-in", 70_000, 70, False),
    ],
)
def test_message_ids_run_out_at_a_receiver_that_compares_them(
    receiver: str, sent: int, elapsed_s: int, found: bool
) -> None:
    seen = Observed(receiver=receiver, sent=sent, elapsed_ns=elapsed_s * S)
    assert (NoteCode.MESSAGE_IDS in codes(seen, LOST, False, "coap")) is found
    assert NoteCode.MESSAGE_IDS not in codes(seen, LOST, False, "mqtt")


def test_what_was_counted_comes_from_link_server_and_peers() -> None:
    way = {"dropped": {"loss": 4, "queue": 2}, "sojourn_mean_ns": 1200}
    outcome = Outcome(
        counters={"publisher": {"sent": 90, "acknowledged": 80, "failed": 3}},
        usage={"publisher": Usage(cpu_ns=S), "subscriber": Usage(cpu_ns=S // 2)},
        elapsed_ns=2 * S,
        link={
            "hosts": {"device": {"up": way}},
            "flows": [
                {"protocol": "udp", "dropped": {"loss": 3}},
                {"protocol": "tcp", "dropped": {"loss": 1}},
            ],
        },
        waiting=Waiting(9, 5, 1),
        server=ServerInfo("mosquitto"),
    )
    assert observed(a_trial(server="mosquitto"), outcome, Counts(planned=100, sent=90), True) == Observed(
        waits={"device.up": 1200.0}, queue_drops={"device.up": 2}, lost=3,
        busy={"publisher": 0.5, "subscriber": 0.25}, unsent=10, unacknowledged=7, at_server=5,
        server_dropped=1, server="mosquitto", receiver="mosquitto", sent=90, elapsed_ns=2 * S,
    )  # fmt: skip


def test_a_cause_reads_as_a_sentence() -> None:
    assert str(Note(NoteCode.SERVER_LIMIT, {"messages": 1.0}, "mosquitto")) == (
        "cause: mosquitto dropped 1 message at a limit of its own"
    )
