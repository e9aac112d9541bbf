"""The peers of a trial: started, connected and stopped, all of a kind at the same time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from wirelab.lab.host_cpu import slower
from wirelab.lab.hosts import Hosts
from wirelab.lab.outcome import Outcome
from wirelab.lab.peer import Peer
from wirelab.lab.peer_contract import (
    Address,
    Describe,
    Described,
    MessagesPayload,
    PackPayload,
    Prepare,
    Prepared,
    Role,
    Stop,
    Stopped,
)
from wirelab.lab.peer_requests import capacity, check_capabilities, connecting_s
from wirelab.lab.process import usage
from wirelab.lab.protocols import protocol
from wirelab.lab.servers import Site, peer_options
from wirelab.model.host_role import DEVICE, SERVER
from wirelab.model.result import PeerInfo, Usage
from wirelab.model.trial import Trial
from wirelab.system.binaries import find
from wirelab.workloads import services

# Time until a peer is prepared, in addition to its connect timeout: a JVM starts, codecs load.
PREPARE_GRACE_S = 60.0
ANSWER_TIMEOUT_S = 10.0
# Options that name files of one trial.
CERTIFICATE_FILES = ("authority", "certificate", "key")


class PeerSpec(Struct, frozen=True):
    """A peer to start: its role, host, name and topic, and fields of `prepare` that differ from the
    trial's.
    """

    role: Role
    host: str
    name: str
    topic: str
    changes: dict[str, Any] = {}


class Peers:
    """The peers of one trial by name, in the order in which they were added."""

    def __init__(self, trial: Trial, hosts: Hosts, folder: Path, site: Site, outcome: Outcome) -> None:
        self.named: dict[str, Peer] = {}
        self.acknowledged = False
        self._trial, self._hosts, self._folder = trial, hosts, folder
        self._site, self._outcome = site, outcome

    def add(self, specs: Sequence[PeerSpec]) -> list[Prepared]:
        """Start peers and connect them, all at the same time.

        Raises Unsupported, MeasurementFailed.
        """
        own = protocol(self._trial.protocol)
        command = own.libraries.get(self._trial.library, own.default_peer)
        argv = [self._trial.peer] if self._trial.peer else [find(command[0]), *command[1:]]
        for spec in specs:
            with (self._folder / f"{spec.name}.log").open("wb") as log:
                process = self._hosts.start(spec.host, argv, log, self._folder)
            self.named[spec.name] = Peer(spec.name, process)
            self.named[spec.name].send(Describe())
        for spec in specs:
            described = self.named[spec.name].wait_for(Described, ANSWER_TIMEOUT_S * slower())
            self._accept(described, spec.role)
            self.named[spec.name].send(self._prepare(spec, described.options))
        limit_s = connecting_s(self._trial.options) + PREPARE_GRACE_S * slower()
        return [self.named[spec.name].wait_for(Prepared, limit_s) for spec in specs]

    def used(self) -> dict[str, Usage]:
        """The usage of each process so far."""
        return {name: usage(peer.process.pid) for name, peer in self.named.items()}

    def stop(self) -> None:
        """Stop all peers, and store their counts. Raises MeasurementFailed."""
        for peer in self.named.values():
            peer.send(Stop())
        for name, peer in self.named.items():
            stopped = peer.wait_for(Stopped, ANSWER_TIMEOUT_S * slower())
            numbers = msgspec.to_builtins(stopped)
            kept = {key: value for key, value in numbers.items() if isinstance(value, int)}
            self._outcome.counters[name] = peer.counters | kept

    def kill(self) -> None:
        """End all running processes. Errors are stored."""
        for peer in self.named.values():
            self._outcome.errors += peer.errors
            peer.kill()
        self.named = {}

    def _accept(self, described: Described, role: Role) -> None:
        """Store the description of a peer. Raises Unsupported if it does not support the trial."""
        self._outcome.peer = PeerInfo(
            described.name,
            described.library,
            described.version,
            described.language,
            self._shown_options(described.options),
        )
        qos = check_capabilities(described, self._trial, role)
        self._outcome.delivery, self.acknowledged = qos.delivery, qos.acknowledged

    def _prepare(self, spec: PeerSpec, offered: Collection[str]) -> Prepare:
        trial, payload = self._trial, self._trial.payload
        # They connect to the server or, without one, to the publisher.
        meeting = DEVICE if trial.server == "none" else SERVER
        prepare = Prepare(
            role=spec.role,
            server=Address(self._hosts.address(meeting), self._site.port),
            qos=trial.qos,
            options=self._options(offered),
            topic=spec.topic,
            client=spec.name,
            payload=PackPayload(payload.pack, payload.codec, payload.corpus)
            if payload.pack
            else MessagesPayload(payload.corpus),
            identity=self._outcome.identity,
            samples=str(self._folder / f"{spec.name}.samples"),
            capacity=capacity(trial),
            script=services.script(trial.workload.application),
        )
        return replace(prepare, **spec.changes)

    def _shown_options(self, offered: dict[str, str]) -> dict[str, str]:
        """Every option with its value, without the files of the trial's certificates."""
        options = offered | self._options(offered)
        return {name: value for name, value in options.items() if name not in CERTIFICATE_FILES}

    def _options(self, offered: Collection[str]) -> dict[str, str]:
        """The trial's options that a peer supports, and the options of its transport."""
        wanted = peer_options(self._trial.server, self._trial.protocol) | self._trial.options
        options = {name: value for name, value in wanted.items() if name in offered}
        if self._trial.transport and "transport" in offered:
            options["transport"] = self._trial.transport
        if (made := self._site.certificates) is not None:
            # The trusted authority, and the certificate of a responder that listens.
            files = {"authority": made.authority, "certificate": made.server, "key": made.key}
            options |= {name: str(path) for name, path in files.items() if name in offered}
        return options
