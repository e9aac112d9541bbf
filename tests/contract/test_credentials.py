"""Who is not who he says he is gets no connection, and the reason is told."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from conftest import need, serving
from harness import Event, Peer, distinct_messages, write_messages
from pairs import PAIRS, Pair
from trial import prepare_keys

from wirelab.lab.certificates import make

Launch = Callable[[Pair], Peer]
BY_NAME = {pair.name: pair for pair in PAIRS}
ENCRYPTED = [
    "mqtt5 over TLS with mosquitto",
    "xmpp over TLS with Prosody",
    "amqp over TLS with RabbitMQ",
    "tls",
    "quic",
    "websocket over TLS",
    "grpc over TLS",
    "amqp10 over TLS with RabbitMQ",
    "http over TLS",
    "http2 over TLS",
]


def refusal(pair: Pair, launch: Launch, directory: Path, valid: timedelta, **options: str) -> Event:
    """The fatal error of a publisher that is prepared with these options on top."""
    need(pair)
    messages = write_messages(directory / "messages", distinct_messages(1, 10))
    with serving(pair, directory, valid) as server:
        assert server is not None
        keys = prepare_keys(pair, server, next(iter(pair.qos)), messages, "publisher")
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


@pytest.mark.parametrize("name", ENCRYPTED)
def test_an_expired_certificate_is_named(name: str, launch: Launch, tmp_path: Path) -> None:
    told = refusal(BY_NAME[name], launch, tmp_path, valid=timedelta(minutes=30))
    assert "expired" in told["why"].lower()


@pytest.mark.parametrize("name", ENCRYPTED)
def test_a_certificate_of_another_authority_is_refused(name: str, launch: Launch, tmp_path: Path) -> None:
    stranger = make(tmp_path / "stranger", "127.0.0.1")
    told = refusal(BY_NAME[name], launch, tmp_path, timedelta(days=1), authority=str(stranger.authority))
    assert "certificate" in told["why"].lower()


@pytest.mark.parametrize(
    ("name", "why"), [("amqp with RabbitMQ", "ACCESS_REFUSED"), ("xmpp with Prosody", "NotAuthorized")]
)
def test_a_wrong_password_is_said_to_be_refused(name: str, why: str, launch: Launch, tmp_path: Path) -> None:
    told = refusal(BY_NAME[name], launch, tmp_path, timedelta(days=1), password="wrong")
    assert why in told["why"]
