"""Requester and responder over a kept connection and over one connection per request."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from harness import ACKNOWLEDGED, Event, Peer, Sample, manage, now, read_samples, write_messages
from lossy_udp import Relay, double_all
from pair import binary
from test_describe import schema

from wirelab.lab.certificates import make
from wirelab.lab.ports import free_port
from wirelab.lab.servers import check, responds
from wirelab.model.errors import BadInput
from wirelab.model.script import Rule, Script

pytestmark = pytest.mark.first_case

SECOND = 1_000_000_000
VISITS = [b"GET 0", b"PUT 1 50", b"DELETE 0", b"DELETE 1", b"GET 2", b"PUT 3 50", b"DELETE 2", b"DELETE 3"]
CAR_PARK = Script(
    pools={"spot": 100},
    on={
        "GET": Rule("take", "{number}", "spot"),
        "PUT": Rule("hold", "{number}", "spot"),
        "DELETE": Rule("release", "{number}", "spot"),
    },
)
MQTT, XMPP, COAP, LIBCOAP, JAVA = (
    binary(f"wirelab-peer-{name}") for name in ("mqtt", "xmpp", "coap", "libcoap", "java")
)


@dataclass(frozen=True)
class Way:
    """A peer, its qos, and a server as the lab starts it; none where the responder listens.

    `answering` is the responder's peer if it is another.
    """

    name: str
    peer: tuple[str, ...]
    qos: str
    server: tuple[str, str, str] | None = None
    answering: tuple[str, ...] = ()
    # Whether a responder that listens does so over DTLS.
    encrypted: bool = False


WAYS = [
    Way("coap con", (COAP,), "con"),
    Way("coap non", (COAP,), "non"),
    Way("mqtt qos 0", (MQTT,), "0", ("mosquitto", "mqtt", "tcp")),
    Way("mqtt qos 1", (MQTT,), "1", ("mosquitto", "mqtt", "tcp")),
    Way("mqtt over WebSocket", (MQTT,), "1", ("built-in", "mqtt", "ws")),
    Way("mqtt5", (MQTT, "--protocol", "mqtt5"), "1", ("mosquitto", "mqtt5", "tcp")),
    Way("xmpp with Prosody", (XMPP,), "plain", ("prosody", "xmpp", "tcp")),
    Way("xmpp with ejabberd", (XMPP,), "plain", ("ejabberd", "xmpp", "tcp")),
    Way("coap con through Californium", (JAVA, "coap"), "con"),
    Way("coap non, Californium asks ours", (JAVA, "coap"), "non", answering=(COAP,)),
    Way("coap con, ours asks Californium", (COAP,), "con", answering=(JAVA, "coap")),
    Way("mqtt through Paho", (JAVA, "mqtt"), "1", ("mosquitto", "mqtt", "tcp")),
    Way("mqtt over WebSocket, Paho asks rumqttc", (JAVA, "mqtt"), "0", ("built-in", "mqtt", "ws"), (MQTT,)),
    Way("xmpp through Smack with Prosody", (JAVA, "xmpp"), "plain", ("prosody", "xmpp", "tcp")),
    Way("xmpp, Smack asks tokio-xmpp", (JAVA, "xmpp"), "managed", ("ejabberd", "xmpp", "tcp"), (XMPP,)),
    Way("coap con through libcoap", (LIBCOAP,), "con"),
    Way("coap non, libcoap asks ours", (LIBCOAP,), "non", answering=(COAP,)),
    Way("coap non, ours asks libcoap", (COAP,), "non", answering=(LIBCOAP,)),
    Way("coap con over DTLS", (COAP,), "con", encrypted=True),
    Way("coap con over DTLS through libcoap", (LIBCOAP,), "con", encrypted=True),
    Way("coap non over DTLS, libcoap asks ours", (LIBCOAP,), "non", answering=(COAP,), encrypted=True),
    Way(
        "coap con over DTLS, Californium asks ours", (JAVA, "coap"), "con", answering=(COAP,), encrypted=True
    ),
    Way(
        "coap con over DTLS, libcoap asks Californium",
        (LIBCOAP,),
        "con",
        answering=(JAVA, "coap"),
        encrypted=True,
    ),
]
BROKER = next(way for way in WAYS if way.name == "mqtt qos 0")
PAHO = Way("mqtt qos 0 through Paho", (JAVA, "mqtt"), "0", BROKER.server)
CLOSED = [*WAYS[:3], PAHO]


class Exchange:
    """A prepared requester and, if requested, responder."""

    def __init__(
        self,
        way: Way,
        place: Event,
        directory: Path,
        messages: list[bytes],
        script: Script,
        options: Mapping[str, str],
    ) -> None:
        self.directory, self.messages = directory, messages
        file = write_messages(directory / "messages", messages)
        self.peers: dict[str, Peer] = {}
        self._keys = {
            "server": {key: place[key] for key in ("address", "port")},
            "qos": way.qos,
            "options": {**place["options"], **options},
            "topic": f"wirelab/{directory.name}",
            "payload": {"messages": str(file)},
            "identity": "content",
            "capacity": 100,
            "script": msgspec.to_builtins(script),
        }
        self.port = place["port"]
        self._argv = {"requester": way.peer, "responder": way.answering or way.peer}

    def prepare(self, role: str) -> Event:
        """Start a peer in a role; its `prepared`."""
        peer = self.peers[role] = Peer(self._argv[role])
        command = {
            **self._keys,
            "server": {**self._keys["server"], "port": self.port},
            "role": role,
            "client": role,
            "samples": str(self.directory / f"{role}.samples"),
        }
        schema("command").validate({"cmd": "prepare", **command})
        peer.tell("prepare", **command)
        return peer.wait("prepared")

    def ask(self, **schedule: object) -> None:
        """Start both; wait until all requests have left."""
        at = now() + SECOND // 20
        for role in reversed(self.peers):
            self.peers[role].tell("start", at_ns=at, schedule={"duration_ns": None, **schedule})
            self.peers[role].wait("started")
        self.peers["requester"].wait("settled")

    def answered(self, number: int, within: float = 30.0) -> list[Sample]:
        """The requester's records once `number` requests are answered."""
        deadline = time.monotonic() + within
        while time.monotonic() < deadline:
            samples = read_samples(self.directory / "requester.samples")
            if sum(sample.done > 0 for sample in samples) >= number:
                return samples
            time.sleep(0.005)
        raise AssertionError(f"not answered: {[s.seq for s in samples if not s.done]}")

    def end(self) -> dict[str, Event]:
        """Stop both. The last line of each is `stopped`."""
        told = {}
        for role, peer in self.peers.items():
            peer.tell("stop")
            told[role] = peer.wait("stopped")
            assert peer.ended() == 0
        return told


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Way], Event]]:
    """Where the peers of a way meet; servers are started once."""
    with ExitStack() as stack:
        known: dict[tuple[str, str, str], Event] = {}

        def place(way: Way) -> Event:
            for program, *_ in filter(None, (way.peer, way.answering)):
                if shutil.which(program) is None:
                    pytest.skip(f"{program} is not there: `make peers`")
            if way.server is None:
                options = {"ack_timeout_ms": "1000"}
                if way.encrypted:
                    made = make(tmp_path_factory.mktemp("tls"), "127.0.0.1")
                    files = {"authority": made.authority, "certificate": made.server, "key": made.key}
                    options |= {"transport": "dtls"} | {name: str(path) for name, path in files.items()}
                return {"address": "127.0.0.1", "port": free_port(), "options": options}
            if way.server not in known:
                try:
                    check(*way.server[:2])
                except BadInput as error:
                    pytest.skip(error.sentence)
                script = CAR_PARK if responds(way.server[0]) else None
                server = stack.enter_context(
                    manage(*way.server, tmp_path_factory.mktemp("server"), script=script)
                )
                known[way.server] = {
                    "address": "127.0.0.1",
                    "port": server.port,
                    "options": dict(server.options),
                }
            return known[way.server]

        yield place


@pytest.fixture
def exchange(tmp_path: Path, places: Callable[[Way], Event]) -> Iterator[Callable[..., Exchange]]:
    """Make an exchange; none of its peers is left running."""
    made: list[Exchange] = []

    def make(way: Way, messages: list[bytes] = VISITS, script: Script = CAR_PARK, **options: str) -> Exchange:
        made.append(Exchange(way, places(way), tmp_path, messages, script, options))
        return made[-1]

    yield make
    for one in made:
        for peer in one.peers.values():
            peer.kill()


@pytest.mark.parametrize("connection", ["kept", "each"])
@pytest.mark.parametrize("way", WAYS, ids=[way.name for way in WAYS])
def test_every_request_is_answered_once(way: Way, connection: str, exchange: Callable[..., Exchange]) -> None:
    both = exchange(way, connection=connection)
    both.prepare("responder")
    both.prepare("requester")
    both.ask(kind="interval", interval_ns=30_000_000, count=len(VISITS))
    samples = both.answered(len(VISITS))
    assert all(sample.flags == ACKNOWLEDGED for sample in samples)
    assert all(sample.planned < sample.sent <= sample.done for sample in samples)
    asked = read_samples(both.directory / "responder.samples")
    assert sorted((sample.seq, sample.flags) for sample in asked) == [(seq, 0) for seq in range(len(VISITS))]
    for request in asked:
        assert samples[request.seq].sent < request.received < samples[request.seq].done
    stopped = both.end()
    assert (stopped["requester"]["acknowledged"], stopped["requester"]["received"]) == (8, 8)
    assert (stopped["responder"]["received"], stopped["responder"]["sent"]) == (8, 0)
    for peer in both.peers.values():
        for event in peer.seen:
            schema("event").validate(event)


@pytest.mark.parametrize("way", CLOSED, ids=[way.name for way in CLOSED])
def test_in_a_closed_loop_each_request_waits_for_the_answer_before_it(
    way: Way, exchange: Callable[..., Exchange]
) -> None:
    both = exchange(way, loop="closed")
    both.prepare("responder")
    both.prepare("requester")
    both.ask(kind="flood", count=8)
    samples = both.answered(8)
    for before, after in pairwise(samples):
        assert before.done <= after.planned <= after.sent
    both.end()


@pytest.mark.parametrize("connection", ["kept", "each"])
@pytest.mark.parametrize("way", [BROKER, PAHO], ids=["rumqttc", "paho"])
def test_acknowledged_reports_need_no_responder(
    way: Way, connection: str, exchange: Callable[..., Exchange]
) -> None:
    alone = exchange(way, [b"PUT 1 50", b"DELETE 1", b"GET 2"], connection=connection, reports="acknowledged")
    alone.prepare("requester")
    alone.ask(kind="interval", interval_ns=1_000_000, count=3)
    samples = alone.answered(2)
    assert [sample.done > 0 for sample in samples] == [True, True, False]
    assert alone.end()["requester"]["acknowledged"] == 2


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("connection", "some", "neither kept nor each"),
        ("loop", "ring", "neither open nor closed"),
        ("reports", "lost", "neither answered nor acknowledged"),
    ],
)
def test_an_invalid_value_of_an_option_is_a_fatal_fault(
    option: str, value: str, why: str, exchange: Callable[..., Exchange]
) -> None:
    one = exchange(BROKER, **{option: value})
    with pytest.raises(AssertionError, match=why):
        one.prepare("requester")


def test_a_request_larger_than_a_block_is_refused(exchange: Callable[..., Exchange]) -> None:
    one = exchange(WAYS[0], [b"x" * 1025])
    with pytest.raises(AssertionError, match="larger than one block"):
        one.prepare("requester")


@pytest.mark.parametrize(("answering", "times"), [(COAP, 1), (LIBCOAP, 2)], ids=["wirelab-coap", "libcoap"])
def test_a_duplicated_request_is_answered_once_but_libcoap_delivers_it_again(
    answering: str, times: int, exchange: Callable[..., Exchange]
) -> None:
    both = exchange(Way("doubled", (COAP,), "con", answering=(answering,)), [b"GET 0"])
    both.prepare("responder")
    relay = Relay(both.port)
    try:
        both.port = relay.port
        both.prepare("requester")
        relay.arm(up=double_all)
        both.ask(kind="interval", interval_ns=1_000_000, count=1)
        assert [sample.flags for sample in both.answered(1)] == [ACKNOWLEDGED]
        while len(read_samples(both.directory / "responder.samples")) < times:
            time.sleep(0.005)
        told = both.end()
    finally:
        relay.close()
    assert told["responder"]["received"] == times
    assert told["requester"]["received"] == 1


CAR_PARKS = [
    ("libcoap", "", COAP),
    ("californium", "", COAP),
    ("californium", "dtls", COAP),
    ("libcoap", "", LIBCOAP),
    ("libcoap", "dtls", LIBCOAP),
]


@pytest.mark.parametrize("connection", ["kept", "each"])
@pytest.mark.parametrize(
    ("name", "transport", "peer"),
    CAR_PARKS,
    ids=[" ".join((Path(peer).name, name, transport)) for name, transport, peer in CAR_PARKS],
)
def test_a_server_that_is_the_car_park_answers_by_itself(
    name: str, transport: str, peer: str, connection: str, exchange: Callable[..., Exchange]
) -> None:
    alone = exchange(Way(name, (peer,), "con", (name, "coap", transport)), connection=connection)
    alone.prepare("requester")
    alone.ask(kind="interval", interval_ns=10_000_000, count=len(VISITS))
    assert all(sample.flags == ACKNOWLEDGED for sample in alone.answered(len(VISITS)))
    alone.end()


# Visits of a car park of 100 spots, and what every responder answers: bytes that a study relies on.
VISITED = [
    ("get 1", "0"),
    ("get 2", "1"),
    ("get 1", "0"),
    ("put 3 9", "9"),
    ("put 3 9", "9"),
    ("put 4 3", "3"),
    ("get 5", "2"),
    ("get 6", "4"),
    ("delete 1", "0"),
    ("get 7", "0"),
    ("put 8 9", "4.09 taken"),
    ("put 8 100", "4.09 taken"),
    ("delete 8", "4.09 not here"),
]
LAST = [(f"get {car}", str(spot)) for car, spot in enumerate((5, 6, 7, 8, *range(10, 100)), 9)]
FULL = [("get 200", "4.09 full"), ("delete 9", "5"), ("get 200", "5")]


def visited(port: int, path: str, visits: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Make visits one after the other through libcoap's own client; each with its answer."""
    client = shutil.which("coap-client-notls")
    if client is None:
        pytest.skip("coap-client-notls is not there: apt install libcoap3-bin")
    found = []
    for visit, _ in visits:
        method, car, *spot = visit.split()
        body = ["-e", spot[0]] if spot else []
        argv = [client, "-m", method, *body, f"coap://127.0.0.1:{port}/{path}/{car}"]
        said = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
        found.append((visit, (said.stdout + said.stderr).strip()))
    return found


@pytest.mark.parametrize("name", ["libcoap", "californium"])
def test_a_server_assigns_the_lowest_free_spot_and_frees_it(name: str, tmp_path: Path) -> None:
    try:
        check(name, "coap")
    except BadInput as error:
        pytest.skip(error.sentence)
    with manage(name, "coap", "", tmp_path, script=CAR_PARK) as server:
        assert visited(server.port, "wirelab/t", VISITED) == VISITED
        assert visited(server.port, "wirelab/t", LAST) == LAST
        assert visited(server.port, "wirelab/t", FULL) == FULL


RESPONDERS = pytest.mark.parametrize(
    "peer", [(COAP,), (LIBCOAP,), (JAVA, "coap")], ids=["wirelab-coap", "libcoap", "java"]
)


@RESPONDERS
def test_a_responder_assigns_the_lowest_free_spot_and_frees_it(
    peer: tuple[str, ...], exchange: Callable[..., Exchange]
) -> None:
    alone = exchange(Way("alone", peer, "con"))
    alone.prepare("responder")
    alone.peers["responder"].tell("start", at_ns=now())
    path = f"wirelab/{alone.directory.name}"
    assert visited(alone.port, path, VISITED) == VISITED
    assert visited(alone.port, path, LAST) == LAST
    assert visited(alone.port, path, FULL) == FULL


# A method with a text for an answer, and one without a rule.
DESKS = Script(
    pools={"desk": 2},
    on={"GET": Rule("take", "desk {number} is yours", "desk"), "PUT": Rule("reply", "ok")},
    service_time_ns=20_000_000,
)
DESK_VISITS = [("get 1", "desk 0 is yours"), ("put 1 77", "ok"), ("get 2", "desk 1 is yours")]


@pytest.mark.parametrize("name", ["libcoap", "californium"])
def test_a_server_answers_by_any_script(name: str, tmp_path: Path) -> None:
    try:
        check(name, "coap")
    except BadInput as error:
        pytest.skip(error.sentence)
    with manage(name, "coap", "", tmp_path, script=DESKS) as server:
        assert visited(server.port, "wirelab/t", DESK_VISITS) == DESK_VISITS
        assert visited(server.port, "wirelab/t", [("delete 1 x", "")]) == [("delete 1 x", "x")]


@RESPONDERS
def test_a_responder_answers_by_any_script_after_its_service_time(
    peer: tuple[str, ...], exchange: Callable[..., Exchange]
) -> None:
    both = exchange(Way("desks", peer, "con"), [b"GET 1", b"PUT 1 77", b"DELETE 1"], DESKS)
    both.prepare("responder")
    both.prepare("requester")
    both.ask(kind="interval", interval_ns=1_000_000, count=3)
    samples = both.answered(3)
    assert max(sample.done for sample in samples) - samples[0].sent > 3 * DESKS.service_time_ns
    path = f"wirelab/{both.directory.name}"
    assert visited(both.port, path, DESK_VISITS) == DESK_VISITS
    assert visited(both.port, path, [("delete 1", "")]) == [("delete 1", "DELETE 1")]


@RESPONDERS
def test_a_script_that_names_an_unknown_pool_is_refused(
    peer: tuple[str, ...], exchange: Callable[..., Exchange]
) -> None:
    alone = exchange(Way("alone", peer, "con"), script=Script(on={"GET": Rule("take", "", "desk")}))
    with pytest.raises(AssertionError, match="not one of its pools"):
        alone.prepare("responder")
