"""A peer process: commands in, events out (docs/contracts/peer.md)."""

from __future__ import annotations

import queue
import subprocess
import threading
import time
from collections.abc import Iterable
from typing import IO, TypeVar

import msgspec
from msgspec import Struct

from wirelab.lab.host_cpu import slower
from wirelab.lab.peer_contract import (
    Command,
    Describe,
    Described,
    Event,
    Fault,
    Progress,
    Settled,
    Started,
    Stopped,
    Unexpected,
    encode,
    parse_event,
)
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.system.binaries import find

MAX_LINE = 1 << 20
COUNTERS = ("sent", "acknowledged", "failed", "received")
Answer = TypeVar("Answer", bound=Event)


class Peer:
    """One peer of a trial.

    Every wait has a limit. A breach of the contract is a MeasurementFailed.
    """

    def __init__(self, role: str, process: subprocess.Popen[bytes]) -> None:
        self.role = role
        self.process = process
        self.settled = False
        self.counters: dict[str, int] = dict.fromkeys(COUNTERS, 0)
        self.errors: list[str] = []
        self._events: queue.Queue[Event | None] = queue.Queue()
        assert process.stdout is not None
        threading.Thread(target=self._read, args=(process.stdout,), daemon=True).start()

    def ask(self, command: Command, answer: type[Answer], timeout_s: float) -> Answer:
        """Send a command and wait for its answer. Raises MeasurementFailed."""
        self.send(command)
        return self.wait_for(answer, timeout_s)

    def send(self, command: Command) -> None:
        """Send a command. Raises MeasurementFailed."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(encode(command))
            self.process.stdin.flush()
        except OSError:
            self.drain()
            raise self._failed(f"ended before '{_name(type(command))}'") from None

    def wait_for(self, answer: type[Answer], timeout_s: float) -> Answer:
        """Wait for the answer to a command that was sent. Raises MeasurementFailed."""
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                event = self._events.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise self._failed(f"no '{_name(answer)}' within {timeout_s:g} s") from None
            if event is None:
                self._events.put(None)
                raise self._failed(f"ended without '{_name(answer)}'")
            if isinstance(event, answer):
                return event
            self._take(event)

    def drain(self) -> None:
        """Read the pending events. Raises MeasurementFailed after a fatal error."""
        while True:
            try:
                event = self._events.get_nowait()
            except queue.Empty:
                return
            if event is None:
                self._events.put(None)
                raise self._failed("ended during the trial")
            self._take(event)

    def kill(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.process.wait()

    def _take(self, event: Event) -> None:
        match event:
            case Progress() | Settled() | Stopped():
                self.counters |= counts(event)
                self.settled |= isinstance(event, Settled)
            case Fault():
                self.errors.append(f"{event.what}: {event.why}")
                if event.fatal:
                    raise self._failed("")
            case Started():
                pass
            case _:
                line = event.line if isinstance(event, Unexpected) else msgspec.json.encode(event).decode()
                raise self._failed(f"sent an unexpected event: {line[:200]}")

    def _failed(self, cause: str) -> MeasurementFailed:
        return MeasurementFailed(f"{self.role}", "; ".join([*([cause] if cause else []), *self.errors]))

    def _read(self, stream: IO[bytes]) -> None:
        while line := stream.readline(MAX_LINE):
            self._events.put(parse_event(line))
        self._events.put(None)


def counts(event: Progress | Settled | Stopped) -> dict[str, int]:
    """The message counts of an event, by the names of COUNTERS."""
    named = {name: getattr(event, name, None) for name in COUNTERS}
    return {name: count for name, count in named.items() if count is not None}


def _name(kind: type[Struct]) -> str:
    return str(kind.__struct_config__.tag)


def versions(commands: Iterable[tuple[str, ...]], limit_s: float = 10.0) -> dict[tuple[str, ...], str]:
    """The library version that each peer reports, or the reason why not.

    All run at the same time.
    """
    asked: dict[tuple[str, ...], subprocess.Popen[bytes] | BadInput] = {}
    for argv in commands:
        try:
            asked[argv] = subprocess.Popen(
                [find(argv[0]), *argv[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except BadInput as error:
            asked[argv] = error
    return {argv: _version(process, limit_s * slower()) for argv, process in asked.items()}


def _version(process: subprocess.Popen[bytes] | BadInput, limit_s: float) -> str:
    if isinstance(process, BadInput):
        return f"({process.why})"
    try:
        out, _ = process.communicate(encode(Describe()), timeout=limit_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        out = b""
    event = parse_event(out.split(b"\n", 1)[0])
    version = event.version if isinstance(event, Described) else ""
    return version or "(its peer does not answer)"
