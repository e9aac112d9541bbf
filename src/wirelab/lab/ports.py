"""Free ports for servers outside labs, which share an address with other programs."""

from __future__ import annotations

import contextlib
import secrets
import socket

# A server may also use ports after its own: RabbitMQ and encrypted Kafka two, mosquitto one for its
# statistics.
NEIGHBOURS = 4
# Below 32768, so that no client connection gets one (ip(7), ip_local_port_range).
FIRST, LAST = 20_000, 32_000


def free_port(address: str = "127.0.0.1") -> int:
    """A port that is free for TCP and UDP, as are the three after it.

    Raises OSError for an address that is not this machine's.
    """
    with socket.socket() as probe:
        probe.bind((address, 0))
    while True:
        port = FIRST + NEIGHBOURS * secrets.randbelow((LAST - FIRST) // NEIGHBOURS)
        with contextlib.suppress(OSError), contextlib.ExitStack() as bound:
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                for neighbour in range(port, port + NEIGHBOURS):
                    bound.enter_context(socket.socket(type=kind)).bind((address, neighbour))
            return port
