"""A peer or server with wrong credentials gets no connection, and the error has the reason."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from conftest import need, serving
from harness import Event, Peer, Server, distinct_messages, serve, write_messages
from pairs import MOSQUITTO, Pair
from trial import Trial, prepare_keys

from wirelab.lab.certificates import make

Launch = Callable[[Pair], Peer]
ENCRYPTED = (
    "mqtt5 over TLS with mosquitto",
    "xmpp over TLS with Prosody",
    "amqp over TLS with RabbitMQ",
    "tls",
    "quic",
    "http3",
    "websocket over TLS",
    "grpc over TLS",
    "amqp10 over TLS with RabbitMQ",
    "http over TLS",
    "http2 over TLS",
    "kafka over TLS with its own server",
    "kafka over TLS through its Java client with its own server",
    "zenoh over TLS",
    "coap over DTLS",
    "coap over DTLS through libcoap with libcoap",
    "coap over DTLS through Californium",
)
# Of those, clients that look whether the certificate names the server's address (a few stand for
# all on the same library of ours).
ADDRESSED = (
    "mqtt5 over TLS with mosquitto",
    "tls",
    "kafka over TLS with its own server",
    "kafka over TLS through its Java client with its own server",
    "zenoh over TLS",
)
# User names and passwords, with the text of the refusal.
REFUSED = {
    "amqp with RabbitMQ": ({}, "ACCESS_REFUSED"),
    "xmpp with Prosody": ({}, "NotAuthorized"),
    "mqtt with RabbitMQ": ({"user": "guest"}, "BadUserNamePassword"),
}
# A broker that requires a password.
LOCKED = MOSQUITTO.replace("allow_anonymous true", "allow_anonymous false") + "password_file {passwords}\n"


def refusal(
    pair: Pair,
    server: Server | None,
    launch: Launch,
    directory: Path,
    role: str = "publisher",
    **options: str,
) -> Event:
    """The fatal error of a peer that is prepared with these options on top."""
    assert server is not None
    messages = write_messages(directory / "messages", distinct_messages(1, 10))
    keys = prepare_keys(pair, server, next(iter(pair.qos)), messages, role)
    keys["options"] = {**keys["options"], **options}
    peer = launch(pair)
    peer.tell("prepare", **keys)
    while (event := peer.next(20)) is not None and event["event"] != "error":
        pass
    assert event is not None
    assert event["fatal"]
    assert str(server.port) in event["what"]
    assert peer.ended() == 1
    return event


@pytest.mark.pairs(*ENCRYPTED)
def test_an_expired_certificate_is_named(pair: Pair, launch: Launch, tmp_path: Path) -> None:
    need(pair)
    with serving(pair, tmp_path, valid=timedelta(minutes=30)) as server:
        told = refusal(pair, server, launch, tmp_path)
    assert "expired" in told["why"].lower()


@pytest.mark.pairs(*ENCRYPTED)
def test_a_certificate_of_another_authority_is_refused(
    pair: Pair, server: Server | None, launch: Launch, tmp_path: Path
) -> None:
    stranger = make(tmp_path / "stranger", "127.0.0.1")
    for role in ("publisher", "subscriber"):
        told = refusal(pair, server, launch, tmp_path, role, authority=str(stranger.authority))
        assert "certificate" in told["why"].lower()


@pytest.mark.pairs(*ADDRESSED)
def test_a_certificate_for_another_address_is_refused(pair: Pair, launch: Launch, tmp_path: Path) -> None:
    need(pair)
    with serving(pair, tmp_path, named="127.0.0.2") as server:
        told = refusal(pair, server, launch, tmp_path)
    assert "certificate" in told["why"].lower()


@pytest.mark.pairs(*REFUSED)
def test_a_wrong_password_is_reported_as_refused(
    pair: Pair, server: Server | None, launch: Launch, tmp_path: Path
) -> None:
    options, word = REFUSED[pair.name]
    told = refusal(pair, server, launch, tmp_path, password="wrong", **options)
    assert word in told["why"]


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """mosquitto with one user."""
    if shutil.which("mosquitto_passwd") is None:
        pytest.skip("mosquitto_passwd is not there: apt install mosquitto")
    folder = tmp_path_factory.mktemp("locked")
    passwords = folder / "passwords"
    subprocess.run(["mosquitto_passwd", "-b", "-c", passwords, "somebody", "word"], check=True)
    configuration = LOCKED.replace("{passwords}", str(passwords))
    with serve(("mosquitto", "-c", "{config}"), configuration, folder) as running:
        assert running is not None
        yield running


# The text by which each client reports that mosquitto rejects it.
OWN = {
    "mqtt with mosquitto": "NotAuthorized",
    "mqtt5 with mosquitto": "NotAuthorized",
    "mqtt through Paho with mosquitto": "Not authorized",
    "mqtt through HiveMQ's client with mosquitto": "NOT_AUTHORIZED",
    "mqtt5 through HiveMQ's client with mosquitto": "NOT_AUTHORIZED",
}


@pytest.mark.pairs(*OWN)
def test_mosquitto_names_a_wrong_password_and_one_that_is_missing(
    pair: Pair, locked: Server, launch: Launch, tmp_path: Path
) -> None:
    for options in ({"user": "somebody", "password": "wrong"}, {}):
        told = refusal(pair, locked, launch, tmp_path, **options)
        assert OWN[pair.name] in told["why"]


@pytest.mark.pairs(*OWN)
def test_a_password_without_a_user_is_refused_before_connecting(
    pair: Pair, locked: Server, launch: Launch, tmp_path: Path
) -> None:
    messages = write_messages(tmp_path / "messages", distinct_messages(1, 10))
    keys = prepare_keys(pair, locked, next(iter(pair.qos)), messages, "publisher")
    peer = launch(pair)
    peer.tell("prepare", **{**keys, "options": {**keys["options"], "password": "word"}})
    event = peer.next(20)
    assert event is not None
    assert event["fatal"]
    assert (event["what"], event["why"]) == ("option password", "give a user as well")


@pytest.mark.pairs(*OWN)
def test_a_correct_password_is_accepted(pair: Pair, locked: Server, trial: Callable[..., Trial]) -> None:
    options = {"user": "somebody", "password": "word"}
    both = trial(pair, locked, next(iter(pair.qos)), distinct_messages(10, 10), options=options)
    both.start(kind="interval", interval_ns=1_000_000, count=10, duration_ns=None)
    both.settle()
    both.drain(10)
    assert [stopped["sent"] + stopped["received"] for stopped in both.end().values()] == [10, 10]


@pytest.mark.pairs("mqtt with mosquitto")
def test_a_publisher_with_many_connections_logs_in_with_each(
    pair: Pair, locked: Server, trial: Callable[..., Trial]
) -> None:
    options = {"user": "somebody", "password": "word", "connections": "3"}
    both = trial(pair, locked, "1", [b"message"], options=options)
    both.start(kind="interval", interval_ns=1_000_000, count=9, duration_ns=None)
    both.settle()
    both.drain(9)
    assert both.end()["publisher"]["acknowledged"] == 9
