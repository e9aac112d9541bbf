"""A complete peer in another language with only its standard library: TCP through the relay.

It exists to show that the contract, and not a shared library, is what makes a peer.
"""

from __future__ import annotations

import json
import mmap
import os
import resource
import socket
import struct
import sys
import threading
import time
from typing import Any

OPTIONS = {"connect_timeout_s": "10"}
DESCRIBED: dict[str, Any] = {
    "event": "described", "contract": 1, "name": "tcp-python", "protocol": "tcp", "library": "socket",
    "version": "3", "language": "python", "roles": ["publisher", "subscriber"],
    "qos": [{"name": "stream", "delivery": "at-most-once", "acknowledged": False}],
    "ordered": True, "max_message": 64 << 20, "servers": ["raw"], "options": OPTIONS,
}  # fmt: skip
now = time.monotonic_ns
printing, ended = threading.Lock(), threading.Event()


def say(event: str, **keys: Any) -> None:
    """One event."""
    with printing:
        if not ended.is_set():
            print(json.dumps({"event": event, **keys}), flush=True)
        if event == "stopped":
            ended.set()


class Refused(Exception):
    """What and why."""


class Samples:
    """The sample file, written through a shared memory map."""

    def __init__(self, path: str, capacity: int) -> None:
        with open(path, "w+b") as file:
            os.posix_fallocate(file.fileno(), 0, 64 + 64 * capacity)
            self.map = mmap.mmap(file.fileno(), 64 + 64 * capacity)
        struct.pack_into("<8sII", self.map, 0, b"WLSAMP01", 1, 64)
        self.capacity, self.written, self.missed = capacity, 0, 0

    def append(self, *record: int) -> None:
        """seq, planned, start, sent, done, received, decoded, bytes, flags."""
        if self.written == self.capacity:
            self.missed += 1
            struct.pack_into("<Q", self.map, 24, self.missed)
            return
        struct.pack_into("<Q6qII", self.map, 64 + 64 * self.written, *record)
        self.written += 1
        struct.pack_into("<Q", self.map, 16, self.written)


def read_messages(path: str) -> list[bytes]:
    """Ready-made messages."""
    with open(path, "rb") as file:
        data = file.read()
    messages, at = [], 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 4], "little")
        messages.append(data[at + 4 : at + 4 + length])
        at += 4 + length
    if at != len(data) or not messages:
        raise Refused(f"messages {path}", "the last message is shorter than its length says")
    return messages


def planned_times(start: dict[str, Any]) -> Any:
    """A function from message number and the moment the one before was handed over to the planned
    time, None after the last.
    """
    at, schedule = start["at_ns"], start.get("schedule")
    if not schedule:
        raise ValueError("a publisher needs a schedule")
    kind, count, duration = schedule["kind"], schedule.get("count"), schedule.get("duration_ns")
    if kind == "times":
        with open(schedule["times"], "rb") as file:
            times = [at + time for (time,) in struct.iter_unpack("<q", file.read())]
        return lambda i, _: times[i] if i < len(times) else None
    if count is None and duration is None:
        raise ValueError("neither count nor duration_ns bounds the schedule")
    if kind == "interval" and schedule["interval_ns"] <= 0:
        raise ValueError("interval_ns must be above 0")

    def planned(i: int, handed_over: int) -> int | None:
        time = at + i * schedule["interval_ns"] if kind == "interval" else handed_over if i else at
        ended = (count is not None and i >= count) or (duration is not None and time >= at + duration)
        return None if ended else time

    return planned


class Peer:
    """One role in one trial."""

    def __init__(self) -> None:
        self.state, self.sent, self.received, self.leaving = "idle", 0, 0, False
        threading.Thread(target=self.progress, daemon=True).start()

    def progress(self) -> None:
        """Ten times a second, when something changed."""
        told = (0, 0)
        while True:
            time.sleep(0.1)
            if (now_at := (self.sent, self.received)) != told:
                told = now_at
                say("progress", sent=told[0], acknowledged=0, failed=0, received=told[1])

    def prepare(self, c: dict[str, Any]) -> None:
        """Payload, sample file, connection."""
        self.role, self.header = c["role"], c.get("identity") == "header"
        if c["qos"] != "stream":
            raise Refused(f"qos {c['qos']}", "tcp has stream")
        for name in c.get("options", {}):
            if name not in OPTIONS:
                raise Refused(f"option {name}", "not known")
        if not c.get("server"):
            raise Refused("prepare", "tcp needs a server")
        path = c["payload"].get("messages")
        if path is None:
            raise Refused("payload", "this peer loads no packs")
        self.messages = read_messages(path)
        sizes = [len(message) for message in self.messages]
        if max(sizes) + 8 * self.header > DESCRIBED["max_message"]:
            raise Refused("largest message", f"{max(sizes)} B are too many")
        self.index = {message: i for i, message in reversed(list(enumerate(self.messages)))}
        self.samples = Samples(c["samples"], c["capacity"])
        began = now()
        self.connect(c)
        say("prepared", connect_ns=now() - began, messages=len(sizes), bytes_min=min(sizes), bytes_max=max(sizes),
            distinct=len(self.index))  # fmt: skip
        if self.role == "subscriber":
            threading.Thread(target=self.receive, daemon=True).start()

    def connect(self, c: dict[str, Any]) -> None:
        """Hello and welcome."""
        self.server = f"{c['server']['address']}:{c['server']['port']}"
        timeout = float({**OPTIONS, **c.get("options", {})}["connect_timeout_s"])
        try:
            self.socket = socket.create_connection((c["server"]["address"], c["server"]["port"]), timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            hello = {"wirelab": 1, "role": self.role, "topic": c["topic"]}
            self.socket.sendall(json.dumps(hello).encode() + b"\n")
            self.stream = self.socket.makefile("rb")
            if self.stream.read(3) != b"ok\n":
                raise Refused(f"connect {self.server}", "the server is not the relay")
        except TimeoutError:
            raise Refused(f"connect {self.server}", f"no answer within {timeout} s") from None
        except OSError as error:
            raise Refused(f"connect {self.server}", str(error)) from None
        self.socket.settimeout(None)

    def publish(self, planned_at: Any) -> None:
        """Send everything."""
        handed_over = now()
        try:
            while (planned := planned_at(self.sent, handed_over)) is not None and not self.leaving:
                time.sleep(max(0, planned - now()) / 1e9)
                start, message = now(), self.messages[self.sent % len(self.messages)]
                header = struct.pack("<Q", self.sent) if self.header else b""
                self.samples.append(self.sent, planned, start, now(), 0, 0, 0, len(message), 0)
                self.socket.sendall(struct.pack("<I", len(header) + len(message)) + header + message)
                handed_over = now()
                self.sent += 1
        except OSError as error:
            self.fatal(f"connection to {self.server}", str(error))
        say("settled", sent=self.sent, acknowledged=0, failed=0)

    def receive(self) -> None:
        """Record everything."""
        while len(length := self.stream.read(4)) == 4:
            message = self.stream.read(int.from_bytes(length, "little"))
            received, seq = now(), -1
            if self.header:
                seq, message = int.from_bytes(message[:8], "little"), message[8:]
                known = self.messages[seq % len(self.messages)] == message
            else:
                seq = self.index.get(message, -1)
                known = seq >= 0
            self.samples.append(
                seq if known else 2**64 - 1, 0, 0, 0, 0, received, received, len(message), 0 if known else 8
            )
            self.received += 1
        if not self.leaving:
            self.fatal(f"connection to {self.server}", "the relay closed it")

    def fatal(self, what: str, why: str) -> None:
        """End with an error."""
        say("error", what=what, why=why, fatal=True)
        os._exit(1)

    def stop(self) -> None:
        """Stop on command."""
        self.leaving = True
        usage = resource.getrusage(resource.RUSAGE_SELF)
        say("stopped", sent=self.sent, acknowledged=0, failed=0, received=self.received,
            cpu_ns=int((usage.ru_utime + usage.ru_stime) * 1e9), max_rss_bytes=usage.ru_maxrss * 1024)  # fmt: skip
        os._exit(0)

    def start(self, c: dict[str, Any]) -> None:
        """Begin."""
        planned_at = planned_times(c) if self.role == "publisher" else None
        self.state = "started"
        say("started")
        if planned_at:
            threading.Thread(target=self.publish, args=(planned_at,), daemon=True).start()

    def obey(self, c: dict[str, Any]) -> None:
        """One command."""
        match c["cmd"], self.state:
            case "describe", _:
                say(**DESCRIBED)
            case "prepare", "idle":
                required = {"role", "qos", "topic", "client", "payload", "samples", "capacity"}
                if missing := required - c.keys():
                    raise ValueError(f"prepare lacks {missing}")
                self.prepare(c)
                self.state = "prepared"
            case "start", "prepared":
                self.start(c)
            case "stop", _:
                self.stop()
            case cmd, state:
                raise ValueError(f"{cmd} is unknown, or not for a peer that is {state}")


def main() -> None:
    """Read commands until the end of the input."""
    peer = Peer()
    for line in sys.stdin.buffer:
        try:
            if len(line) > 1 << 20:
                raise ValueError("longer than 1 MiB")
            peer.obey(json.loads(line.decode()))
        except (Refused, OSError) as error:
            what, why = error.args if isinstance(error, Refused) else (str(error.filename), str(error))
            peer.fatal(what, why)
        except (ValueError, KeyError, TypeError) as error:
            say("error", what="command", why=str(error), fatal=False)
    peer.stop()


if __name__ == "__main__":
    main()
