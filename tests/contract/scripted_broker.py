"""MQTT packet by packet: a scripted broker, and a client that does not acknowledge by itself."""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Iterator
from typing import NamedTuple

CONNECT, CONNACK, PUBLISH, PUBACK, PUBREC, PUBREL, PUBCOMP, SUBSCRIBE, SUBACK = range(1, 10)
# Bits that MQTT wants set in these packets' first byte (MQTT 3.1.1, 2.2.2).
FLAGS = {PUBREL: 2, SUBSCRIBE: 2}


class Packet(NamedTuple):
    """What a test looks at: the kind, the packet identifier, and of a publication its payload and
    whether it is marked as sent again.
    """

    kind: int
    id: int
    payload: bytes = b""
    again: bool = False


class Line:
    """One MQTT connection, from either end."""

    def __init__(self, stream: socket.socket, is_five: bool = False) -> None:
        stream.settimeout(30)
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = stream
        self.is_five = is_five

    def send(self, kind: int, body: bytes, flags: int = 0) -> None:
        """One packet of less than 128 bytes."""
        assert len(body) < 128
        self.stream.sendall(bytes([kind << 4 | FLAGS.get(kind, flags), len(body)]) + body)

    def answer(self, kind: int, *ids: int) -> None:
        """A packet for each identifier that is no more than that."""
        for one in ids:
            self.send(kind, struct.pack(">H", one))

    def publish(self, topic: str, qos: int, one: int, payload: bytes, again: bool = False) -> None:
        """A publication."""
        properties = b"\0" if self.is_five else b""
        self.send(PUBLISH, text(topic) + struct.pack(">H", one) + properties + payload, again << 3 | qos << 1)

    def read(self) -> Packet:
        """The next packet."""
        first = self._take(1)[0]
        length = shift = 0
        while True:
            byte = self._take(1)[0]
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        return self._packet(first, self._take(length))

    def several(self, count: int) -> list[Packet]:
        """The next packets."""
        return [self.read() for _ in range(count)]

    def end(self) -> None:
        """End the connection silently, so that all that was sent arrives; what comes still is
        not heard.
        """
        self.stream.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionError):
            while self.stream.recv(1 << 16):
                pass
        self.stream.close()

    def _packet(self, first: int, body: bytes) -> Packet:
        kind = first >> 4
        if kind == CONNECT:
            self.is_five = body[6] == 5
            return Packet(kind, 0)
        if kind == CONNACK:
            return Packet(kind, body[0])
        if kind != PUBLISH:
            return Packet(kind, int.from_bytes(body[:2], "big"))
        at = 2 + int.from_bytes(body[:2], "big")
        one = 0
        if first & 6:
            one, at = int.from_bytes(body[at : at + 2], "big"), at + 2
        if self.is_five:
            at += 1 + body[at]
        return Packet(kind, one, body[at:], bool(first & 8))

    def _take(self, size: int) -> bytes:
        taken = b""
        while len(taken) < size:
            more = self.stream.recv(size - len(taken))
            assert more, "the other end has closed the connection"
            taken += more
        return taken


def text(of: str) -> bytes:
    """A string as MQTT has it."""
    return struct.pack(">H", len(of)) + of.encode()


class Broker:
    """Listens at `port`. The test defines its answers."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(30)
        self.port: int = self._listener.getsockname()[1]

    def accept(self, resumed: bool) -> Line:
        """The next connection, accepted; `resumed`: its session is still there."""
        line = Line(self._listener.accept()[0])
        assert line.read().kind == CONNECT
        line.send(CONNACK, bytes([resumed, 0]) + (b"\0" if line.is_five else b""))
        return line

    def close(self) -> None:
        """Stop listening."""
        self._listener.close()


@contextlib.contextmanager
def broker() -> Iterator[Broker]:
    """One, and its end."""
    made = Broker()
    try:
        yield made
    finally:
        made.close()


def connect(port: int, client: str) -> tuple[Line, bool]:
    """A client of MQTT 3.1.1 whose session outlives its connection; whether the server had it
    already.
    """
    line = Line(socket.create_connection(("127.0.0.1", port), 30))
    line.send(CONNECT, text("MQTT") + bytes([4, 0]) + struct.pack(">H", 0) + text(client))
    accepted = line.read()
    assert accepted.kind == CONNACK
    return line, bool(accepted.id)


def subscribe(line: Line, topic: str, qos: int) -> None:
    """Subscribe, and wait until the server has confirmed that."""
    line.send(SUBSCRIBE, struct.pack(">H", 1) + text(topic) + bytes([qos]))
    assert line.read().kind == SUBACK
