"""CoAP with lost and duplicated datagrams, messages that are given up, and libcoap as the other
side.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from harness import (
    ACKNOWLEDGED,
    FAILED,
    Peer,
    Server,
    distinct_messages,
    manage,
    serve,
    write_messages,
)
from lossy_udp import Fault, Relay, double_all, lose, lose_all
from pair import Pair
from pairs import PAIRS
from trial import Trial, prepare_keys

from wirelab.lab.ports import free_port
from wirelab.lab.process import listens
from wirelab.lab.servers import kind
from wirelab.lab.servers.server import wait_until
from wirelab.model.errors import BadInput

pytestmark = pytest.mark.first_case

COAP, DTLS, CALIFORNIUM = (
    next(pair for pair in PAIRS if pair.name == name)
    for name in ("coap", "coap over DTLS", "coap through Californium")
)
MS = 1_000_000
Launch = Callable[[Pair], Peer]


class Relayed(Trial):
    """A trial whose peers reach the server through separate relays."""

    def __init__(
        self,
        server: Server,
        qos: str,
        messages: list[bytes],
        directory: Path,
        launch: Launch,
        pair: Pair = COAP,
        at_first: dict[str, Fault] | None = None,
        **more: object,
    ):
        self.relays = {role: Relay(server.port) for role in ("publisher", "subscriber")}
        try:
            self.relays["subscriber"].arm(**at_first or {})
            ports = {role: relay.port for role, relay in self.relays.items()}
            launched = iter(("subscriber", "publisher"))

            def launch_behind_relay(pair: Pair) -> Peer:
                peer, port = launch(pair), ports[next(launched)]
                tell = peer.tell

                def told(cmd: str, **keys: object) -> None:
                    if cmd == "prepare":
                        keys["server"] = {"address": "127.0.0.1", "port": port}
                    tell(cmd, **keys)

                peer.tell = told  # type: ignore[method-assign]
                return peer

            super().__init__(pair, server, qos, messages, directory, launch_behind_relay, **more)
        except BaseException:
            self.close()
            raise

    def run(self, count: int, expected: int, interval: int = 10 * MS) -> list[int]:
        """Send `count` messages. Returns the numbers of those that arrived."""
        self.start(kind="interval", interval_ns=interval, count=count, duration_ns=None)
        self.settle()
        self.may_lose = False  # It is known which messages arrive.
        self.drain(expected)
        return [sample.seq for sample in self.samples("subscriber")]

    def close(self) -> None:
        for relay in self.relays.values():
            relay.close()


@pytest.fixture(scope="module")
def coap_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with short timers."""
    if shutil.which(COAP.peer[0]) is None:
        pytest.skip("wirelab-peer-coap is not there: `make build`")
    argv = [*(COAP.server or ()), "--max-retransmit", "8", "--non-timeout-ms", "1500"]
    with serve(argv, None, tmp_path_factory.mktemp("coap")) as running:
        assert running
        yield running


@pytest.fixture
def relayed(coap_server: Server, tmp_path: Path, launch: Launch) -> Iterator[Callable[..., Relayed]]:
    """Make relayed trials; their relays are closed afterwards."""
    made: list[Relayed] = []

    def make(qos: str, messages: list[bytes], **more: object) -> Relayed:
        more.setdefault("options", {"ack_timeout_ms": "100", "max_retransmit": "8", "non_timeout_ms": "1000"})
        made.append(Relayed(coap_server, qos, messages, tmp_path, launch, **more))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.parametrize("level", ["non", "con"])
@pytest.mark.parametrize(
    ("count", "size"), [(1, 10), (100, 10), (1000, 10), (100, 1157), (50, 12_000), (20, 65_000)]
)
def test_every_message_arrives_whole_and_once_on_a_network_without_loss(
    relayed: Callable[..., Relayed], level: str, count: int, size: int
) -> None:
    trial = relayed(level, distinct_messages(count, size), count=count)
    arrived = trial.run(count, count, interval=MS if size < 2000 else 20 * MS)
    # A slow machine may reorder what takes several blocks.
    assert (arrived if size < 1024 else sorted(arrived)) == list(range(count))
    assert {sample.bytes for sample in trial.samples("subscriber")} == {size}


CON_LOSSES = {
    "request": ("publisher", "up", 2, 10),
    "acknowledgement of a request": ("publisher", "down", 2, 10),
    "notification": ("subscriber", "down", 2, 10),
    "acknowledgement of a notification": ("subscriber", "up", 2, 10),
    "first block of a request": ("publisher", "up", 3, 3000),
    "middle block of a request": ("publisher", "up", 4, 3000),
    "last block of a request": ("publisher", "up", 5, 3000),
    "2.31 Continue": ("publisher", "down", 3, 3000),
    "first block of a notification": ("subscriber", "down", 0, 3000),
    "request for a block": ("subscriber", "up", 1, 3000),
    "later block of a notification": ("subscriber", "down", 1, 3000),
}


@pytest.mark.parametrize("lost", CON_LOSSES)
def test_con_survives_the_loss_of_one(relayed: Callable[..., Relayed], lost: str) -> None:
    role, way, number, size = CON_LOSSES[lost]
    trial = relayed("con", distinct_messages(5, size))
    trial.relays[role].arm(**{way: lose(number)})
    arrived = trial.run(5, 5)
    assert sorted(arrived) == [0, 1, 2, 3, 4]
    published = trial.samples("publisher")
    assert [sample.flags for sample in published] == [ACKNOWLEDGED] * 5
    # The loss was real: some message waited for a retransmission, its own or the one before it
    # (planned 10 ms earlier).
    took = [late.received - published[late.seq].sent for late in trial.samples("subscriber")]
    answered = [sample.done - sample.sent for sample in published]
    assert max(took + answered) >= 50 * MS


@pytest.mark.parametrize("level", ["non", "con"])
def test_an_outage_loses_no_con_message_and_only_non_messages_sent_during_it(
    relayed: Callable[..., Relayed], level: str
) -> None:
    count, lost = 200, 40
    trial = relayed(level, distinct_messages(count, 100))
    trial.start(kind="interval", interval_ns=5 * MS, count=count, duration_ns=None)
    trial.drain(20)
    for relay in trial.relays.values():
        relay.arm(up=lose_all, down=lose_all)
    up, deadline = trial.relays["publisher"].up, time.monotonic() + 60
    while up.count < (lost if level == "non" else 3):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    for relay in trial.relays.values():
        relay.arm()
    settled = trial.settle()
    trial.may_lose = level == "non"
    trial.drain(count)
    arrived = [sample.seq for sample in trial.samples("subscriber")]
    assert len(arrived) == len(set(arrived))
    if level == "con":
        assert sorted(arrived) == list(range(count))
        assert (settled["acknowledged"], settled["failed"]) == (count, 0)
        return
    assert arrived == sorted(arrived)
    assert count - 1 in arrived
    missing = sorted(set(range(count)) - set(arrived))
    assert len(missing) >= lost
    assert missing == list(range(missing[0], missing[-1] + 1))


def test_non_loses_exactly_the_message_whose_request_is_lost(relayed: Callable[..., Relayed]) -> None:
    trial = relayed("non", distinct_messages(5, 10))
    trial.relays["publisher"].arm(up=lose(2))
    assert trial.run(5, 4) == [0, 1, 3, 4]
    assert trial.relays["publisher"].up.count == 5, "nothing is sent again"
    assert [sample.flags for sample in trial.samples("publisher")] == [0] * 5


def test_non_loses_exactly_the_message_whose_notification_is_lost(relayed: Callable[..., Relayed]) -> None:
    trial = relayed("non", distinct_messages(5, 10))
    trial.relays["subscriber"].arm(down=lose(2))
    assert trial.run(5, 4) == [0, 1, 3, 4]
    assert trial.relays["subscriber"].down.count == 5, "nothing is sent again"


def test_non_gives_up_exactly_the_message_that_loses_a_block(relayed: Callable[..., Relayed]) -> None:
    trial = relayed("non", distinct_messages(5, 3000))
    trial.relays["publisher"].arm(up=lose(4))
    assert sorted(trial.run(5, 4, interval=500 * MS)) == [0, 2, 3, 4]
    assert [sample.flags for sample in trial.samples("publisher")] == [0, FAILED, 0, 0, 0]
    assert trial.relays["publisher"].up.count == 14, "three blocks each, less the one after the loss"


def test_non_loses_exactly_the_message_of_which_a_notified_block_is_lost(
    relayed: Callable[..., Relayed],
) -> None:
    trial = relayed("non", distinct_messages(5, 3000))
    trial.relays["subscriber"].arm(down=lose(4))
    assert sorted(trial.run(5, 4, interval=500 * MS)) == [0, 2, 3, 4]


@pytest.mark.parametrize("level", ["non", "con"])
@pytest.mark.parametrize("size", [10, 3000])
def test_datagrams_that_all_come_twice_are_each_one_message(
    relayed: Callable[..., Relayed], level: str, size: int
) -> None:
    trial = relayed(level, distinct_messages(20, size))
    for relay in trial.relays.values():
        relay.arm(up=double_all, down=double_all)
    assert sorted(trial.run(20, 20)) == list(range(20))


def test_an_unacknowledged_message_fails_with_a_reason(
    relayed: Callable[..., Relayed],
) -> None:
    trial = relayed("con", distinct_messages(2, 10), options={"ack_timeout_ms": "5", "max_retransmit": "2"})
    relay = trial.relays["publisher"]
    relay.arm(up=lose_all)
    assert trial.run(2, 0) == []
    settled = trial.peers["publisher"].seen[-1]
    assert (settled["sent"], settled["acknowledged"], settled["failed"]) == (2, 0, 2)
    assert relay.up.count == 6, "a first copy and two retransmissions of each"
    for sample in trial.samples("publisher"):
        assert sample.flags == FAILED
        assert sample.done - sample.sent >= 35 * MS, "5 + 10 + 20 ms at least"
    (error,) = [event for event in trial.peers["publisher"].seen if event["event"] == "error"]
    assert (error["fatal"], error["why"]) == (False, "no acknowledgement after 3 transmissions")


@pytest.mark.parametrize(("way", "number"), [("up", 0), ("down", 0), ("up", 1), ("down", 1)])
def test_a_handshake_survives_the_loss_of_each_of_its_flights(
    way: str, number: int, tmp_path: Path, launch: Launch
) -> None:
    with serve(DTLS.server, None, tmp_path) as server:
        assert server is not None
        relay = Relay(server.port)
        try:
            relay.arm(**{way: lose(number)})
            peer = launch(DTLS)
            file = write_messages(tmp_path / "messages", [b"x"])
            behind = Server(server.process, relay.port, None, server.options)
            peer.tell("prepare", **prepare_keys(DTLS, behind, "con", file, "publisher"))
            # The loss was real: OpenSSL waits a second.
            assert peer.wait("prepared")["connect_ns"] >= 900 * MS
        finally:
            relay.close()


@pytest.mark.parametrize("way", ["up", "down"])
def test_californium_repeats_its_check_for_a_server(
    way: str, coap_server: Server, tmp_path: Path, launch: Launch
) -> None:
    relay = Relay(coap_server.port)
    try:
        relay.arm(**{way: lose(0)})
        peer = launch(CALIFORNIUM)
        file = write_messages(tmp_path / "messages", [b"x"])
        behind = Server(coap_server.process, relay.port, None, coap_server.options)
        peer.tell("prepare", **prepare_keys(CALIFORNIUM, behind, "con", file, "publisher"))
        peer.wait("prepared")
        assert relay.up.count == 2
    finally:
        relay.close()


@pytest.mark.parametrize("way", ["up", "down"])
@pytest.mark.parametrize(("level", "lost"), [("non", lose(1)), ("con", lose(1, 2, 3))], ids=["non", "con"])
def test_californium_registers_again_when_every_copy_is_lost(
    level: str, lost: Fault, way: str, relayed: Callable[..., Relayed]
) -> None:
    # Datagram 0 is the ping; two retransmissions, and a CON request is given up.
    options = {"ack_timeout_ms": "100", "ack_random_factor": "1", "max_retransmit": "2"}
    trial = relayed(
        level, [b"first", b"second", b"third"], pair=CALIFORNIUM, at_first={way: lost}, options=options
    )
    assert trial.relays["subscriber"].up.count > (2 if level == "non" else 4)
    assert trial.run(3, 3) == [0, 1, 2]


def test_an_unreachable_server_is_reported_at_once(tmp_path: Path, launch: Launch) -> None:
    port = free_port()
    for role in ("publisher", "subscriber"):
        peer = launch(COAP)
        file = write_messages(tmp_path / "messages", [b"x"])
        keys = prepare_keys(COAP, None, "con", file, role)
        peer.tell("prepare", **{**keys, "server": {"address": "127.0.0.1", "port": port}})
        error = peer.next()
        assert error is not None
        assert (error["event"], error["fatal"], error["what"]) == ("error", True, f"connect 127.0.0.1:{port}")
        assert "refused" in error["why"]


@pytest.mark.parametrize(
    ("name", "value"), [("block_size", "100"), ("nstart", "0"), ("method", "get"), ("ack_timeout_ms", "soon")]
)
def test_an_option_out_of_range_names_itself(
    coap_server: Server, tmp_path: Path, launch: Launch, name: str, value: str
) -> None:
    peer = launch(COAP)
    file = write_messages(tmp_path / "messages", [b"x"])
    peer.tell("prepare", **prepare_keys(COAP, coap_server, "con", file, "publisher", options={name: value}))
    error = peer.next()
    assert error is not None
    assert (error["event"], error["fatal"], error["what"]) == ("error", True, f"option {name}")


def libcoap(program: str) -> str:
    """A program of libcoap. Skips the test if it is not installed."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not there: apt install libcoap3-bin")
    return found


def test_libcoap_puts_and_gets_3000_bytes_at_our_server(coap_server: Server, tmp_path: Path) -> None:
    client = libcoap("coap-client-notls")
    body = bytes(range(32, 126)) * 32
    (tmp_path / "body").write_bytes(body[:3000])
    url = f"coap://127.0.0.1:{coap_server.port}/from/libcoap"
    subprocess.run([client, "-m", "put", "-f", str(tmp_path / "body"), url], check=True, timeout=60)
    subprocess.run([client, "-m", "get", "-o", str(tmp_path / "back"), url], check=True, timeout=60)
    assert (tmp_path / "back").read_bytes() == body[:3000]


@pytest.mark.parametrize("level", ["non", "con"])
@pytest.mark.parametrize("size", [10, 3000])
def test_our_peers_speak_through_libcoaps_server(
    tmp_path: Path, launch: Launch, level: str, size: int
) -> None:
    program = libcoap("coap-server-notls")
    port = free_port()
    argv = [program, "-A", "127.0.0.1", "-p", str(port), "-d", "10"]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(argv, stdout=log, stderr=log)
    try:
        wait_until(lambda: listens(process.pid, port, "udp"), program, process, tmp_path / "log")
        pair = replace(COAP, options={"method": "put", "connect_timeout_s": "30"})
        first = write_messages(tmp_path / "first", [b"creates the resource"])
        creator = launch(pair)
        server = Server(process, port, None)
        creator.tell("prepare", **prepare_keys(pair, server, "con", first, "publisher", topic="made"))
        creator.wait("prepared")
        creator.tell("start", at_ns=0, schedule={"kind": "flood", "count": 1, "duration_ns": None})
        creator.wait("settled")
        trial = Trial(pair, server, level, distinct_messages(5, size), tmp_path, launch, topic="made")
        trial.start(kind="interval", interval_ns=500 * MS, count=5, duration_ns=None)
        assert trial.settle()["failed"] == 0
        trial.drain(5)
        assert [sample.seq for sample in trial.samples("subscriber")] == list(range(5))
    finally:
        process.kill()
        process.wait(60)


def test_faults_are_by_number() -> None:
    fault: Fault = lose(1, 3)
    assert [fault(n) for n in range(5)] == [1, 0, 1, 0, 1]


def test_libcoaps_relay_reports_a_taken_port(tmp_path: Path) -> None:
    try:
        program = kind("libcoap").find("coap")
    except BadInput as error:
        pytest.skip(error.sentence)
    with manage("libcoap", "coap", "", tmp_path) as server:
        listen = f"127.0.0.1:{server.port}"
        second = subprocess.run(
            [program, "--listen", listen], stdin=subprocess.PIPE, capture_output=True, timeout=60, check=False
        )
    assert second.returncode == 3
    assert second.stderr.decode() == f"{listen}: Address already in use\n"
