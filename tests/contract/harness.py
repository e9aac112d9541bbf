"""Peers and servers as child processes on loopback, driven by the contract."""

from __future__ import annotations

import contextlib
import json
import queue
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from wirelab.lab import protocols, servers
from wirelab.lab.certificates import make
from wirelab.lab.hosts import Loopback
from wirelab.lab.ports import free_port
from wirelab.model.script import Script

ACKNOWLEDGED, FAILED, UNDECODABLE, UNKNOWN, DUPLICATE = 1, 2, 4, 8, 16
NO_SEQ = 2**64 - 1
Event = dict[str, Any]


class Sample(NamedTuple):
    """One record of a sample file; times in ns of CLOCK_MONOTONIC."""

    seq: int
    planned: int
    start: int
    sent: int
    done: int
    received: int
    decoded: int
    bytes: int
    flags: int


def read_samples(path: Path) -> list[Sample]:
    """The records of a sample file, whose header is checked."""
    data = path.read_bytes()
    magic, version, size, written, missed = struct.unpack_from("<8sIIQQ", data)
    assert (magic, version, size, missed) == (b"WLSAMP01", 1, 64, 0)
    return list(map(Sample._make, struct.iter_unpack("<Q6qII", data[64 : 64 + 64 * written])))


def write_messages(path: Path, messages: Sequence[bytes]) -> Path:
    """A file of ready-made messages."""
    path.write_bytes(b"".join(struct.pack("<I", len(message)) + message for message in messages))
    return path


def distinct_messages(count: int, size: int) -> list[bytes]:
    """`count` different messages of `size` bytes (at least 8)."""
    cycle, varied, rest = bytes(range(251)) * 2, min(size - 8, 64), bytes(max(0, size - 72))
    return [struct.pack("<Q", i) + cycle[i % 251 : i % 251 + varied] + rest for i in range(count)]


class Peer:
    """A peer process; its events come through `wait`."""

    def __init__(self, argv: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.seen: list[Event] = []
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self._log: list[bytes] = []
        threading.Thread(target=self._read_log, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _read_log(self) -> None:
        assert self.process.stderr
        self._log.extend(self.process.stderr)

    def log(self) -> str:
        """Its standard error so far."""
        return b"".join(self._log).decode(errors="replace")

    def write(self, data: bytes) -> None:
        """Bytes to the peer's standard input.

        If it has ended, the test fails with its last output.
        """
        assert self.process.stdin
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except BrokenPipeError:
            while self.next() is not None:
                pass
            raise AssertionError(f"{self.process.args!r} has ended: {self.seen[-3:]} {self.log()}") from None

    def tell(self, cmd: str, **keys: Any) -> None:
        """One command."""
        self.write(json.dumps({"cmd": cmd, **keys}).encode() + b"\n")

    def end_input(self) -> None:
        """End of the peer's standard input."""
        assert self.process.stdin
        self.process.stdin.close()

    def next(self, within: float = 30.0) -> Event | None:
        """The next event, or None when the peer has ended."""
        line = self._lines.get(timeout=within)
        if line is None:
            return None
        event: Event = json.loads(line)
        self.seen.append(event)
        return event

    def wait(self, name: str, within: float = 30.0) -> Event:
        """The next event of this name; a fatal error or the end before it fails the test."""
        deadline = time.monotonic() + within
        while True:
            event = self.next(max(0.01, deadline - time.monotonic()))
            assert event is not None, (
                f"{self.process.args!r} ended before {name}: {self.seen[-3:]} {self.log()}"
            )
            if event["event"] == name:
                return event
            assert not (event["event"] == "error" and event["fatal"]), event

    def until(self, wanted: Callable[[Event], bool], within: float = 60.0) -> Event:
        """The first event from now on that is wanted; a fatal error or the end before it fails the
        test.
        """
        deadline = time.monotonic() + within
        while True:
            event = self.next(max(0.01, deadline - time.monotonic()))
            assert event is not None, self.log()
            assert not event.get("fatal"), event
            if wanted(event):
                return event

    def ended(self, within: float = 60.0) -> int:
        """The exit code."""
        return self.process.wait(within)

    def kill(self) -> None:
        """Kill it."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(60)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                with contextlib.suppress(OSError, ValueError):
                    stream.close()


@dataclass
class Server:
    """A server that listens. `ready` is its ready line, if it is one of ours."""

    process: subprocess.Popen[bytes]
    port: int
    ready: Event | None
    options: dict[str, str] = field(default_factory=dict)

    def kill(self) -> None:
        """SIGKILL."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(60)


@contextlib.contextmanager
def manage(
    name: str,
    protocol: str,
    transport: str,
    directory: Path,
    valid: timedelta = timedelta(days=1),
    script: Script | None = None,
    named: str = "127.0.0.1",
) -> Iterator[Server]:
    """Start a server as the lab does.

    Encrypted transports get certificates for the address `named`. `script` is the service that it
    answers itself.
    """
    port = free_port()
    made = (
        make(directory / "tls", named, valid) if transport in protocols.protocol(protocol).encrypted else None
    )
    site = servers.Site(protocol, port, Loopback(), directory, transport, script=script, certificates=made)
    options = servers.peer_options(name, protocol) | ({"transport": transport} if transport else {})
    if made:
        options["authority"] = str(made.authority)
    running = servers.start(name, site)
    assert running is not None
    try:
        yield Server(running.process, port, None, options)
    finally:
        running.stop()


@contextlib.contextmanager
def serve(
    argv: Sequence[str] | None,
    config: str | None,
    directory: Path,
    valid: timedelta = timedelta(days=1),
    named: str = "127.0.0.1",
) -> Iterator[Server | None]:
    """Start a server; `{port}`, `{config}` and `{tls}`, a folder with certificates for the address
    `named`, are filled in. None starts nothing.
    """
    if argv is None:
        yield None
        return
    port = free_port()
    if config is not None:
        (directory / "server.conf").write_text(config.format(port=port))
    tls, options = directory / "tls", {}
    if any("{tls}" in part for part in argv):
        options["authority"] = str(make(tls, named, valid).authority)
    filled = [part.format(port=port, config=directory / "server.conf", tls=tls) for part in argv]
    with (directory / "server.log").open("wb") as log:
        process = subprocess.Popen(filled, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
    try:
        yield Server(process, port, _ready(process, port, config is None), options)
    finally:
        process.kill()
        process.wait(60)
        for stream in (process.stdin, process.stdout):
            if stream:
                stream.close()


def _ready(process: subprocess.Popen[bytes], port: int, ours: bool) -> Event | None:
    if ours:
        assert process.stdout
        ready: Event = json.loads(process.stdout.readline())
        assert ready["event"] == "ready", ready
        return ready
    for _ in range(6000):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return None
        time.sleep(0.01)
    raise AssertionError("the server does not listen")


def now() -> int:
    """CLOCK_MONOTONIC in ns."""
    return time.monotonic_ns()
