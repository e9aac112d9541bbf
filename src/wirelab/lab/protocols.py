"""What the lab can start: the peers of each protocol, and the servers that speak to them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from wirelab.model.errors import BadInput
from wirelab.model.suggestions import nearest

# What a host takes to hand over a datagram that has reached it, with all cores busy.
FLEETING_S = 0.5


class Protocol(Struct, frozen=True):
    """A protocol: its qos levels in the order they are shown, and what can be chosen beside them; the first is the default.

    `libraries` are client libraries with the command that runs the peer built on each; `transports` what carries the protocol.
    `linger_s` is how long a silent exchange may still come to life by itself: a confirmable message is sent again after at most
    24 s (RFC 7252, 4.2: ACK_TIMEOUT x ACK_RANDOM_FACTOR x 2^3), a stalled NON transfer blocks the next for 4 s; TCP's own
    retransmissions are watched in its send queues. `fleeting` are the qos at which nobody sends a lost datagram again: a message of one is
    gone when the link is silent.
    """

    name: str
    libraries: Mapping[str, tuple[str, ...]]
    qos: tuple[str, ...]
    servers: tuple[str, ...]
    port: int
    transports: tuple[str, ...] = ("",)
    linger_s: dict[str, float] = {}
    fleeting: tuple[str, ...] = ()
    # Whether requests are part of the protocol, so that a responder is its server.
    responder_listens: bool = False

    def offers(self, factor: str) -> tuple[str, ...]:
        """The levels of `server`, `library` or `transport`, the default first."""
        return {"server": self.servers, "library": tuple(self.libraries), "transport": self.transports}[
            factor
        ]

    @property
    def default_peer(self) -> tuple[str, ...]:
        """The command that runs the default library's peer."""
        return next(iter(self.libraries.values()))

    def linger(self, qos: str, one_datagram: bool = False) -> float:
        """Seconds to wait for a missing message when everything that can be seen is quiet; `one_datagram`: it has no further parts."""
        return FLEETING_S if one_datagram and qos in self.fleeting else self.linger_s.get(qos, 2.0)


JAVA = "wirelab-peer-java"
COAP = {
    "wirelab-coap": ("wirelab-peer-coap",),
    "californium": (JAVA, "coap"),
    "libcoap": ("wirelab-peer-libcoap",),
}
AMQP = {"lapin": ("wirelab-peer-amqp",), "rabbitmq-java": (JAVA, "amqp")}
MQTT5 = {"rumqttc": ("wirelab-peer-mqtt", "--protocol", "mqtt5"), "hivemq": (JAVA, "hivemq-mqtt5")}
MQTT = {"rumqttc": ("wirelab-peer-mqtt",), "paho": (JAVA, "mqtt"), "hivemq": (JAVA, "hivemq-mqtt")}
TCP = {"std": ("wirelab-peer-raw", "--protocol", "tcp")}
UDP = {"std": ("wirelab-peer-raw", "--protocol", "udp")}
TLS = {"rustls": ("wirelab-peer-raw", "--protocol", "tls")}
HTTP = {"hyper": ("wirelab-peer-http", "--protocol", "http")}
HTTP2 = {"hyper": ("wirelab-peer-http", "--protocol", "http2")}
WEBSOCKET = {"tungstenite": ("wirelab-peer-websocket",)}
GRPC = {"tonic": ("wirelab-peer-grpc",)}
AMQP10 = {"fe2o3-amqp": ("wirelab-peer-amqp10",)}
QUIC = {"quinn": ("wirelab-peer-quic",)}
XMPP = {"tokio-xmpp": ("wirelab-peer-xmpp",), "smack": (JAVA, "xmpp")}
ZMQ = {"libzmq": ("wirelab-peer-zmq",)}
DDS = {"cyclonedds": ("wirelab-peer-dds",), "fastdds": ("wirelab-peer-fastdds",)}
ZENOH = {"zenoh": ("wirelab-peer-zenoh",)}
NATS = {"async-nats": ("wirelab-peer-nats",)}
KAFKA = {"librdkafka": ("wirelab-peer-kafka",), "kafka-clients": (JAVA, "kafka")}
MOCK = {"none": ("wirelab-peer-mock",)}
# What QUIC sends again waits in its library, not in a send queue that could be looked at.
QUIC_LINGER = {"stream": 10.0, "streams": 10.0}
WEB = ("tcp", "tls", "ws", "wss")

PROTOCOLS = {
    protocol.name: protocol
    for protocol in (
        Protocol(
            "mqtt",
            MQTT,
            ("0", "1", "2"),
            ("built-in", "mosquitto", "rabbitmq", "artemis", "hivemq"),
            1883,
            WEB,
        ),
        Protocol("mqtt5", MQTT5, ("0", "1", "2"), ("built-in", "mosquitto", "artemis", "hivemq"), 1883, WEB),
        Protocol(
            "amqp",
            AMQP,
            ("auto", "manual", "confirm", "persistent"),
            ("rabbitmq", "qpid"),
            5672,
            ("tcp", "tls"),
        ),
        Protocol(
            "amqp10", AMQP10, ("settled", "unsettled"), ("rabbitmq", "artemis", "qpid"), 5672, ("tcp", "tls")
        ),
        Protocol("xmpp", XMPP, ("plain", "managed"), ("prosody", "ejabberd"), 5222, ("tcp", "tls")),
        Protocol(
            "coap",
            COAP,
            ("non", "con"),
            ("built-in", "libcoap", "californium"),
            5683,
            # Bare UDP, and DTLS.
            ("", "dtls"),
            linger_s={"non": 4.5, "con": 25.0},
            fleeting=("non",),
            responder_listens=True,
        ),
        Protocol("tcp", TCP, ("stream",), ("built-in",), 7400),
        Protocol("udp", UDP, ("datagram",), ("built-in",), 7400, fleeting=("datagram",)),
        Protocol("tls", TLS, ("stream",), ("built-in",), 7400, ("tls",)),
        Protocol(
            "quic",
            QUIC,
            ("stream", "streams", "datagram"),
            ("built-in",),
            7443,
            ("quic",),
            QUIC_LINGER,
            ("datagram",),
        ),
        Protocol("http", HTTP, ("request",), ("built-in",), 8080, ("tcp", "tls")),
        Protocol("http2", HTTP2, ("request",), ("built-in",), 8080, ("tcp", "tls")),
        Protocol("websocket", WEBSOCKET, ("message",), ("built-in",), 8080, ("tcp", "tls")),
        Protocol("grpc", GRPC, ("stream", "unary"), ("built-in",), 50051, ("tcp", "tls")),
        Protocol("zmq", ZMQ, ("drop", "block"), ("none",), 5563, ("tcp", "epgm")),
        Protocol("dds", DDS, ("best-effort", "reliable"), ("none",), 7400, ("unicast", "multicast")),
        Protocol("zenoh", ZENOH, ("drop", "block"), ("built-in",), 7447, ("tcp", "tls")),
        Protocol("nats", NATS, ("core", "jetstream"), ("nats-server",), 4222, ("tcp", "tls")),
        Protocol("kafka", KAFKA, ("0", "1", "all"), ("kafka",), 9092, ("tcp", "tls")),
        Protocol("mock", MOCK, ("plain", "acknowledged"), ("none",), 1),
    )
}


def protocol(name: str) -> Protocol:
    """The protocol called `name`. Raises BadInput with the nearest name."""
    if name not in PROTOCOLS:
        raise BadInput(f"protocol '{name}'", "unknown", nearest(name, PROTOCOLS))
    return PROTOCOLS[name]


def protocols_on(server: str) -> list[str]:
    """The protocols that a kind of server serves."""
    return [name for name, known in PROTOCOLS.items() if server in known.servers]
