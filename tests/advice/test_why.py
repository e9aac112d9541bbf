"""Why a row is slow: the parts of its latency, and who causes its round trips."""

from __future__ import annotations

import pytest

from wirelab.advice.why import merged_path, why
from wirelab.model.answer import Cause
from wirelab.model.estimate import Estimate
from wirelab.model.result import MessagePath, Shares, TrialResult

MS = 1e6
SHARES = Shares(queue=0.0, encode=0.1 * MS, decode=0.1 * MS)
PATH = MessagePath(10, serialization=5 * MS, propagation=40 * MS, hosts=0.8 * MS)


def sizes(payload: float) -> dict[str, Estimate]:
    return {
        "bytes": Estimate(payload, payload, payload, "B", 1, 1, ""),
        "wire_bytes": Estimate(payload + 200, payload, payload, "B", 1, 1, ""),
    }


def levels(protocol: str, qos: str) -> dict[str, str]:
    return {"protocol": protocol, "qos": qos}


def test_the_largest_parts_are_named_with_the_bytes_behind_them() -> None:
    found = why(PATH, SHARES, levels("mqtt", "0"), sizes(1000))
    assert found is not None
    assert found.text == "mean 46.0 ms: propagation 40.0 ms, serialization 5.00 ms (1,200 B on the wire)"
    assert (found.round_trips, found.cause, found.unexplained) == (0, None, 0)


@pytest.mark.parametrize(
    ("protocol", "qos", "payload", "answers", "acknowledgements", "cause"),
    [
        ("mqtt", "2", 100, 1, 0, Cause.QOS_2),
        ("coap", "con", 5000, 4, 0, Cause.BLOCKS),
        ("coap", "con", 100, 0.4, 0, Cause.NSTART),
        ("xmpp", "chat", 100, 1, 0, Cause.ANSWERS),
        ("mqtt", "0", 60_000, 0, 2, Cause.FIRST_WINDOW),
        ("mqtt", "0", 100, 0, 1, Cause.ACKNOWLEDGEMENTS),
        ("http3", "post", 60_000, 2, 0, Cause.FIRST_WINDOW),
    ],
)
def test_round_trips_have_a_cause(
    protocol: str, qos: str, payload: float, answers: float, acknowledgements: float, cause: Cause
) -> None:
    path = MessagePath(10, propagation=40 * MS, answers=answers, acknowledgements=acknowledgements)
    found = why(path, SHARES, levels(protocol, qos), sizes(payload))
    assert found is not None
    assert (found.cause, found.round_trips) == (cause, answers + acknowledgements)


def test_a_late_acknowledgement_before_delivery_is_nagles() -> None:
    path = MessagePath(10, propagation=40 * MS, hosts=42 * MS, acknowledgements=1)
    found = why(path, SHARES, levels("mqtt", "0"), sizes(100))
    assert found is not None
    assert "1 round trips before delivery (Nagle's algorithm and a delayed acknowledgement)" in found.text


def test_timers_are_counted_and_what_packets_do_not_explain_is_said() -> None:
    path = MessagePath(10, propagation=40 * MS, retransmission=50 * MS, unexplained=10 * MS, timeouts=0.25)
    found = why(path, Shares(), levels("coap", "con"), {})
    assert found is not None
    assert found.text == (
        "mean 100 ms: retransmission timers 50.0 ms (0.25 per message), propagation 40.0 ms, "
        "10% is not explained by the packets"
    )


def test_without_a_path_there_is_no_reason() -> None:
    assert why(MessagePath(), SHARES, levels("mqtt", "0"), {}) is None


def test_paths_of_trials_are_weighted_by_their_messages() -> None:
    trials = [
        TrialResult("a", path=MessagePath(3, broker=4.0)),
        TrialResult("b", path=MessagePath(1, broker=8.0)),
    ]
    assert merged_path([*trials, TrialResult("c")]) == MessagePath(4, broker=5.0)


def test_the_wait_for_a_batch_is_named_and_its_bytes_are_those_of_the_batch() -> None:
    waited = Shares(queue=0.0, encode=0.0, decode=0.0, batch=900 * MS)
    found = why(MessagePath(10, serialization=200 * MS), waited, levels("mqtt", "0"), sizes(100), 10)
    assert found is not None
    assert found.text == (
        "mean 1.10 s: waiting for the batch 900 ms, "
        "serialization 200 ms (3,000 B on the wire for a batch of 10)"
    )
