"""What the lab can start: the peers of each protocol, and the servers that speak to them."""

from __future__ import annotations

from msgspec import Struct

from wirelab.model.errors import BadInput
from wirelab.model.text import nearest


class Protocol(Struct, frozen=True):
    """A protocol: its peer's binary, its qos levels in the order they are shown, its servers (the first is the default).

    `linger_s` is how long after the last send an exchange may still come to life by itself: RFC 7252, 4.8.2,
    MAX_TRANSMIT_WAIT is 93 s for a confirmable message; TCP's own retransmissions are watched in its send queues.
    """

    name: str
    peer: tuple[str, ...]
    qos: tuple[str, ...]
    servers: tuple[str, ...]
    port: int
    linger_s: dict[str, float] = {}

    def linger(self, qos: str) -> float:
        """Seconds to wait for a missing message when everything that can be seen is quiet."""
        return self.linger_s.get(qos, 2.0)


PROTOCOLS = {
    protocol.name: protocol
    for protocol in (
        Protocol("mqtt", ("wirelab-peer-mqtt",), ("0", "1", "2"), ("built-in", "mosquitto"), 1883),
        Protocol("coap", ("wirelab-peer-coap",), ("non", "con"), ("built-in",), 5683, {"con": 95.0}),
        Protocol("tcp", ("wirelab-peer-raw", "--protocol", "tcp"), ("stream",), ("built-in",), 7400),
        Protocol("udp", ("wirelab-peer-raw", "--protocol", "udp"), ("datagram",), ("built-in",), 7400),
        Protocol("mock", ("wirelab-peer-mock",), ("plain", "acknowledged"), ("none",), 1),
    )
}


def protocol(name: str) -> Protocol:
    """The protocol called `name`. Raises BadInput with the nearest name."""
    if name not in PROTOCOLS:
        raise BadInput(f"protocol '{name}'", "unknown", nearest(name, PROTOCOLS))
    return PROTOCOLS[name]
