"""Every peer with every server it is tested against. A new protocol adds its entry here and passes the suite."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def binary(name: str) -> str:
    """A built program: the newest of release and debug in cargo's target directory."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = [path for path in (target / "release" / name, target / "debug" / name) if path.exists()]
    return str(max(built, key=lambda path: path.stat().st_mtime, default=target / "release" / name))


@dataclass(frozen=True)
class Pair:
    """A peer and a server. `{port}`, `{config}` and `{tls}`, a folder with certificates, are filled into `server` and `config`.

    `qos` maps each level the pair is held to, to what it promises. `flood` is how many messages an unpaced trial has.
    `managed` is a server that the lab starts (its name, protocol and transport), in place of `server`.
    `hears_death` says whether a subscriber can know that its server is gone. `acknowledged` names best-effort levels whose
    publisher learns the fate of each message all the same; `lossless` those that lose nothing where the network loses nothing.
    `brokerless`: the subscriber finds the publisher by itself. `unordered` names levels that do not promise the order of messages under way together.
    """

    name: str
    peer: tuple[str, ...]
    server: tuple[str, ...] | None
    qos: dict[str, str]
    config: str | None = None
    managed: tuple[str, str, str] | None = None
    flood: int = 20_000
    largest: int = 2_000_000
    hears_death: bool = True
    acknowledged: tuple[str, ...] = ()
    lossless: tuple[str, ...] = ()
    brokerless: bool = False
    unordered: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)

    @property
    def has_server(self) -> bool:
        """Whether there is a server between the peers."""
        return self.server is not None or self.managed is not None

    @property
    def connection(self) -> tuple[str, ...]:
        """The peer and how it reaches a server: pairs that are alike in this have the same code on the peer's side."""
        transport = self.managed[2] if self.managed is not None else self.options.get("transport", "tcp")
        return (*self.peer, transport)

    def loses_nothing(self, qos: str) -> bool:
        """Whether a network that loses nothing must bring every message."""
        return self.qos[qos] != "best-effort" or qos in self.lossless


MQTT = {"0": "at-most-once", "1": "at-least-once", "2": "exactly-once"}
MQTT5 = (binary("wirelab-peer-mqtt"), "--protocol", "mqtt5")
AMQP = {
    "auto": "at-most-once",
    "manual": "at-most-once",
    "confirm": "at-least-once",
    "persistent": "at-least-once",
}
MOSQUITTO = """\
listener {port} 127.0.0.1
allow_anonymous true
user root
max_queued_messages 0
max_inflight_messages 0
set_tcp_nodelay true
"""
ZMQ = {"drop": "best-effort", "block": "best-effort"}
RELAY = (binary("wirelab-server-raw"), "--listen", "127.0.0.1:{port}")
ENCRYPTED = ("--certificate", "{tls}/server.pem", "--key", "{tls}/server.key")
HTTP_RELAY = (binary("wirelab-server-http"), "--listen", "127.0.0.1:{port}")
WEBSOCKET_RELAY = (binary("wirelab-server-websocket"), "--listen", "127.0.0.1:{port}")
GRPC_RELAY = (binary("wirelab-server-grpc"), "--listen", "127.0.0.1:{port}")
COAP_SERVER = (binary("wirelab-server-coap"), "--listen", "127.0.0.1:{port}", "--ack-timeout-ms", "100")
QUIC_RELAY = (binary("wirelab-server-quic"), "--listen", "127.0.0.1:{port}", *ENCRYPTED)
ZENOH_ROUTER = (binary("wirelab-server-zenoh"), "--listen", "127.0.0.1:{port}")
RAW = binary("wirelab-peer-raw")
JAVA = binary("wirelab-peer-java")

PAIRS = [
    Pair(
        "mqtt with the built-in broker",
        (binary("wirelab-peer-mqtt"),),
        (binary("wirelab-server-mqtt"), "--listen", "127.0.0.1:{port}"),
        MQTT,
    ),
    Pair(
        "mqtt with mosquitto",
        (binary("wirelab-peer-mqtt"),),
        ("mosquitto", "-c", "{config}"),
        MQTT,
        MOSQUITTO,
        options={"inflight": "100"},
    ),
    Pair(
        "mqtt5 with the built-in broker",
        MQTT5,
        (binary("wirelab-server-mqtt"), "--listen", "127.0.0.1:{port}"),
        MQTT,
    ),
    Pair(
        "mqtt5 with mosquitto",
        MQTT5,
        ("mosquitto", "-c", "{config}"),
        MQTT,
        MOSQUITTO,
        options={"inflight": "100"},
    ),
    Pair(
        "mqtt over WebSocket with the built-in broker",
        (binary("wirelab-peer-mqtt"),),
        (binary("wirelab-server-mqtt"), "--listen", "127.0.0.1:{port}", "--transport", "ws"),
        {"1": "at-least-once"},
        options={"transport": "ws"},
    ),
    Pair(
        "mqtt over secure WebSocket with mosquitto",
        (binary("wirelab-peer-mqtt"),),
        None,
        {"1": "at-least-once"},
        managed=("mosquitto", "mqtt", "wss"),
        flood=5_000,
        largest=10_000,
    ),
    Pair(
        "mqtt5 over TLS with mosquitto",
        MQTT5,
        None,
        {"1": "at-least-once"},
        managed=("mosquitto", "mqtt5", "tls"),
        flood=5_000,
    ),
    Pair(
        "mqtt with RabbitMQ",
        (binary("wirelab-peer-mqtt"),),
        None,
        {"0": "at-most-once", "1": "at-least-once"},
        managed=("rabbitmq", "mqtt", "tcp"),
    ),
    Pair(
        "mqtt with Artemis",
        (binary("wirelab-peer-mqtt"),),
        None,
        MQTT,
        managed=("artemis", "mqtt", "tcp"),
    ),
    Pair(
        "mqtt with HiveMQ",
        (binary("wirelab-peer-mqtt"),),
        None,
        MQTT,
        managed=("hivemq", "mqtt", "tcp"),
    ),
    Pair(
        "mqtt5 over secure WebSocket with HiveMQ",
        MQTT5,
        None,
        {"1": "at-least-once"},
        managed=("hivemq", "mqtt5", "wss"),
        flood=5_000,
    ),
    Pair(
        "mqtt5 over secure WebSocket with Artemis",
        MQTT5,
        None,
        {"1": "at-least-once"},
        managed=("artemis", "mqtt5", "wss"),
        flood=5_000,
    ),
    Pair(
        "amqp with RabbitMQ",
        (binary("wirelab-peer-amqp"),),
        None,
        AMQP,
        managed=("rabbitmq", "amqp", "tcp"),
    ),
    Pair(
        "amqp with Qpid",
        (binary("wirelab-peer-amqp"),),
        None,
        AMQP,
        managed=("qpid", "amqp", "tcp"),
    ),
    Pair(
        "amqp over TLS with Qpid",
        (binary("wirelab-peer-amqp"),),
        None,
        {"confirm": "at-least-once"},
        managed=("qpid", "amqp", "tls"),
        flood=5_000,
    ),
    Pair(
        "amqp through RabbitMQ's client with Qpid",
        (JAVA, "amqp"),
        None,
        {"confirm": "at-least-once"},
        managed=("qpid", "amqp", "tcp"),
        flood=5_000,
    ),
    Pair(
        "nats with nats-server",
        (binary("wirelab-peer-nats"),),
        None,
        {"core": "at-most-once", "jetstream": "at-least-once"},
        managed=("nats-server", "nats", "tcp"),
    ),
    Pair(
        "amqp over TLS with RabbitMQ",
        (binary("wirelab-peer-amqp"),),
        None,
        {"confirm": "at-least-once"},
        managed=("rabbitmq", "amqp", "tls"),
        flood=5_000,
    ),
    Pair(
        "mqtt through Paho with mosquitto",
        (JAVA, "mqtt"),
        ("mosquitto", "-c", "{config}"),
        {"1": "at-least-once", "2": "exactly-once"},
        MOSQUITTO,
        flood=5_000,
        options={"inflight": "100"},
    ),
    Pair(
        "mqtt through HiveMQ's client with mosquitto",
        (JAVA, "hivemq-mqtt"),
        ("mosquitto", "-c", "{config}"),
        {"2": "exactly-once"},
        MOSQUITTO,
        flood=5_000,
        options={"inflight": "100"},
    ),
    Pair(
        "mqtt5 through HiveMQ's client with mosquitto",
        (JAVA, "hivemq-mqtt5"),
        ("mosquitto", "-c", "{config}"),
        {"1": "at-least-once"},
        MOSQUITTO,
        flood=5_000,
        options={"inflight": "100", "throttle": "adaptive"},
    ),
    Pair(
        "kafka with its own server",
        (binary("wirelab-peer-kafka"),),
        None,
        {"0": "at-most-once", "1": "at-least-once", "all": "at-least-once"},
        managed=("kafka", "kafka", ""),
    ),
    Pair(
        "kafka through its Java client with its own server",
        (JAVA, "kafka"),
        None,
        {"0": "at-most-once", "all": "at-least-once"},
        managed=("kafka", "kafka", ""),
        flood=5_000,
    ),
    Pair(
        "amqp through RabbitMQ's client with RabbitMQ",
        (JAVA, "amqp"),
        None,
        {"confirm": "at-least-once"},
        managed=("rabbitmq", "amqp", "tcp"),
        flood=5_000,
    ),
    # Californium's observer gives up a body of several blocks when the next notification comes: one block is held to the suite.
    Pair(
        "coap through Californium",
        (JAVA, "coap"),
        COAP_SERVER,
        {"non": "best-effort", "con": "best-effort"},
        flood=2_000,
        largest=1_000,
        hears_death=False,
        acknowledged=("con",),
        options={"ack_timeout_ms": "100"},
    ),
    # Californium's server hands an observer one body of several blocks at a time, and the next replaces it.
    Pair(
        "coap with Californium",
        (binary("wirelab-peer-coap"),),
        None,
        {"non": "best-effort", "con": "best-effort"},
        managed=("californium", "coap", ""),
        flood=5_000,
        largest=1_000,
        hears_death=False,
        acknowledged=("con",),
        options={"ack_timeout_ms": "100"},
    ),
    # libcoap's timers begin at a second. What it keeps of NON transfers is searched at each answer, so larger floods take minutes.
    Pair(
        "coap through libcoap",
        (binary("wirelab-peer-libcoap"),),
        COAP_SERVER,
        {"non": "best-effort", "con": "best-effort"},
        flood=2_000,
        largest=60_000,
        hears_death=False,
        acknowledged=("con",),
        options={"ack_timeout_ms": "1000", "max_retransmit": "1"},
    ),
    Pair(
        "coap with libcoap",
        (binary("wirelab-peer-coap"),),
        None,
        {"non": "best-effort", "con": "best-effort"},
        managed=("libcoap", "coap", ""),
        flood=2_000,
        largest=60_000,
        hears_death=False,
        acknowledged=("con",),
        options={"ack_timeout_ms": "100"},
    ),
    Pair(
        "coap over DTLS",
        (binary("wirelab-peer-coap"),),
        (*COAP_SERVER, *ENCRYPTED),
        {"non": "best-effort", "con": "best-effort"},
        flood=2_000,
        largest=60_000,
        hears_death=False,
        acknowledged=("con",),
        options={"ack_timeout_ms": "100", "transport": "dtls"},
    ),
    Pair(
        "coap over DTLS through libcoap with libcoap",
        (binary("wirelab-peer-libcoap"),),
        None,
        {"non": "best-effort", "con": "best-effort"},
        managed=("libcoap", "coap", "dtls"),
        flood=2_000,
        largest=60_000,
        hears_death=False,
        acknowledged=("con",),
        options={"ack_timeout_ms": "1000", "max_retransmit": "1"},
    ),
    Pair(
        "coap over DTLS with libcoap",
        (binary("wirelab-peer-coap"),),
        None,
        {"con": "best-effort"},
        managed=("libcoap", "coap", "dtls"),
        flood=2_000,
        largest=1_000,
        hears_death=False,
        acknowledged=("con",),
        options={"ack_timeout_ms": "100"},
    ),
    Pair(
        "coap over DTLS with Californium",
        (binary("wirelab-peer-coap"),),
        None,
        {"con": "best-effort"},
        managed=("californium", "coap", "dtls"),
        flood=2_000,
        largest=1_000,
        hears_death=False,
        acknowledged=("con",),
        options={"ack_timeout_ms": "100"},
    ),
    Pair(
        "coap over DTLS through Californium",
        (JAVA, "coap"),
        (*COAP_SERVER, *ENCRYPTED),
        {"non": "best-effort", "con": "best-effort"},
        flood=2_000,
        largest=1_000,
        hears_death=False,
        acknowledged=("con",),
        options={"ack_timeout_ms": "100", "transport": "dtls"},
    ),
    Pair(
        "xmpp with Prosody",
        (binary("wirelab-peer-xmpp"),),
        None,
        {"plain": "at-most-once", "managed": "at-least-once"},
        managed=("prosody", "xmpp", "tcp"),
        flood=5_000,
    ),
    Pair(
        "xmpp with ejabberd",
        (binary("wirelab-peer-xmpp"),),
        None,
        {"plain": "at-most-once", "managed": "at-least-once"},
        managed=("ejabberd", "xmpp", "tcp"),
        flood=5_000,
    ),
    Pair(
        "xmpp through Smack with Prosody",
        (JAVA, "xmpp"),
        None,
        {"managed": "at-least-once"},
        managed=("prosody", "xmpp", "tcp"),
        flood=2_000,
    ),
    Pair(
        "xmpp over TLS with Prosody",
        (binary("wirelab-peer-xmpp"),),
        None,
        {"managed": "at-least-once"},
        managed=("prosody", "xmpp", "tls"),
        flood=1_000,
        largest=1_000_000,
    ),
    Pair(
        "tls",
        (RAW, "--protocol", "tls"),
        (*RELAY, *ENCRYPTED),
        {"stream": "at-most-once"},
    ),
    Pair(
        "quic",
        (binary("wirelab-peer-quic"),),
        QUIC_RELAY,
        {"stream": "at-most-once", "streams": "at-most-once"},
        unordered=("streams",),
        options={"idle_timeout_s": "3"},
    ),
    Pair(
        "quic datagrams",
        (binary("wirelab-peer-quic"),),
        QUIC_RELAY,
        {"datagram": "best-effort"},
        largest=1_100,
        options={"idle_timeout_s": "3"},
    ),
    Pair(
        "http",
        (binary("wirelab-peer-http"), "--protocol", "http"),
        HTTP_RELAY,
        {"request": "at-most-once"},
        acknowledged=("request",),
    ),
    Pair(
        "http over TLS",
        (binary("wirelab-peer-http"), "--protocol", "http"),
        (*HTTP_RELAY, *ENCRYPTED),
        {"request": "at-most-once"},
        flood=5_000,
        acknowledged=("request",),
        options={"transport": "tls"},
    ),
    Pair(
        "http2",
        (binary("wirelab-peer-http"), "--protocol", "http2"),
        HTTP_RELAY,
        {"request": "at-most-once"},
        acknowledged=("request",),
        unordered=("request",),
    ),
    Pair(
        "http2 over TLS",
        (binary("wirelab-peer-http"), "--protocol", "http2"),
        (*HTTP_RELAY, *ENCRYPTED),
        {"request": "at-most-once"},
        flood=5_000,
        acknowledged=("request",),
        unordered=("request",),
        options={"transport": "tls"},
    ),
    Pair(
        "websocket",
        (binary("wirelab-peer-websocket"),),
        WEBSOCKET_RELAY,
        {"message": "at-most-once"},
    ),
    Pair(
        "websocket over TLS",
        (binary("wirelab-peer-websocket"),),
        (*WEBSOCKET_RELAY, *ENCRYPTED),
        {"message": "at-most-once"},
        flood=5_000,
        options={"transport": "tls"},
    ),
    Pair(
        "grpc",
        (binary("wirelab-peer-grpc"),),
        GRPC_RELAY,
        {"stream": "at-most-once", "unary": "at-most-once"},
        acknowledged=("unary",),
        unordered=("unary",),
    ),
    Pair(
        "grpc over TLS",
        (binary("wirelab-peer-grpc"),),
        (*GRPC_RELAY, *ENCRYPTED),
        {"stream": "at-most-once"},
        flood=5_000,
        options={"transport": "tls"},
    ),
    Pair(
        "amqp10 with RabbitMQ",
        (binary("wirelab-peer-amqp10"),),
        None,
        {"settled": "at-most-once", "unsettled": "at-least-once"},
        managed=("rabbitmq", "amqp10", "tcp"),
    ),
    Pair(
        "amqp10 over TLS with RabbitMQ",
        (binary("wirelab-peer-amqp10"),),
        None,
        {"unsettled": "at-least-once"},
        managed=("rabbitmq", "amqp10", "tls"),
        flood=5_000,
    ),
    Pair(
        "amqp10 with Artemis",
        (binary("wirelab-peer-amqp10"),),
        None,
        {"settled": "at-most-once", "unsettled": "at-least-once"},
        managed=("artemis", "amqp10", "tcp"),
    ),
    Pair(
        "amqp10 with Qpid",
        (binary("wirelab-peer-amqp10"),),
        None,
        {"settled": "at-most-once", "unsettled": "at-least-once"},
        managed=("qpid", "amqp10", "tcp"),
    ),
    Pair("zenoh", (binary("wirelab-peer-zenoh"),), ZENOH_ROUTER, {"block": "at-most-once"}),
    # A part of a large message that finds its queue full takes the whole message along.
    Pair(
        "zenoh that drops",
        (binary("wirelab-peer-zenoh"),),
        ZENOH_ROUTER,
        {"drop": "best-effort"},
        largest=60_000,
    ),
    Pair("tcp", (RAW, "--protocol", "tcp"), RELAY, {"stream": "at-most-once"}),
    Pair(
        "udp",
        (RAW, "--protocol", "udp"),
        RELAY,
        {"datagram": "best-effort"},
        largest=65_000,
        hears_death=False,
    ),
    Pair(
        "coap",
        (binary("wirelab-peer-coap"),),
        COAP_SERVER,
        {"non": "best-effort", "con": "best-effort"},
        largest=60_000,
        hears_death=False,
        acknowledged=("con",),
        options={"ack_timeout_ms": "100"},
    ),
    Pair(
        "zmq",
        (binary("wirelab-peer-zmq"),),
        None,
        ZMQ,
        hears_death=False,
        lossless=("block",),
        brokerless=True,
    ),
    Pair(
        "zmq over EPGM",
        (binary("wirelab-peer-zmq"),),
        None,
        ZMQ,
        largest=60_000,
        hears_death=False,
        brokerless=True,
        options={"transport": "epgm", "rate_kbit": "400000", "recovery_ms": "1000"},
    ),
    Pair(
        "dds",
        (binary("wirelab-peer-dds"),),
        None,
        {"best-effort": "best-effort", "reliable": "at-most-once"},
        largest=60_000,
        hears_death=False,
        brokerless=True,
    ),
    Pair(
        "tcp in another language",
        (sys.executable, str(Path(__file__).parent / "tiny_peer.py")),
        RELAY,
        {"stream": "at-most-once"},
    ),
    Pair(
        "mock",
        (binary("wirelab-peer-mock"),),
        None,
        {"plain": "best-effort", "acknowledged": "at-least-once"},
        hears_death=False,
    ),
]


def once_per(what: str) -> list[Pair]:
    """The first pair of every peer, of every connection, or of every server of ours."""
    keys = {
        "peer": lambda pair: pair.peer,
        "connection": lambda pair: pair.connection,
        "server": lambda pair: pair.server if pair.config is None else None,
    }
    first: dict[tuple[str, ...], Pair] = {}
    for pair in PAIRS:
        if (key := keys[what](pair)) is not None:
            first.setdefault(key, pair)
    return list(first.values())
