"""A UDP relay that drops or duplicates datagrams by number, the same in every run."""

from __future__ import annotations

import selectors
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Fault = Callable[[int], int]
"""How many copies of datagram `n` go on: 0 loses it, 2 doubles it."""


def lose(*numbers: int) -> Fault:
    """Lose these datagrams."""
    return lambda n: 0 if n in numbers else 1


def lose_none(_: int) -> int:
    """Let every datagram pass."""
    return 1


def lose_all(_: int) -> int:
    """Lose every datagram."""
    return 0


def double_all(_: int) -> int:
    """Double every datagram."""
    return 2


@dataclass
class Direction:
    """Datagrams one way: counted from 0 since the fault was set."""

    fault: Fault = lose_none
    count: int = 0

    def copies(self) -> int:
        number, self.count = self.count, self.count + 1
        return self.fault(number)


class Relay:
    """One client's way to a server and back."""

    def __init__(self, server_port: int) -> None:
        self.up, self.down = Direction(), Direction()
        self._client: tuple[str, int] | None = None
        self._near = socket.socket(type=socket.SOCK_DGRAM)
        self._near.bind(("127.0.0.1", 0))
        self._far = socket.socket(type=socket.SOCK_DGRAM)
        self._far.connect(("127.0.0.1", server_port))
        for end in (self._near, self._far):
            # A busy machine delays this thread, but only the faults may lose datagrams.
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self._wake, self._woken = socket.socketpair()
        self.port: int = self._near.getsockname()[1]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def arm(self, up: Fault = lose_none, down: Fault = lose_none) -> None:
        """Restart the counts, with these faults."""
        self.up, self.down = Direction(up), Direction(down)

    def _run(self) -> None:
        with selectors.DefaultSelector() as selector:
            for end in (self._near, self._far, self._woken):
                selector.register(end, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select()]
                if self._woken in ready:
                    return
                try:
                    self._forward(ready)
                except ConnectionRefusedError:
                    continue

    def _forward(self, ready: Sequence[object]) -> None:
        if self._near in ready:
            datagram, self._client = self._near.recvfrom(65536)
            for _ in range(self.up.copies()):
                self._far.send(datagram)
        if self._far in ready:
            datagram = self._far.recv(65536)
            for _ in range(self.down.copies()):
                assert self._client
                self._near.sendto(datagram, self._client)

    def close(self) -> None:
        """End it."""
        self._wake.close()
        self._thread.join(5)
        for end in (self._near, self._far, self._woken):
            end.close()
