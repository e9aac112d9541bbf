"""What is lost while the way between two peers without a server is broken."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest
from broken import cutter
from harness import distinct_messages, free_port
from pairs import PAIRS
from trial import Trial

MakeTrial = Callable[..., Trial]
ZMQ, DDS = (next(pair for pair in PAIRS if pair.name == name) for name in ("zmq", "dds"))
# So many messages are sent before, during and after the outage.
PART = 100
# So many may be sent until the first arrives again.
TRIES = 2_000


def sent(both: Trial, count: int) -> None:
    """Wait until the publisher has sent so many in all."""
    both.peers["publisher"].until(lambda event: event.get("sent", 0) >= count)


@pytest.mark.parametrize("level", ZMQ.qos)
def test_zeromq_comes_back_by_itself_and_loses_what_was_sent_meanwhile(level: str, trial: MakeTrial) -> None:
    port = free_port()
    with cutter(port) as way:
        both = trial(
            ZMQ,
            {"address": "127.0.0.1", "port": port},
            level,
            distinct_messages(3 * PART + TRIES, 200),
            count=3 * PART + TRIES,
            subscriber={"server": {"address": "127.0.0.1", "port": way.port}},
        )
        both.begin(3 * PART + TRIES)
        both.plan(PART)
        both.drain(PART)
        way.cut()
        way.refused(1)
        both.plan(PART)
        sent(both, 2 * PART)
        way.mend()
        tries = until_one_arrives(both)
        both.plan(PART)
        both.drain(2 * PART)
        both.end()
    seqs = [sample.seq for sample in both.samples("subscriber")]
    first = seqs[PART]
    assert seqs == [*range(PART), *range(first, 3 * PART + tries)]
    assert first >= 2 * PART


def until_one_arrives(both: Trial) -> int:
    """Send one message after the other until one arrives: how many it took."""
    before = both.arrived()
    for tries in range(1, TRIES):
        both.plan(1)
        deadline = time.monotonic() + 0.1
        while time.monotonic() < deadline:
            if both.arrived() > before:
                return tries
            time.sleep(0.002)
    raise AssertionError("the subscriber does not come back")


@dataclass
class Namespace:
    """A network namespace with nothing but a loopback."""

    holder: subprocess.Popen[bytes]

    @property
    def enter(self) -> tuple[str, ...]:
        """What precedes a program that shall run there."""
        return ("nsenter", "-t", str(self.holder.pid), "-U", "-n", "--preserve-credentials")

    def run(self, *argv: str) -> None:
        """Run a program there."""
        subprocess.run([*self.enter, *argv], check=True)

    @contextlib.contextmanager
    def outage(self) -> Iterator[None]:
        """Every packet is lost, and nobody is told: each is larger than the one byte that may pass."""
        self.run("tc", "qdisc", "add", "dev", "lo", "root", "tbf", "rate", "8bit", "burst", "1", "limit", "1")
        yield
        self.run("tc", "qdisc", "del", "dev", "lo", "root")


@pytest.fixture
def namespace() -> Iterator[Namespace]:
    """It lives as long as the process that has made it."""
    argv = ["unshare", "--user", "--map-root-user", "--net", "sh", "-c", "echo; exec cat"]
    holder = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdin
    assert holder.stdout
    try:
        if not holder.stdout.readline():
            pytest.skip("this machine lets nobody make namespaces")
        made = Namespace(holder)
        made.run("ip", "link", "set", "lo", "up")
        yield made
    finally:
        holder.stdin.close()
        holder.wait(5)
        holder.stdout.close()


@pytest.mark.parametrize("level", DDS.qos)
def test_a_reliable_dds_writer_loses_nothing_over_an_outage_and_a_best_effort_one_what_was_sent_meanwhile(
    level: str, namespace: Namespace, trial: MakeTrial
) -> None:
    if shutil.which(DDS.peer[0]) is None:
        pytest.skip(f"{DDS.peer[0]} is not there: `make build`")
    pair = replace(DDS, peer=(*namespace.enter, *DDS.peer))
    both = trial(pair, None, level, distinct_messages(3 * PART, 200), count=3 * PART)
    both.begin(3 * PART)
    both.plan(PART)
    both.drain(PART)
    with namespace.outage():
        both.plan(PART)
        sent(both, 2 * PART)
    both.plan(PART)
    both.settle()
    lost = PART if level == "best-effort" else 0
    both.may_lose = False  # It is known which messages arrive.
    both.drain(3 * PART - lost)
    both.end()
    seqs = [sample.seq for sample in both.samples("subscriber")]
    assert seqs == [*range(PART), *range(PART + lost, 3 * PART)]
