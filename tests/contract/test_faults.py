"""The guarantees of each qos, order included, while servers are killed and connections are cut."""

from __future__ import annotations

import itertools
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from conftest import need
from harness import (
    ACKNOWLEDGED,
    FAILED,
    UNKNOWN,
    Event,
    Peer,
    Sample,
    distinct_messages,
    read_samples,
    write_messages,
)
from pair import Pair, peer, promised
from pairs import AMQP, AMQP10, MQTT, XMPP
from server_faults import Broker, Cutter, cutter
from trial import Trial, prepare_keys

from wirelab.lab.servers import check
from wirelab.model.errors import BadInput

pytestmark = pytest.mark.first_case

# This many messages are planned 100 us apart; the connection breaks when the subscriber has some of
# them.
BEFORE, BREAK_AT = 5_000, 500
# This many more are planned once both peers are back.
AFTER = 10

KILLED, ENDED, CUT, HALF_CUT = "killed", "ended", "cut", "publisher cut"
SIGNALS = {KILLED: signal.SIGKILL, ENDED: signal.SIGTERM}


@dataclass(frozen=True)
class Case:
    """One fault under one qos.

    `known` is the sentence on a library or broker that does not keep its promise here, `shuffled`
    on one that does not keep the order, `breaks_again` on one that closes a connection again right
    after a reconnect.
    """

    pair: Pair
    server: str
    protocol: str
    qos: str
    fault: str
    known: str = ""
    shuffled: str = ""
    breaks_again: str = ""

    @property
    def promise(self) -> str:
        """The guarantee of the qos."""
        return self.pair.qos[self.qos]

    @property
    def broken(self) -> tuple[str, ...]:
        """Whose connection breaks."""
        return ("publisher",) if self.fault == HALF_CUT else ("publisher", "subscriber")

    def __str__(self) -> str:
        return f"{self.pair.name}, qos {self.qos}, {self.fault}"


def returning(
    protocol: str,
    qos: dict[str, str],
    options: dict[str, str] | None = None,
    unordered: tuple[str, ...] = (),
    name: str = "",
) -> Pair:
    """A protocol's peer with the options that make it reconnect."""
    told = {"reconnect_s": "60", **(options or {})}
    return Pair(name or protocol, peer(protocol), None, qos, options=told, unordered=unordered)


KEPT = {"clean": "false"}
MQTT3_PEER = returning("mqtt", MQTT, KEPT)
MQTT5_PEER = returning("mqtt5", MQTT, {**KEPT, "session_expiry_s": "3600"})
# A message that the subscriber has not acknowledged comes again: once its connection breaks, manual
# acknowledgement promises nothing.
AMQP_PEER = returning(
    "amqp", {**AMQP, "manual": "best-effort"}, unordered=("manual", "confirm", "persistent")
)
AMQP10_PEER = returning("amqp10", AMQP10, {"address": "/queue/{topic}", "durable": "true"})
# For a plain address Artemis makes a queue that ends with the subscriber's connection.
ARTEMIS_PEER = replace(
    AMQP10_PEER, options={**AMQP10_PEER.options, "address": "{topic}::{topic}", "durable": "false"}
)
# Of several batches under way the one that is sent again comes behind the others.
KAFKA_PEER = returning("kafka", promised("kafka"), unordered=("1", "all"))
IDEMPOTENT_PEER = returning(
    "kafka", {"all": "exactly-once"}, {"idempotence": "true"}, name="kafka, idempotent"
)
XMPP_PEER = returning("xmpp", XMPP)
ZENOH_PEER = returning("zenoh", promised("zenoh"))
NATS_PEER = returning("nats", promised("nats"), {"ack_wait_s": "1"}, unordered=("jetstream",))
FORGETS = "mosquitto 2.0.11 saves its store at intervals, not before it acknowledges"
RESUMES = "ejabberd 23.01 gives some of what waited for a resumed stream behind later messages"
DOUBLES = "rmqtt 0.24.0 forgets with the connection which QoS 2 messages it has"
DROPS = "rmqtt 0.24.0 drops the message that it is writing to a subscriber when the connection breaks"
REVERSES = "rmqtt 0.24.0 hands a session over behind what arrives meanwhile, and what is not acknowledged the newest first"
NOT_LEADING = "Kafka closes a connection on what it is given at QoS 0 before it leads the topic again"
IN_MEMORY = "Prosody 0.12.3 acknowledges what it keeps in memory alone, which ends with it"
NO_STORE = "the built-in broker keeps sessions in memory alone"

CASES = [
    *(
        Case(client, "built-in", client.name, qos, *fault)
        for client in (MQTT3_PEER, MQTT5_PEER)
        for qos, *fault in (
            ("0", CUT, "", REVERSES),
            ("1", CUT, DROPS, REVERSES),
            ("2", CUT, f"{DROPS}; {DOUBLES}", REVERSES),
            ("1", HALF_CUT),
            ("2", HALF_CUT, DOUBLES),
        )
    ),
    *(
        Case(client, "mosquitto", client.name, qos, fault)
        for client in (MQTT3_PEER, MQTT5_PEER)
        for fault in (CUT, ENDED)
        for qos in MQTT
    ),
    Case(MQTT3_PEER, "mosquitto", "mqtt", "1", KILLED, FORGETS),
    Case(MQTT5_PEER, "mosquitto", "mqtt5", "2", KILLED, FORGETS),
    Case(MQTT3_PEER, "built-in", "mqtt", "0", KILLED),
    Case(MQTT5_PEER, "built-in", "mqtt5", "1", KILLED, NO_STORE),
    Case(MQTT3_PEER, "rabbitmq", "mqtt", "1", CUT),
    Case(MQTT3_PEER, "rabbitmq", "mqtt", "1", KILLED),
    *(Case(AMQP_PEER, "rabbitmq", "amqp", qos, CUT) for qos in AMQP),
    Case(AMQP_PEER, "rabbitmq", "amqp", "persistent", KILLED),
    *(Case(AMQP10_PEER, "rabbitmq", "amqp10", qos, CUT) for qos in AMQP10_PEER.qos),
    *(Case(ARTEMIS_PEER, "artemis", "amqp10", qos, CUT) for qos in AMQP10_PEER.qos),
    Case(AMQP10_PEER, "rabbitmq", "amqp10", "unsettled", KILLED),
    *(Case(KAFKA_PEER, "kafka", "kafka", qos, CUT) for qos in KAFKA_PEER.qos),
    Case(IDEMPOTENT_PEER, "kafka", "kafka", "all", CUT),
    Case(KAFKA_PEER, "kafka", "kafka", "0", KILLED, breaks_again=NOT_LEADING),
    Case(KAFKA_PEER, "kafka", "kafka", "1", KILLED),
    Case(IDEMPOTENT_PEER, "kafka", "kafka", "all", KILLED),
    Case(XMPP_PEER, "prosody", "xmpp", "plain", CUT),
    Case(XMPP_PEER, "prosody", "xmpp", "plain", KILLED),
    Case(XMPP_PEER, "prosody", "xmpp", "managed", CUT),
    Case(XMPP_PEER, "prosody", "xmpp", "managed", KILLED, IN_MEMORY),
    Case(XMPP_PEER, "ejabberd", "xmpp", "plain", CUT),
    Case(XMPP_PEER, "ejabberd", "xmpp", "managed", CUT, shuffled=RESUMES),
    *(Case(ZENOH_PEER, "built-in", "zenoh", qos, fault) for qos in ZENOH_PEER.qos for fault in (CUT, KILLED)),
    *(Case(NATS_PEER, "nats-server", "nats", qos, fault) for qos in NATS_PEER.qos for fault in (CUT, KILLED)),
]

MakeTrial = Callable[..., Trial]
Start = Callable[[Case], Broker]


@pytest.fixture(scope="module")
def brokers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Each server once, for all its cases, as each case has a topic and clients of its own; a case
    whose peer or server is not there is skipped.
    """
    started: dict[tuple[str, str], Broker] = {}

    def get(case: Case) -> Broker:
        need(case.pair)
        try:
            check(case.server, case.protocol)
        except BadInput as error:
            pytest.skip(error.sentence)
        key = (case.server, case.protocol)
        if key not in started:
            started[key] = Broker(*key, tmp_path_factory.mktemp("server"))
        return started[key]

    yield get
    for one in started.values():
        one.stop()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case}, {case.server}")
def test_a_broken_connection_is_reestablished_and_the_qos_holds(
    case: Case, brokers: Start, trial: MakeTrial
) -> None:
    server = brokers(case)
    relay_at, relay_to = server.relayed
    with cutter(relay_to, relay_at) as way:
        direct = {"address": "127.0.0.1", "port": server.port}
        place = {**direct, "port": way.port} if case.fault in (CUT, HALF_CUT) else direct
        subscriber = {"server": place if "subscriber" in case.broken else direct}
        messages = distinct_messages(BEFORE + AFTER, 200)
        both = trial(case.pair, place, case.qos, messages, count=len(messages), subscriber=subscriber)
        both.begin(len(messages))
        if case.fault == KILLED:
            server.stores(both.topic)
        both.plan(BEFORE)
        both.drain(BREAK_AT)
        break_it(case, server, way)
        for role in case.broken:
            both.peers[role].until(lambda event: event.get("reconnects", 0) > 0)
        through = plan_until_one_arrives(both) if case.breaks_again else BEFORE
        both.plan(len(messages) - through)
        settled = both.settle()
        wait_for_the_end(case, both, len(messages))
        stopped = both.end()
    account(case, both, len(messages), through, settled, stopped)


@pytest.mark.matrix
def test_messages_settled_by_rabbitmq_over_amqp_1_0_survive_it_if_durable(
    brokers: Start, launch: Callable[[Pair], Peer], tmp_path: Path
) -> None:
    case, count = Case(AMQP10_PEER, "rabbitmq", "amqp10", "unsettled", KILLED), 100
    server = brokers(case)
    messages = write_messages(tmp_path / "messages", distinct_messages(count, 200))
    place = {"address": "127.0.0.1", "port": server.port}

    def started(role: str) -> Peer:
        one = launch(case.pair)
        keys = prepare_keys(case.pair, place, case.qos, messages, role)
        one.tell("prepare", **{**keys, "topic": "wirelab/stored"})
        one.wait("prepared")
        one.tell("start", at_ns=0, schedule={"kind": "flood", "count": count, "duration_ns": None})
        return one

    publisher = started("publisher")
    assert publisher.wait("settled")["acknowledged"] == count
    publisher.tell("stop")
    publisher.wait("stopped")
    server.end(signal.SIGKILL)
    server.again()
    subscriber = started("subscriber")
    subscriber.until(lambda event: event.get("received") == count)
    subscriber.tell("stop")
    subscriber.wait("stopped")
    assert [sample.seq for sample in read_samples(tmp_path / "subscriber.samples")] == list(range(count))


LASTING = [
    Case(MQTT3_PEER, "mosquitto", "mqtt", "1", CUT),
    Case(AMQP_PEER, "rabbitmq", "amqp", "confirm", CUT),
    Case(AMQP10_PEER, "rabbitmq", "amqp10", "unsettled", CUT),
    Case(KAFKA_PEER, "kafka", "kafka", "all", CUT),
    Case(XMPP_PEER, "prosody", "xmpp", "managed", CUT),
    Case(NATS_PEER, "nats-server", "nats", "jetstream", CUT),
    Case(ZENOH_PEER, "built-in", "zenoh", "block", CUT),
]


@pytest.mark.parametrize("case", LASTING, ids=lambda case: f"{case}, {case.server}")
def test_a_connection_that_stays_broken_is_a_fatal_error_when_the_time_is_over(
    case: Case, brokers: Start, trial: MakeTrial
) -> None:
    relay_at, relay_to = brokers(case).relayed
    with cutter(relay_to, relay_at) as way:
        place = {"address": "127.0.0.1", "port": way.port}
        options = {**case.pair.options, "reconnect_s": "1"}
        both = trial(case.pair, place, case.qos, [b"message"], options=options)
        both.begin(100)
        both.plan(10)
        both.drain(10)
        way.cut()
        for one in both.peers.values():
            while (event := one.next()) is not None and event["event"] != "error":
                pass
            assert event is not None
            assert event["fatal"]
            assert event["what"] == f"connection to 127.0.0.1:{way.port}"
            assert event["why"]
            assert one.ended() == 1


def break_it(case: Case, server: Broker, way: Cutter) -> None:
    """Inject the fault during sending, until the affected sides must have detected it."""
    if case.fault in (CUT, HALF_CUT):
        way.cut()
        way.refused(4)
        way.mend()
    else:
        server.end(SIGNALS[case.fault])
        server.again()


def plan_until_one_arrives(both: Trial) -> int:
    """Messages one by one, until one comes through: what was under way when a connection breaks
    again is lost. Gives how many were planned.
    """
    for planned in range(BEFORE + 1, BEFORE + AFTER):
        both.plan(1)
        if wait_for(lambda seqs, last=planned - 1: last in seqs, both, 3):
            return planned
    raise AssertionError(f"none of {AFTER - 1} messages came through")


def wait_for_the_end(case: Case, both: Trial, count: int) -> None:
    """Until every message has arrived, or, where some may be lost, the last one, which was sent
    when all was well again.
    """
    whole = case.promise in ("at-least-once", "exactly-once") and not case.known
    wait_for(lambda seqs: len(seqs) == count or (not whole and count - 1 in seqs), both, 30)


def wait_for(arrived: Callable[[set[int]], bool], both: Trial, within: float) -> bool:
    """Until what the subscriber has is enough; whether it was, in that many seconds."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if arrived({sample.seq for sample in both.samples("subscriber")}):
            return True
        time.sleep(0.02)
    return False


def account(
    case: Case, both: Trial, count: int, through: int, settled: Event, stopped: dict[str, Event]
) -> None:
    """Every message is delivered, lost, doubled or failed, as the promise allows, and from
    `through` on delivered; and both say how often they came back.
    """
    published, arrived = both.samples("publisher"), both.samples("subscriber")
    assert [sample.seq for sample in published] == list(range(count))
    assert not [sample for sample in arrived if sample.flags & UNKNOWN]
    for role in case.broken:
        assert stopped[role]["reconnects"] >= 1, (role, stopped)
    seqs = [sample.seq for sample in arrived]
    lost, doubled = set(range(count)) - set(seqs), len(seqs) - len(set(seqs))
    late = out_of_order(seqs)
    counted = f"{case}: {len(lost)} lost, {doubled} doubled, {late} late of {count}; {stopped}"
    print(counted)
    assert set(range(through, count)) <= set(seqs), counted
    assert late == 0 or case.shuffled or case.qos in case.pair.unordered, counted
    if case.promise == "at-most-once":
        assert doubled == 0, counted
        # A server may report that it could not deliver a message.
        assert {sample.flags for sample in published} <= {0, FAILED}
        assert {sample.seq for sample in published if sample.flags} <= lost, counted
        return
    if case.promise == "best-effort":
        return
    broken = lost or (doubled and case.promise == "exactly-once") or not_acknowledged(published)
    if broken and case.known:
        pytest.xfail(f"{case.known}: {counted}")
    assert not broken, counted
    assert (settled["acknowledged"], settled["failed"]) == (count, 0)


def out_of_order(seqs: list[int]) -> int:
    """Messages that came for the first time after one that was sent later."""
    first = list(dict.fromkeys(seqs))
    return sum(seq < latest for seq, latest in zip(first, itertools.accumulate(first, max), strict=True))


def not_acknowledged(published: list[Sample]) -> int:
    """Messages that the publisher does not know to be with the server."""
    return sum((sample.flags & (ACKNOWLEDGED | FAILED)) != ACKNOWLEDGED for sample in published)
