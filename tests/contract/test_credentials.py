"""Who is not who he says he is gets no connection, and the reason is told."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from conftest import need, serving
from harness import Event, Peer, Server, distinct_messages, write_messages
from pairs import Pair
from trial import prepare_keys

from wirelab.lab.certificates import make

Launch = Callable[[Pair], Peer]
ENCRYPTED = (
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
)
REFUSED = {"amqp with RabbitMQ": "ACCESS_REFUSED", "xmpp with Prosody": "NotAuthorized"}


def refusal(pair: Pair, server: Server | None, launch: Launch, directory: Path, **options: str) -> Event:
    """The fatal error of a publisher that is prepared with these options on top."""
    assert server is not None
    messages = write_messages(directory / "messages", distinct_messages(1, 10))
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
    told = refusal(pair, server, launch, tmp_path, authority=str(stranger.authority))
    assert "certificate" in told["why"].lower()


@pytest.mark.pairs(*REFUSED)
def test_a_wrong_password_is_said_to_be_refused(
    pair: Pair, server: Server | None, launch: Launch, tmp_path: Path
) -> None:
    told = refusal(pair, server, launch, tmp_path, password="wrong")
    assert REFUSED[pair.name] in told["why"]
