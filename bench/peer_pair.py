"""A fixture of two peers and a server on loopback, for the parts of the bench that send messages."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wirelab.lab.hosts import Loopback
from wirelab.lab.peer import Peer
from wirelab.lab.peer_contract import (
    Address,
    MessagesPayload,
    Prepare,
    Prepared,
    Role,
    Start,
    Started,
    Stop,
    Stopped,
)
from wirelab.lab.process import difference, usage
from wirelab.lab.protocols import protocol
from wirelab.lab.servers import Server, Site, start
from wirelab.model.errors import MeasurementFailed
from wirelab.model.result import Usage
from wirelab.store.sample_file import read_samples
from wirelab.system.binaries import find
from wirelab.workloads.schedule import Schedule

# A message begins with its number.
HEADER = 8
BOTH = ("subscriber", "publisher")
TOPIC = "bench"
# Time without arrivals after which missing messages are lost.
SILENCE_S = 2.0
LIMIT_S = 120.0


class PairSpec(Struct, frozen=True):
    """The trial of the peers: `count` messages of `size` bytes, including the number."""

    protocol: str
    server: str
    qos: str
    count: int
    size: int = 1000
    options: Mapping[str, str] = {}
    roles: tuple[str, ...] = BOTH


class PairResult(Struct):
    """The result of a schedule: samples of both sides, and usage of each process during it."""

    sent: NDArray[np.void]
    got: NDArray[np.void]
    used: dict[str, Usage]
    seconds: float

    @property
    def rate(self) -> float:
        """Messages per second, from the first arrival to the last."""
        return rate(self.got["received"])

    def shares(self, seconds: float = 0.0) -> str:
        """The share of a core by process, over the whole time or over the given seconds."""
        whole = (seconds or self.seconds) * 1e9
        return ", ".join(f"{name} {used.cpu_ns / whole:.0%}" for name, used in self.used.items())


class PeerPair:
    """Prepared peers, and their server."""

    def __init__(self, asked: PairSpec, folder: Path, server: Server | None, peers: dict[str, Peer]) -> None:
        self.asked, self.folder, self.server, self.peers = asked, folder, server, peers
        self.connect_s = 0.0

    def pids(self) -> dict[str, int]:
        """The server's first process and the peers, by role."""
        server = {"server": self.server.process.pid} if self.server else {}
        return server | {role: peer.process.pid for role, peer in self.peers.items()}

    def start(self, kind: str, **schedule: Any) -> None:
        """Start both sides a tenth of a second from now."""
        fields = {"kind": kind, "count": self.asked.count, "duration_ns": None, **schedule}
        planned = msgspec.convert(fields, Schedule)
        for peer in self.peers.values():
            peer.ask(Start(time.monotonic_ns() + 10**8, planned), Started, 10)

    def run(self, kind: str, before_end: Callable[[], None] = lambda: None, **schedule: Any) -> PairResult:
        """Send all messages and drain. `before_end` can inspect the processes."""
        before = {name: usage(pid) for name, pid in self.pids().items()}
        began = time.monotonic()
        self.start(kind, **schedule)
        self.wait()
        seconds = time.monotonic() - began
        used = {name: difference(usage(pid), before[name]) for name, pid in self.pids().items()}
        before_end()
        return self.stop(used, seconds)

    def wait(self) -> None:
        """Wait until the publisher has settled and the last message has arrived, or arrivals have
        stopped.
        """
        seen, quiet_since = self.counted(), time.monotonic()
        deadline = quiet_since + LIMIT_S
        while time.monotonic() - quiet_since < SILENCE_S:
            if time.monotonic() > deadline:
                raise MeasurementFailed("publisher", f"has not sent everything within {LIMIT_S:g} s")
            time.sleep(0.02)
            for peer in self.peers.values():
                peer.drain()
            if self.complete():
                return
            if (counted := self.counted()) != seen or not self.peers["publisher"].settled:
                seen, quiet_since = counted, time.monotonic()

    def complete(self) -> bool:
        """Whether all messages have arrived, or are acknowledged if there is no subscriber."""
        if "subscriber" not in self.peers or not self.peers["publisher"].settled:
            return self.peers["publisher"].settled
        return self.peers["subscriber"].counters["received"] >= self.peers["publisher"].counters["sent"]

    def counted(self) -> list[int]:
        """The counts of the peers so far."""
        return [count for peer in self.peers.values() for count in peer.counters.values()]

    def stop(self, used: dict[str, Usage], seconds: float) -> PairResult:
        """Stop the peers, and read their samples."""
        for role in reversed(self.peers):
            self.peers[role].ask(Stop(), Stopped, 10)
        files = [self.folder / f"{role}.samples" for role in ("publisher", "subscriber")]
        sent, got = (read_samples(file) if file.exists() else np.empty(0) for file in files)
        return PairResult(sent, got, used, seconds)


@contextmanager
def serving(asked: PairSpec, folder: Path) -> Iterator[tuple[Server | None, int]]:
    """A server and its port; if the protocol has none, a port for the publisher."""
    port = free_port()
    server = start(asked.server, Site(asked.protocol, port, Loopback(), folder, qos=asked.qos))
    try:
        yield server, port
    finally:
        if server is not None:
            server.stop()


@contextmanager
def open_peer_pair(
    asked: PairSpec, folder: Path, at: tuple[Server | None, int] | None = None
) -> Iterator[PeerPair]:
    """Start the peers in their own folder.

    They use the server `at`, or one that runs as long as they do.
    """
    if at is None:
        with serving(asked, folder) as own, open_peer_pair(asked, folder, own) as made:
            yield made
        return
    messages = folder / "messages"
    size = asked.size - HEADER
    messages.write_bytes(struct.pack("<I", size) + b"x" * size)
    made = PeerPair(asked, folder, at[0], {})
    command = protocol(asked.protocol).default_peer
    argv = [find(command[0]), *command[1:]]
    try:
        for role in asked.roles:
            with (folder / f"{role}.log").open("wb") as log:
                made.peers[role] = Peer(role, Loopback().start("here", argv, log, folder))
            prepare = Prepare(
                role=Role(role),
                server=Address("127.0.0.1", at[1]),
                qos=asked.qos,
                options={"connect_timeout_s": str(LIMIT_S), **asked.options},
                topic=TOPIC,
                client=role,
                payload=MessagesPayload(str(messages)),
                identity="header",
                samples=str(folder / f"{role}.samples"),
                capacity=asked.count + 1000,
            )
            prepared = made.peers[role].ask(prepare, Prepared, LIMIT_S)
            made.connect_s = prepared.connect_ns / 1e9
        yield made
    finally:
        for peer in made.peers.values():
            peer.kill()


def rate(times: NDArray[np.int64]) -> float:
    """Events per second, from the first time in ns to the last."""
    return (len(times) - 1) / (int(times.max()) - int(times.min())) * 1e9


def free_port() -> int:
    """A port that is free for TCP and UDP at this moment."""
    with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
        tcp.bind(("127.0.0.1", 0))
        port: int = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        return port
