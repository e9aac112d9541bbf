"""The lab's side of the peer contract: every fault of a peer ends the trial with a sentence."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from wirelab.lab import peer as module
from wirelab.lab.peer import Peer
from wirelab.lab.peer_contract import Describe, Described, Stop, Stopped
from wirelab.model.errors import MeasurementFailed

Started = list[Peer]


@pytest.fixture
def started() -> Iterator[Started]:
    peers: Started = []
    yield peers
    for peer in peers:
        peer.kill()


def start(started: Started, script: str) -> Peer:
    """A peer that is a few lines of Python; `say` prints one line."""
    prelude = "import sys\ndef say(text): print(text, flush=True)\ndef hear(): return sys.stdin.readline()\n"
    process = subprocess.Popen(
        [sys.executable, "-c", prelude + script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    started.append(Peer("publisher", process))
    return started[-1]


def test_a_command_gets_its_answer(started: Started) -> None:
    peer = start(started, """hear(); say('{"event":"described","contract":1}')""")
    assert peer.ask(Describe(), Described, 60).contract == 1


def test_progress_before_the_answer_is_counted(started: Started) -> None:
    peer = start(started, """hear(); say('{"event":"progress","sent":3}'); say('{"event":"stopped"}')""")
    peer.ask(Stop(), Stopped, 60)
    assert peer.counters["sent"] == 3


def test_the_drain_detects_settled_publishers(started: Started) -> None:
    peer = start(started, """hear(); say('{"event":"settled","sent":9}'); say('{"event":"stopped"}')""")
    peer.ask(Stop(), Stopped, 60)
    assert peer.settled
    assert peer.counters["sent"] == 9


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("hear(); say('garbage')", "not an event.*garbage"),
        ("hear(); say('[1,2]')", "not an event"),
        ("hear(); say('{\"event\":7}')", "not an event"),
        ("hear(); sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()", "not an event"),
        ('hear(); say(\'{"event":"surprise"}\')', "an unexpected event"),
        (
            'hear(); say(\'{"event":"described","qos":5}\')',
            r"an answer of the wrong shape: described: Expected `array`, got `int` - at `\$\.qos`",
        ),
        (f'hear(); say(\'{{"event":"progress","sent":{2**63}}}\')', "an answer of the wrong shape: progress"),
        ("sys.exit(4)", "ended"),
        (
            'hear(); say(\'{"event":"error","what":"connect 10.77.0.2:1883","why":"refused","fatal":true}\')',
            "connect 10.77.0.2:1883: refused",
        ),
    ],
)
def test_a_peer_that_breaks_the_contract_fails_the_trial_with_a_sentence(
    started: Started, script: str, complaint: str
) -> None:
    with pytest.raises(MeasurementFailed, match=complaint):
        start(started, script).ask(Describe(), Described, 60)


def test_a_peer_that_does_not_answer_times_out(started: Started) -> None:
    with pytest.raises(MeasurementFailed, match=r"no 'described' within 0\.05 s"):
        start(started, "hear(); hear()").ask(Describe(), Described, 0.05)


def test_an_error_that_is_not_fatal_is_kept(started: Started) -> None:
    peer = start(
        started,
        """hear(); say('{"event":"error","what":"message 3","why":"too big","fatal":false}'); say('{"event":"stopped"}')""",
    )
    peer.ask(Stop(), Stopped, 60)
    assert peer.errors == ["message 3: too big"]


def test_an_endless_line_does_not_fill_the_memory(started: Started) -> None:
    peer = start(started, "hear()\nwhile True: sys.stdout.write('x' * 65536)")
    with pytest.raises(MeasurementFailed, match="not an event"):
        peer.ask(Describe(), Described, 60)


def test_a_peer_on_a_busy_machine_may_take_longer_to_describe_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []

    def silent(_process: Any, _command: bytes, timeout: float) -> tuple[bytes, bytes]:
        limits.append(timeout)
        return b"", b""

    monkeypatch.setattr(module, "slower", lambda: 3.0)
    monkeypatch.setattr(module.subprocess.Popen, "communicate", silent)
    assert module.versions([("true",)], limit_s=2.0) == {("true",): "(its peer does not answer)"}
    assert limits == [6.0]
