"""Every peer with every server it is tested against. What each level promises is what the manifest says."""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from pathlib import Path

from pair import Pair, java, ours, promised, relay, served

MQTT = promised("mqtt")
MQTT_1 = promised("mqtt", "1")
AMQP = promised("amqp")
CONFIRM = promised("amqp", "confirm")
AMQP10 = promised("amqp10")
COAP = promised("coap")
CON = promised("coap", "con")
XMPP = promised("xmpp")
MANAGED = promised("xmpp", "managed")
STREAM = promised("tcp")
REQUEST = promised("http")
MESSAGE = promised("websocket")
ZMQ = promised("zmq")
DDS = promised("dds")

MQTT5 = ours("mqtt", "--protocol", "mqtt5")
HTTP, HTTP2 = (ours("http", "--protocol", version) for version in ("http", "http2"))
TCP, UDP, TLS = (ours("raw", "--protocol", protocol) for protocol in ("tcp", "udp", "tls"))
COAP_SERVER = relay("coap", "--ack-timeout-ms", "100")
ENCRYPTED = ("--certificate", "{tls}/server.pem", "--key", "{tls}/server.key")
OVER_TLS = {"transport": "tls"}
MOSQUITTO = """\
listener {port} 127.0.0.1
allow_anonymous true
user root
max_queued_messages 0
max_inflight_messages 0
set_tcp_nodelay true
"""


with_mosquitto = partial(
    Pair, server=("mosquitto", "-c", "{config}"), config=MOSQUITTO, options={"inflight": "100"}
)
coap = partial(
    Pair,
    qos=COAP,
    flood=2_000,
    largest=60_000,
    hears_death=False,
    acknowledged=("con",),
    options={"ack_timeout_ms": "100"},
)
# libcoap's timers begin at a second. What it keeps of NON transfers is searched at each answer, so larger floods take minutes.
through_libcoap = partial(
    coap, peer=ours("libcoap"), options={"ack_timeout_ms": "1000", "max_retransmit": "1"}
)
http = partial(Pair, qos=REQUEST, acknowledged=("request",))
brokerless = partial(Pair, server=None, hears_death=False, brokerless=True)

PAIRS: list[Pair] = [
    Pair("mqtt with the built-in broker", ours("mqtt"), relay("mqtt"), MQTT),
    with_mosquitto("mqtt with mosquitto", ours("mqtt"), qos=MQTT),
    Pair("mqtt5 with the built-in broker", MQTT5, relay("mqtt"), MQTT),
    with_mosquitto("mqtt5 with mosquitto", MQTT5, qos=MQTT),
    Pair(
        "mqtt over WebSocket with the built-in broker",
        ours("mqtt"),
        relay("mqtt", "--transport", "ws"),
        MQTT_1,
        options={"transport": "ws"},
    ),
    served(
        "mqtt over secure WebSocket with mosquitto",
        ours("mqtt"),
        ("mosquitto", "mqtt", "wss"),
        MQTT_1,
        flood=5_000,
        largest=10_000,
    ),
    served("mqtt5 over TLS with mosquitto", MQTT5, ("mosquitto", "mqtt5", "tls"), MQTT_1, flood=5_000),
    served(
        "mqtt with RabbitMQ",
        ours("mqtt"),
        ("rabbitmq", "mqtt", "tcp"),
        promised("mqtt", "0", "1"),
    ),
    served("mqtt with Artemis", ours("mqtt"), ("artemis", "mqtt", "tcp"), MQTT),
    served("mqtt with HiveMQ", ours("mqtt"), ("hivemq", "mqtt", "tcp"), MQTT),
    served("mqtt5 over secure WebSocket with HiveMQ", MQTT5, ("hivemq", "mqtt5", "wss"), MQTT_1, flood=5_000),
    served(
        "mqtt5 over secure WebSocket with Artemis", MQTT5, ("artemis", "mqtt5", "wss"), MQTT_1, flood=5_000
    ),
    served("amqp with RabbitMQ", ours("amqp"), ("rabbitmq", "amqp", "tcp"), AMQP),
    served("amqp with Qpid", ours("amqp"), ("qpid", "amqp", "tcp"), AMQP),
    served("amqp over TLS with Qpid", ours("amqp"), ("qpid", "amqp", "tls"), CONFIRM, flood=5_000),
    served(
        "amqp through RabbitMQ's client with Qpid",
        java("amqp"),
        ("qpid", "amqp", "tcp"),
        CONFIRM,
        flood=5_000,
    ),
    served(
        "nats with nats-server",
        ours("nats"),
        ("nats-server", "nats", "tcp"),
        promised("nats"),
    ),
    served("amqp over TLS with RabbitMQ", ours("amqp"), ("rabbitmq", "amqp", "tls"), CONFIRM, flood=5_000),
    with_mosquitto(
        "mqtt through Paho with mosquitto",
        java("mqtt"),
        qos=promised("mqtt", "1", "2"),
        flood=5_000,
    ),
    with_mosquitto(
        "mqtt through HiveMQ's client with mosquitto",
        java("hivemq-mqtt"),
        qos=promised("mqtt", "2"),
        flood=5_000,
    ),
    with_mosquitto(
        "mqtt5 through HiveMQ's client with mosquitto",
        java("hivemq-mqtt5"),
        qos=MQTT_1,
        flood=5_000,
        options={"inflight": "100", "throttle": "adaptive"},
    ),
    served(
        "kafka with its own server",
        ours("kafka"),
        ("kafka", "kafka", "tcp"),
        promised("kafka"),
    ),
    served(
        "kafka through its Java client with its own server",
        java("kafka"),
        ("kafka", "kafka", "tcp"),
        promised("kafka", "0", "all"),
        flood=5_000,
    ),
    served(
        "kafka over TLS with its own server",
        ours("kafka"),
        ("kafka", "kafka", "tls"),
        promised("kafka", "all"),
        flood=5_000,
    ),
    served(
        "kafka over TLS through its Java client with its own server",
        java("kafka"),
        ("kafka", "kafka", "tls"),
        promised("kafka", "all"),
        flood=2_000,
        largest=1_000_000,
    ),
    served(
        "amqp through RabbitMQ's client with RabbitMQ",
        java("amqp"),
        ("rabbitmq", "amqp", "tcp"),
        CONFIRM,
        flood=5_000,
    ),
    # Californium's observer gives up a body of several blocks when the next notification comes: one block is held to the suite.
    coap("coap through Californium", java("coap"), COAP_SERVER, largest=1_000),
    # Californium's server hands an observer one body of several blocks at a time, and the next replaces it.
    coap(
        "coap with Californium",
        ours("coap"),
        None,
        managed=("californium", "coap", ""),
        flood=5_000,
        largest=1_000,
    ),
    through_libcoap("coap through libcoap", server=COAP_SERVER),
    coap("coap with libcoap", ours("coap"), None, managed=("libcoap", "coap", "")),
    coap(
        "coap over DTLS",
        ours("coap"),
        (*COAP_SERVER, *ENCRYPTED),
        options={"ack_timeout_ms": "100", "transport": "dtls"},
    ),
    through_libcoap(
        "coap over DTLS through libcoap with libcoap", server=None, managed=("libcoap", "coap", "dtls")
    ),
    coap(
        "coap over DTLS with libcoap",
        ours("coap"),
        None,
        qos=CON,
        managed=("libcoap", "coap", "dtls"),
        largest=1_000,
    ),
    coap(
        "coap over DTLS with Californium",
        ours("coap"),
        None,
        qos=CON,
        managed=("californium", "coap", "dtls"),
        largest=1_000,
    ),
    coap(
        "coap over DTLS through Californium",
        java("coap"),
        (*COAP_SERVER, *ENCRYPTED),
        largest=1_000,
        options={"ack_timeout_ms": "100", "transport": "dtls"},
    ),
    served("xmpp with Prosody", ours("xmpp"), ("prosody", "xmpp", "tcp"), XMPP, flood=5_000),
    served("xmpp with ejabberd", ours("xmpp"), ("ejabberd", "xmpp", "tcp"), XMPP, flood=5_000),
    served("xmpp through Smack with Prosody", java("xmpp"), ("prosody", "xmpp", "tcp"), MANAGED, flood=2_000),
    served(
        "xmpp over TLS with Prosody",
        ours("xmpp"),
        ("prosody", "xmpp", "tls"),
        MANAGED,
        flood=1_000,
        largest=1_000_000,
    ),
    Pair("tls", TLS, relay("raw", *ENCRYPTED), STREAM),
    Pair(
        "quic",
        ours("quic"),
        relay("quic", *ENCRYPTED),
        promised("quic", "stream", "streams"),
        unordered=("streams",),
        options={"idle_timeout_s": "3"},
    ),
    Pair(
        "quic datagrams",
        ours("quic"),
        relay("quic", *ENCRYPTED),
        promised("quic", "datagram"),
        largest=1_100,
        options={"idle_timeout_s": "3"},
    ),
    http("http", HTTP, relay("http")),
    http("http over TLS", HTTP, relay("http", *ENCRYPTED), flood=5_000, options=OVER_TLS),
    http("http2", HTTP2, relay("http"), unordered=("request",)),
    http(
        "http2 over TLS",
        HTTP2,
        relay("http", *ENCRYPTED),
        flood=5_000,
        unordered=("request",),
        options=OVER_TLS,
    ),
    Pair("websocket", ours("websocket"), relay("websocket"), MESSAGE),
    Pair(
        "websocket over TLS",
        ours("websocket"),
        relay("websocket", *ENCRYPTED),
        MESSAGE,
        flood=5_000,
        options=OVER_TLS,
    ),
    Pair(
        "grpc",
        ours("grpc"),
        relay("grpc"),
        promised("grpc"),
        acknowledged=("unary",),
        unordered=("unary",),
    ),
    Pair("grpc over TLS", ours("grpc"), relay("grpc", *ENCRYPTED), STREAM, flood=5_000, options=OVER_TLS),
    served("amqp10 with RabbitMQ", ours("amqp10"), ("rabbitmq", "amqp10", "tcp"), AMQP10),
    served(
        "amqp10 over TLS with RabbitMQ",
        ours("amqp10"),
        ("rabbitmq", "amqp10", "tls"),
        promised("amqp10", "unsettled"),
        flood=5_000,
    ),
    served("amqp10 with Artemis", ours("amqp10"), ("artemis", "amqp10", "tcp"), AMQP10),
    served("amqp10 with Qpid", ours("amqp10"), ("qpid", "amqp10", "tcp"), AMQP10),
    Pair("zenoh", ours("zenoh"), relay("zenoh"), promised("zenoh", "block")),
    # A part of a large message that finds its queue full takes the whole message along.
    Pair("zenoh that drops", ours("zenoh"), relay("zenoh"), promised("zenoh", "drop"), largest=60_000),
    Pair(
        "zenoh over TLS",
        ours("zenoh"),
        relay("zenoh", *ENCRYPTED),
        promised("zenoh", "block"),
        flood=5_000,
        options=OVER_TLS,
    ),
    Pair("tcp", TCP, relay("raw"), STREAM),
    Pair("udp", UDP, relay("raw"), promised("udp"), largest=65_000, hears_death=False),
    coap("coap", ours("coap"), COAP_SERVER, flood=20_000),
    brokerless("zmq", ours("zmq"), qos=ZMQ, lossless=("block",)),
    brokerless(
        "zmq over EPGM",
        ours("zmq"),
        qos=ZMQ,
        largest=60_000,
        options={"transport": "epgm", "rate_kbit": "400000", "recovery_ms": "1000"},
    ),
    brokerless("dds", ours("dds"), qos=DDS, largest=60_000),
    # By itself it asks for acknowledgements every 3 s. Its history is full now and then: the writer waits.
    brokerless(
        "dds through Fast DDS",
        ours("fastdds"),
        qos=DDS,
        largest=60_000,
        options={"heartbeat_ms": "100", "max_samples": "100"},
    ),
    Pair(
        "tcp in another language",
        (sys.executable, str(Path(__file__).parent / "minimal_peer.py")),
        relay("raw"),
        STREAM,
    ),
    Pair(
        "mock",
        ours("mock"),
        None,
        promised("mock"),
        hears_death=False,
    ),
]


# A server or peer of a folder of its own has its pairs in a module of its own, NAME_pairs.py.
for module in sorted(Path(__file__).parent.glob("*_pairs.py")):
    PAIRS += import_module(module.stem).PAIRS


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
