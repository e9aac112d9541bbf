"""One publisher and one subscriber, from prepared to stopped."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import Event, Peer, Sample, Server, now, read_samples, write_messages
from pair import Pair

from wirelab.lab.ports import free_port

SECOND = 1_000_000_000
MIDST_NS = 100_000
_topics = itertools.count()


def meeting_place(pair: Pair, server: Server | Event | None) -> Event | None:
    """The address at which the peers of a trial meet: that of the server, else of the publisher.

    Of the address and port that it once gave it makes the same.
    """
    if isinstance(server, dict):
        return server
    if server is not None:
        return {"address": "127.0.0.1", "port": server.port, "options": server.options}
    return {"address": "127.0.0.1", "port": free_port()} if pair.brokerless else None


def prepare_keys(
    pair: Pair, server: Server | Event | None, qos: str, messages: Path, role: str, **more: Any
) -> Event:
    """The keys of a `prepare` command. What reaching the server takes is among the options."""
    place = dict(meeting_place(pair, server) or {})
    options = pair.options | place.pop("options", {})
    keys = {
        "role": role,
        "server": place or None,
        "qos": qos,
        "options": options,
        "topic": f"wirelab/{next(_topics)}",
        "client": role,
        "payload": {"messages": str(messages)},
        "identity": "content",
        "samples": str(messages.with_name(f"{role}.samples")),
        "capacity": 1000,
    }
    return {**keys, **more}


class Trial:
    """Both peers, prepared; then `run`, then `end`.

    `more` are keys of both, but for `subscriber`: keys of that side alone.
    """

    def __init__(
        self,
        pair: Pair,
        server: Server | None,
        qos: str,
        messages: list[bytes],
        directory: Path,
        launch: Callable[[Pair], Peer],
        **more: Any,
    ) -> None:
        file = write_messages(directory / "messages", messages)
        self.topic = f"wirelab/{next(_topics)}"
        more = {"capacity": 2 * more.get("count", 500), "topic": self.topic, **more}
        more.pop("count", None)
        apart = {"subscriber": more.pop("subscriber", {})}
        self.may_lose = not pair.loses_nothing(qos)
        self.prepared: dict[str, Event] = {}
        self.paths: dict[str, Path] = {}
        place = meeting_place(pair, server)
        self.peers = {role: launch(pair) for role in ("subscriber", "publisher")}
        for role, peer in self.peers.items():
            keys = prepare_keys(pair, place, qos, file, role, **{**more, "client": f"{role}{self.topic[8:]}"})
            keys |= apart.get(role, {})
            self.paths[role] = Path(keys["samples"])
            peer.tell("prepare", **keys)
            self.prepared[role] = peer.wait("prepared")

    def start(self, **schedule: Any) -> int:
        """Start both, in 50 ms; gives the planned time of message 0."""
        at = now() + SECOND // 20
        for role in ("subscriber", "publisher"):
            self.peers[role].tell("start", at_ns=at, schedule=schedule)
            self.peers[role].wait("started")
        return at

    def begin(self, count: int) -> None:
        """Start both for `count` messages, each of which is sent on command."""
        for role in ("subscriber", "publisher"):
            self.peers[role].tell("start", at_ns=0, schedule={"kind": "told", "count": count})
            self.peers[role].wait("started")

    def plan(self, count: int) -> None:
        """Command the publisher to send its next messages, 100 us apart."""
        at = now() + SECOND // 20
        lines = (f'{{"cmd":"send","at_ns":{at + i * MIDST_NS}}}\n' for i in range(count))
        self.peers["publisher"].write("".join(lines).encode())

    def settle(self, within: float = 60.0) -> Event:
        """Wait until the publisher has settled."""
        return self.peers["publisher"].wait("settled", within)

    def drain(self, expected: int, within: float = 30.0) -> None:
        """Wait until `expected` messages have arrived, or until a lossy protocol was quiet for two
        seconds.
        """
        deadline = time.monotonic() + within
        last, since = -1, time.monotonic()
        while (arrived := self.arrived()) < expected and time.monotonic() < deadline:
            if arrived != last:
                last, since = arrived, time.monotonic()
            if self.may_lose and time.monotonic() - since > 2:
                return
            time.sleep(0.005)

    def arrived(self) -> int:
        """Records the subscriber has written."""
        with self.paths["subscriber"].open("rb") as file:
            file.seek(16)
            return int.from_bytes(file.read(8), "little")

    def samples(self, role: str) -> list[Sample]:
        """The records of a side so far."""
        return read_samples(self.paths[role])

    def end(self) -> dict[str, Event]:
        """Stop both; each must say so as its last line and exit with 0."""
        stopped = {}
        for role, peer in self.peers.items():
            peer.tell("stop")
            stopped[role] = peer.wait("stopped")
            assert peer.next() is None
            assert peer.ended() == 0
        return stopped
