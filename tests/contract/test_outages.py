"""Losses while the path between two peers without a server is broken."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest
from harness import distinct_messages
from pairs import PAIRS
from server_faults import cutter
from trial import Trial

from wirelab.lab.ports import free_port

pytestmark = pytest.mark.matrix

MakeTrial = Callable[..., Trial]
ZMQ, DDS, FAST_DDS = (
    next(pair for pair in PAIRS if pair.name == name) for name in ("zmq", "dds", "dds through Fast DDS")
)
# This many messages are sent before and after an outage and, by default, during it.
PART = 100
# This many messages are sent during an outage of DDS: more than Cyclone holds before it keeps a
# writer waiting.
MANY = 500
# Longer than Cyclone's default lease of participants.
LONG_S = 11.0
# At most this many are sent until the first arrives again.
TRIES = 2_000


def sent(both: Trial, count: int) -> None:
    """Wait until the publisher has sent `count` messages in all."""
    both.peers["publisher"].until(lambda event: event.get("sent", 0) >= count)


@pytest.mark.parametrize("level", ZMQ.qos)
def test_zeromq_reconnects_by_itself_and_loses_messages_of_the_outage(level: str, trial: MakeTrial) -> None:
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
        """Every packet is dropped silently: each is larger than the limit of one byte."""
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


@dataclass
class Outage:
    """A trial without a server, in a namespace of its own: PART messages arrive, MANY are sent
    while every packet is lost, and PART after.
    """

    both: Trial
    namespace: Namespace

    def run(self, until_sent: int, seconds: float = 0.0) -> None:
        """Break the path for a time after some messages have been sent.

        Ends when the publisher is done.
        """
        both = self.both
        both.begin(2 * PART + MANY)
        both.plan(PART)
        both.drain(PART)
        with self.namespace.outage():
            both.plan(MANY)
            sent(both, PART + until_sent)
            time.sleep(seconds)
        both.plan(PART)
        both.settle()

    def arrived(self, expected: int) -> list[int]:
        """All arrivals in order, once `expected` messages have arrived."""
        self.both.may_lose = False  # It is known which messages arrive.
        self.both.drain(expected)
        self.both.end()
        return [sample.seq for sample in self.both.samples("subscriber")]


@pytest.fixture
def outage(request: pytest.FixtureRequest, namespace: Namespace, trial: MakeTrial) -> Callable[..., Outage]:
    """Make such a trial of DDS, through Cyclone unless the test names another."""
    dds = getattr(request, "param", DDS)
    if shutil.which(dds.peer[0]) is None:
        pytest.skip(f"{dds.peer[0]} is not there: `make peers`")
    pair = replace(dds, peer=(*namespace.enter, *dds.peer))
    count = 2 * PART + MANY

    def make(level: str, **options: str) -> Outage:
        both = trial(pair, None, level, distinct_messages(count, 200), count=count, options=options)
        return Outage(both, namespace)

    return make


through_both = pytest.mark.parametrize("outage", [DDS, FAST_DDS], ids=["cyclone", "fast"], indirect=True)


@through_both
def test_a_best_effort_dds_writer_loses_messages_of_an_outage(outage: Callable[..., Outage]) -> None:
    run = outage("best-effort")
    run.run(MANY)
    assert run.arrived(2 * PART) == [*range(PART), *range(PART + MANY, 2 * PART + MANY)]


@through_both
def test_a_reliable_dds_writer_loses_nothing_over_an_outage(outage: Callable[..., Outage]) -> None:
    run = outage("reliable")
    run.run(PART, seconds=LONG_S)
    assert run.arrived(2 * PART + MANY) == list(range(2 * PART + MANY))


def test_a_reliable_dds_writer_forgets_a_reader_whose_lease_is_over(outage: Callable[..., Outage]) -> None:
    run = outage("reliable", lease_s="1")
    # It holds no more than this for a reader that does not answer: that all has been sent shows
    # that it holds nothing.
    run.run(MANY)
    assert run.arrived(PART)[:PART] == list(range(PART))
