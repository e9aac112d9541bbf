"""A peer process as the lab sees it: commands in, events out (docs/contracts/peer.md)."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Iterable
from typing import IO, Any

from wirelab.lab.binaries import find
from wirelab.model.errors import BadInput, MeasurementFailed

MAX_LINE = 1 << 20
MAX_NUMBER = 1 << 63

Event = dict[str, Any]


class Peer:
    """One endpoint of a trial. Every wait has a limit; every breach of the contract is a MeasurementFailed."""

    def __init__(self, role: str, process: subprocess.Popen[bytes]) -> None:
        self.role = role
        self.process = process
        self.settled = False
        self.counters: dict[str, int] = {"sent": 0, "acknowledged": 0, "failed": 0, "received": 0}
        self.errors: list[str] = []
        self._events: queue.Queue[Event | None] = queue.Queue()
        assert process.stdout is not None
        threading.Thread(target=self._read, args=(process.stdout,), daemon=True).start()

    def command(self, command: str, answer: str, timeout_s: float, **fields: Any) -> Event:
        """Send a command and wait for its answer. Raises MeasurementFailed."""
        self.tell(command, **fields)
        return self.answer(answer, timeout_s)

    def tell(self, command: str, **fields: Any) -> None:
        """Send a command. Raises MeasurementFailed."""
        assert self.process.stdin is not None
        line = json.dumps({"cmd": command, **fields}) + "\n"
        try:
            self.process.stdin.write(line.encode())
            self.process.stdin.flush()
        except OSError:
            self.drain()
            raise self._failed(f"ended before '{command}'") from None

    def answer(self, name: str, timeout_s: float) -> Event:
        """Wait for the answer to a command that was told. Raises MeasurementFailed."""
        deadline = time.monotonic() + timeout_s
        while True:
            try:
                event = self._events.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise self._failed(f"no '{name}' within {timeout_s:g} s") from None
            if event is None:
                self._events.put(None)
                raise self._failed(f"ended without '{name}'")
            if event["event"] == name:
                return event
            self._take(event)

    def drain(self) -> None:
        """Take in the events that have come by themselves. Raises MeasurementFailed after a fatal error."""
        while True:
            try:
                event = self._events.get_nowait()
            except queue.Empty:
                return
            if event is None:
                self._events.put(None)
                raise self._failed("ended in the middle of the trial")
            self._take(event)

    def kill(self) -> None:
        """End the process whatever it does."""
        self.process.kill()
        self.process.wait()

    def _take(self, event: Event) -> None:
        kind = event["event"]
        for key in self.counters:
            if isinstance(event.get(key), int):
                self.counters[key] = event[key]
        if kind == "settled":
            self.settled = True
        elif kind == "error":
            self.errors.append(f"{event.get('what', '?')}: {event.get('why', '?')}")
            if event.get("fatal"):
                raise self._failed("")
        elif kind not in ("progress", "started"):
            raise self._failed(f"sent an event it should not: {json.dumps(event)[:200]}")

    def _failed(self, cause: str) -> MeasurementFailed:
        return MeasurementFailed(f"{self.role}", "; ".join([*([cause] if cause else []), *self.errors]))

    def _read(self, stream: IO[bytes]) -> None:
        while line := stream.readline(MAX_LINE):
            self._events.put(_parse(line))
        self._events.put(None)


def _bounded(event: Event) -> bool:
    """Whether every number can be kept: no outcome holds integers beyond 64 bits, or infinity."""
    numbers = [value for value in event.values() if isinstance(value, int | float)]
    return all(abs(number) < MAX_NUMBER for number in numbers)


def _parse(line: bytes) -> Event:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict) or not isinstance(event.get("event"), str) or not _bounded(event):
        shown = line[:80].decode("utf-8", "replace").strip()
        return {"event": "error", "what": "not an event", "why": repr(shown), "fatal": True}
    return event


def versions(commands: Iterable[tuple[str, ...]], limit_s: float = 10.0) -> dict[tuple[str, ...], str]:
    """The library version each peer's command tells, or why it tells none. All are asked at the same time."""
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
    return {argv: _version(process, limit_s) for argv, process in asked.items()}


def _version(process: subprocess.Popen[bytes] | BadInput, limit_s: float) -> str:
    if isinstance(process, BadInput):
        return f"({process.why}; {process.next_step})"
    try:
        out, _ = process.communicate(b'{"cmd":"describe"}\n', timeout=limit_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        out = b""
    event = _parse(out.split(b"\n", 1)[0])
    return str(event.get("version") or "(its peer does not answer)")
