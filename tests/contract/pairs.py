"""Every peer with every server it is tested against.

The manifests have the guarantees of the qos.
"""

from __future__ import annotations

import sys
from functools import partial
from importlib import import_module
from pathlib import Path

from pair import Pair, peer, promised, relay, served

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

COAP_SERVER = relay("coap", "--ack-timeout-ms", "100")
ENCRYPTED = ("--certificate", "{tls}/server.pem", "--key", "{tls}/server.key")
OVER_TLS = {"transport": "tls"}
MOSQUITTO = """\
listener {port} 127.0.0.1
allow_anonymous true
user root
max_queued_messages 1000000
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
# libcoap's timers begin at a second. What it keeps of NON transfers is searched at each answer, so
# larger floods take minutes.
through_libcoap = partial(
    coap, peer=peer("coap", "libcoap"), options={"ack_timeout_ms": "1000", "max_retransmit": "1"}
)
http = partial(Pair, qos=REQUEST, acknowledged=("request",))
brokerless = partial(Pair, server=None, hears_death=False, brokerless=True)

PAIRS: list[Pair] = [
    Pair("mqtt with the built-in broker", peer("mqtt"), relay("mqtt"), MQTT),
    with_mosquitto("mqtt with mosquitto", peer("mqtt"), qos=MQTT),
    Pair("mqtt5 with the built-in broker", peer("mqtt5"), relay("mqtt"), MQTT),
    with_mosquitto("mqtt5 with mosquitto", peer("mqtt5"), qos=MQTT),
    Pair(
        "mqtt over WebSocket with the built-in broker",
        peer("mqtt"),
        relay("mqtt", "--transport", "ws"),
        MQTT_1,
        options={"transport": "ws"},
    ),
    served(
        "mqtt over secure WebSocket with mosquitto",
        peer("mqtt"),
        ("mosquitto", "mqtt", "wss"),
        MQTT_1,
        flood=5_000,
        largest=10_000,
    ),
    served(
        "mqtt5 over TLS with mosquitto", peer("mqtt5"), ("mosquitto", "mqtt5", "tls"), MQTT_1, flood=5_000
    ),
    served(
        "mqtt with RabbitMQ",
        peer("mqtt"),
        ("rabbitmq", "mqtt", "tcp"),
        promised("mqtt", "0", "1"),
    ),
    served("mqtt with Artemis", peer("mqtt"), ("artemis", "mqtt", "tcp"), MQTT),
    served("mqtt with HiveMQ", peer("mqtt"), ("hivemq", "mqtt", "tcp"), MQTT),
    served(
        "mqtt5 over secure WebSocket with HiveMQ",
        peer("mqtt5"),
        ("hivemq", "mqtt5", "wss"),
        MQTT_1,
        flood=5_000,
    ),
    served(
        "mqtt5 over secure WebSocket with Artemis",
        peer("mqtt5"),
        ("artemis", "mqtt5", "wss"),
        MQTT_1,
        flood=5_000,
    ),
    served("amqp with RabbitMQ", peer("amqp"), ("rabbitmq", "amqp", "tcp"), AMQP),
    served("amqp with Qpid", peer("amqp"), ("qpid", "amqp", "tcp"), AMQP),
    served("amqp over TLS with Qpid", peer("amqp"), ("qpid", "amqp", "tls"), CONFIRM, flood=5_000),
    served(
        "amqp through RabbitMQ's client with Qpid",
        peer("amqp", "rabbitmq-java"),
        ("qpid", "amqp", "tcp"),
        CONFIRM,
        flood=5_000,
    ),
    served(
        "nats with nats-server",
        peer("nats"),
        ("nats-server", "nats", "tcp"),
        promised("nats"),
    ),
    served("amqp over TLS with RabbitMQ", peer("amqp"), ("rabbitmq", "amqp", "tls"), CONFIRM, flood=5_000),
    with_mosquitto(
        "mqtt through Paho with mosquitto",
        peer("mqtt", "paho"),
        qos=promised("mqtt", "1", "2"),
        flood=5_000,
    ),
    with_mosquitto(
        "mqtt through HiveMQ's client with mosquitto",
        peer("mqtt", "hivemq"),
        qos=promised("mqtt", "2"),
        flood=5_000,
    ),
    with_mosquitto(
        "mqtt5 through HiveMQ's client with mosquitto",
        peer("mqtt5", "hivemq"),
        qos=MQTT_1,
        flood=5_000,
        options={"inflight": "100", "throttle": "adaptive"},
    ),
    served(
        "kafka with its own server",
        peer("kafka"),
        ("kafka", "kafka", "tcp"),
        promised("kafka"),
    ),
    served(
        "kafka through its Java client with its own server",
        peer("kafka", "kafka-clients"),
        ("kafka", "kafka", "tcp"),
        promised("kafka", "0", "all"),
        flood=5_000,
    ),
    served(
        "kafka over TLS with its own server",
        peer("kafka"),
        ("kafka", "kafka", "tls"),
        promised("kafka", "all"),
        flood=5_000,
    ),
    served(
        "kafka over TLS through its Java client with its own server",
        peer("kafka", "kafka-clients"),
        ("kafka", "kafka", "tls"),
        promised("kafka", "all"),
        flood=2_000,
        largest=1_000_000,
    ),
    served(
        "amqp through RabbitMQ's client with RabbitMQ",
        peer("amqp", "rabbitmq-java"),
        ("rabbitmq", "amqp", "tcp"),
        CONFIRM,
        flood=5_000,
    ),
    # Californium's observer gives up a body of several blocks when the next notification comes: one
    # block is held to the suite.
    coap("coap through Californium", peer("coap", "californium"), COAP_SERVER, largest=1_000),
    # Californium's server hands an observer one body of several blocks at a time, and the next
    # replaces it.
    coap(
        "coap with Californium",
        peer("coap"),
        None,
        managed=("californium", "coap", ""),
        flood=5_000,
        largest=1_000,
    ),
    through_libcoap("coap through libcoap", server=COAP_SERVER),
    coap("coap with libcoap", peer("coap"), None, managed=("libcoap", "coap", "")),
    coap(
        "coap over DTLS",
        peer("coap"),
        (*COAP_SERVER, *ENCRYPTED),
        options={"ack_timeout_ms": "100", "transport": "dtls"},
    ),
    through_libcoap(
        "coap over DTLS through libcoap with libcoap", server=None, managed=("libcoap", "coap", "dtls")
    ),
    coap(
        "coap over DTLS with libcoap",
        peer("coap"),
        None,
        qos=CON,
        managed=("libcoap", "coap", "dtls"),
        largest=1_000,
    ),
    coap(
        "coap over DTLS with Californium",
        peer("coap"),
        None,
        qos=CON,
        managed=("californium", "coap", "dtls"),
        largest=1_000,
    ),
    coap(
        "coap over DTLS through Californium",
        peer("coap", "californium"),
        (*COAP_SERVER, *ENCRYPTED),
        largest=1_000,
        options={"ack_timeout_ms": "100", "transport": "dtls"},
    ),
    served("xmpp with Prosody", peer("xmpp"), ("prosody", "xmpp", "tcp"), XMPP, flood=5_000),
    served("xmpp with ejabberd", peer("xmpp"), ("ejabberd", "xmpp", "tcp"), XMPP, flood=5_000),
    served(
        "xmpp through Smack with Prosody",
        peer("xmpp", "smack"),
        ("prosody", "xmpp", "tcp"),
        MANAGED,
        flood=2_000,
    ),
    served(
        "xmpp over TLS with Prosody",
        peer("xmpp"),
        ("prosody", "xmpp", "tls"),
        MANAGED,
        flood=1_000,
        largest=1_000_000,
    ),
    Pair("tls", peer("tls"), relay("raw", *ENCRYPTED), STREAM),
    Pair(
        "quic",
        peer("quic"),
        relay("quic", *ENCRYPTED),
        promised("quic", "stream", "streams"),
        unordered=("streams",),
        options={"idle_timeout_s": "3"},
    ),
    Pair(
        "quic datagrams",
        peer("quic"),
        relay("quic", *ENCRYPTED),
        promised("quic", "datagram"),
        largest=1_100,
        options={"idle_timeout_s": "3"},
    ),
    http("http", peer("http"), relay("http")),
    http("http over TLS", peer("http"), relay("http", *ENCRYPTED), flood=5_000, options=OVER_TLS),
    http("http2", peer("http2"), relay("http"), unordered=("request",)),
    http(
        "http2 over TLS",
        peer("http2"),
        relay("http", *ENCRYPTED),
        flood=5_000,
        unordered=("request",),
        options=OVER_TLS,
    ),
    Pair("websocket", peer("websocket"), relay("websocket"), MESSAGE),
    Pair(
        "websocket over TLS",
        peer("websocket"),
        relay("websocket", *ENCRYPTED),
        MESSAGE,
        flood=5_000,
        options=OVER_TLS,
    ),
    Pair(
        "grpc",
        peer("grpc"),
        relay("grpc"),
        promised("grpc"),
        acknowledged=("unary",),
        unordered=("unary",),
    ),
    Pair("grpc over TLS", peer("grpc"), relay("grpc", *ENCRYPTED), STREAM, flood=5_000, options=OVER_TLS),
    served("amqp10 with RabbitMQ", peer("amqp10"), ("rabbitmq", "amqp10", "tcp"), AMQP10),
    served(
        "amqp10 over TLS with RabbitMQ",
        peer("amqp10"),
        ("rabbitmq", "amqp10", "tls"),
        promised("amqp10", "unsettled"),
        flood=5_000,
    ),
    served("amqp10 with Artemis", peer("amqp10"), ("artemis", "amqp10", "tcp"), AMQP10),
    served("amqp10 with Qpid", peer("amqp10"), ("qpid", "amqp10", "tcp"), AMQP10),
    Pair("zenoh", peer("zenoh"), relay("zenoh"), promised("zenoh", "block")),
    # A part of a large message that finds its queue full takes the whole message along.
    Pair("zenoh that drops", peer("zenoh"), relay("zenoh"), promised("zenoh", "drop"), largest=60_000),
    Pair(
        "zenoh over TLS",
        peer("zenoh"),
        relay("zenoh", *ENCRYPTED),
        promised("zenoh", "block"),
        flood=5_000,
        options=OVER_TLS,
    ),
    Pair("tcp", peer("tcp"), relay("raw"), STREAM),
    Pair("udp", peer("udp"), relay("raw"), promised("udp"), largest=65_000, hears_death=False),
    coap("coap", peer("coap"), COAP_SERVER, flood=20_000),
    brokerless("zmq", peer("zmq"), qos=ZMQ, lossless=("block",)),
    brokerless(
        "zmq over EPGM",
        peer("zmq"),
        qos=ZMQ,
        largest=60_000,
        options={"transport": "epgm", "rate_kbit": "400000", "recovery_ms": "1000"},
    ),
    brokerless("dds", peer("dds"), qos=DDS, largest=60_000),
    # By itself it asks for acknowledgements every 3 s. Its history is full now and then: the writer
    # waits.
    brokerless(
        "dds through Fast DDS",
        peer("dds", "fastdds"),
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
        peer("mock"),
        None,
        promised("mock"),
        hears_death=False,
    ),
]


# A server or peer in its own folder has its pairs in a module NAME_pairs.py.
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
