"""The peers of a trial: started, connected and stopped, those of a kind all at once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from wirelab.lab.binaries import find
from wirelab.lab.hosts import Hosts
from wirelab.lab.outcome import Outcome
from wirelab.lab.peer import Event, Peer
from wirelab.lab.peer_requests import able, capacity, connecting_s
from wirelab.lab.process import usage
from wirelab.lab.protocols import protocol
from wirelab.lab.servers import Site, peer_options
from wirelab.model.result import PeerInfo, Usage
from wirelab.model.trial import Trial
from wirelab.workloads import applications

# What a peer may take until it is prepared, beyond its time to connect: a JVM starts, codecs load.
PREPARE_GRACE_S = 60.0
ANSWER_TIMEOUT_S = 10.0


class Wanted(Struct, frozen=True):
    """A peer to be: its role, the host it stands on, its name and topic, and what is asked of it otherwise than the trial says."""

    role: str
    host: str
    name: str
    topic: str
    other: dict[str, Any] = {}


class Peers:
    """The peers of one trial by name, in the order in which they were added."""

    def __init__(self, trial: Trial, hosts: Hosts, folder: Path, site: Site, outcome: Outcome) -> None:
        self.named: dict[str, Peer] = {}
        self.acknowledged = False
        self._trial, self._hosts, self._folder = trial, hosts, folder
        self._site, self._outcome = site, outcome

    def add(self, wanted: Sequence[Wanted]) -> list[Event]:
        """Start peers and connect them, all at the same time; what each says of that. Raises Unable, MeasurementFailed."""
        own = protocol(self._trial.protocol)
        command = own.libraries.get(self._trial.library, own.default_peer)
        argv = [self._trial.peer] if self._trial.peer else [find(command[0]), *command[1:]]
        for one in wanted:
            with (self._folder / f"{one.name}.log").open("wb") as log:
                process = self._hosts.start(one.host, argv, log, self._folder)
            self.named[one.name] = Peer(one.name, process)
            self.named[one.name].tell("describe")
        for one in wanted:
            described = self.named[one.name].answer("described", ANSWER_TIMEOUT_S)
            self._is_able(described, one.role)
            asked = self._asked(one, described.get("options", {}))
            self.named[one.name].tell("prepare", **(asked | one.other))
        limit_s = connecting_s(self._trial.options) + PREPARE_GRACE_S
        return [self.named[one.name].answer("prepared", limit_s) for one in wanted]

    def used(self) -> dict[str, Usage]:
        """What each process has taken so far."""
        return {name: usage(peer.process.pid) for name, peer in self.named.items()}

    def stop(self) -> None:
        """Tell all that it is over, and keep what they counted. Raises MeasurementFailed."""
        for peer in self.named.values():
            peer.tell("stop")
        for name, peer in self.named.items():
            stopped = peer.answer("stopped", ANSWER_TIMEOUT_S)
            told = {key: value for key, value in stopped.items() if isinstance(value, int)}
            self._outcome.counters[name] = peer.counters | told

    def kill(self) -> None:
        """End whatever still runs; what went wrong is kept."""
        for peer in self.named.values():
            self._outcome.errors += peer.errors
            peer.kill()
        self.named = {}

    def _is_able(self, described: Event, role: str) -> None:
        """Raises Unable where such a peer cannot do what the trial asks."""
        self._outcome.peer = PeerInfo(
            *(str(described.get(k, "")) for k in ("name", "library", "version", "language"))
        )
        self._outcome.delivery = able(described, self._trial, role)
        self.acknowledged = any(
            q.get("acknowledged") for q in described["qos"] if str(q.get("name")) == self._trial.qos
        )

    def _asked(self, one: Wanted, offered: Collection[str]) -> dict[str, Any]:
        """What `prepare` asks of a peer (docs/contracts/peer.md)."""
        trial, payload = self._trial, self._trial.payload
        corpus = {"pack": payload.pack, "codec": payload.codec, "corpus": payload.corpus}
        if not payload.pack:
            corpus = {"messages": payload.corpus}
        # They meet at the server, or where there is none, at the publisher.
        meeting = "device" if trial.server == "none" else "server"
        return {
            "role": one.role,
            "protocol": trial.protocol,
            "server": {"address": self._hosts.address(meeting), "port": self._site.port},
            "qos": trial.qos,
            "options": self._options(offered),
            "topic": one.topic,
            "client": one.name,
            "payload": corpus,
            "identity": self._outcome.identity,
            "samples": str(self._folder / f"{one.name}.samples"),
            "capacity": capacity(trial),
            "application": trial.workload.application or applications.ECHO,
        }

    def _options(self, offered: Collection[str]) -> dict[str, str]:
        """Those of the trial's options that a peer offers, and what it needs to know of its transport."""
        wanted = peer_options(self._trial.server, self._trial.protocol) | self._trial.options
        options = {name: value for name, value in wanted.items() if name in offered}
        if self._trial.transport and "transport" in offered:
            options["transport"] = self._trial.transport
        if (made := self._site.certificates) is not None:
            # Whom to trust; and for a responder that listens, what to show.
            files = {"authority": made.authority, "certificate": made.server, "key": made.key}
            options |= {name: str(path) for name, path in files.items() if name in offered}
        return options
