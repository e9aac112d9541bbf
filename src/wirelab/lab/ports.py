"""Ports for servers that share an address with other programs: a run's own labs need none of this."""

from __future__ import annotations

import contextlib
import secrets
import socket

# A server may also take some ports after its own: RabbitMQ two, and Kafka where it is encrypted; mosquitto one, to tell of itself.
NEIGHBOURS = 4
# Below 32768, where Linux begins to take clients' ports from (ip(7), ip_local_port_range): no connection is ever given one of these.
FIRST, LAST = 20_000, 32_000


def free_port(address: str = "127.0.0.1") -> int:
    """A port on which nobody listens now, by TCP or UDP, nor on the three after it. Raises OSError for an address that is not this machine's."""
    with socket.socket() as probe:
        probe.bind((address, 0))
    while True:
        port = FIRST + NEIGHBOURS * secrets.randbelow((LAST - FIRST) // NEIGHBOURS)
        with contextlib.suppress(OSError), contextlib.ExitStack() as bound:
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                for neighbour in range(port, port + NEIGHBOURS):
                    bound.enter_context(socket.socket(type=kind)).bind((address, neighbour))
            return port
