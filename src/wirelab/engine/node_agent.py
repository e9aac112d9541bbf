"""The part of a distributed trial on one node: its peers, and perhaps the server.

Independent of Ray. There is no lab. Roles communicate over the network of the nodes, and the server
listens on the address of its node.
"""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from wirelab.engine.work_unit import Inputs, stage_inputs
from wirelab.lab import ports
from wirelab.lab.hosts import Loopback
from wirelab.lab.peer_contract import Prepared, Role
from wirelab.lab.peer_requests import PeerSchedule
from wirelab.lab.peers import PeerSpec
from wirelab.lab.processes import Processes
from wirelab.model.errors import MeasurementFailed
from wirelab.model.result import PeerInfo, ServerInfo, Usage
from wirelab.model.trial import Trial
from wirelab.model.units import show_duration
from wirelab.store.sample_file import written_part
from wirelab.system.child_guard import tied, uninterrupted

HERE = "node"


class Network(Loopback):
    """The network of the nodes: the server has one address, whatever host is requested."""

    def __init__(self, server: str) -> None:
        self._server = server

    def address(self, host: str) -> str:  # noqa: ARG002
        """The address of the server."""
        return self._server

    def start(self, host: str, argv: list[str], log: IO[bytes], cwd: Path) -> subprocess.Popen[bytes]:  # noqa: ARG002
        """Start a program here that ends with this process."""
        with uninterrupted():
            return subprocess.Popen(
                argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, cwd=cwd,
                env={**os.environ, "RUST_BACKTRACE": "0"}, preexec_fn=tied(),  # noqa: PLW1509  (no lock is taken there)
            )  # fmt: skip


class AgentStatus(Struct, frozen=True):
    """The progress of a node's peers: counts by name, and the publishers that have settled."""

    counters: dict[str, dict[str, int]]
    settled: frozenset[str]


class AgentResult(Struct, frozen=True):
    """The final counts of a node's peers, usage and descriptions of its processes, and steal time."""

    counters: dict[str, dict[str, int]]
    usage: dict[str, Usage]
    peer: PeerInfo
    delivery: str
    identity: str
    errors: tuple[str, ...]
    stolen: float


class NodeAgent:
    """The processes of one trial on one node, in the order of their start."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._processes: Processes | None = None

    @property
    def processes(self) -> Processes:
        """The current trial. Raises MeasurementFailed before `open`."""
        if self._processes is None:
            raise MeasurementFailed("node", "no trial has been opened there")
        return self._processes

    def clock(self) -> int:
        """CLOCK_MONOTONIC now, in ns."""
        return time.monotonic_ns()

    def free_port(self, address: str) -> int:
        """A free port for a server. Raises OSError for an address that is not this node's."""
        return ports.free_port(address)

    def open(self, trial: Trial, inputs: Inputs, address: str, port: int) -> None:
        """A folder for a trial whose server is, or will be, at this address."""
        self.close()
        self._open = ExitStack()
        (moved,), home = self._open.enter_context(stage_inputs([trial], inputs))
        folder = home / "trial"
        folder.mkdir()
        self._processes = Processes(moved, Network(address), folder, port)
        self._open.callback(self._processes.close)

    def serve(self) -> ServerInfo:
        """Start the server here. Raises Unsupported, MeasurementFailed."""
        here = self.processes
        here.serve()
        return here.outcome.server

    def connect(self, role: Role, name: str, topic: str) -> Prepared:
        """Start a peer and connect it. Raises Unsupported, MeasurementFailed."""
        (prepared,) = self.processes.peers.add([PeerSpec(role, HERE, name, topic)])
        if role is Role.PUBLISHER:
            self.processes.check_distinct(prepared)
        return prepared

    def start(self, at_ns: int, planned: dict[str, PeerSchedule]) -> None:
        """Start every publisher at `at_ns` of this node's clock.

        `planned[name]` is the schedule of a publisher. Subscribers listen from
        now on. Raises MeasurementFailed if the start commands took longer than until `at_ns`.
        """
        here = self.processes
        here.read_usage()
        here.tell(at_ns if planned else self.clock(), planned)
        if planned and self.clock() > at_ns:
            late = show_duration(self.clock() - at_ns)
            raise MeasurementFailed(
                "start", f"the start command was {late} late", "the node is too busy to start in time"
            )

    def look(self) -> AgentStatus:
        """Read the events of peers. Raises MeasurementFailed if a peer or the server has ended."""
        here = self.processes
        for peer in here.peers.named.values():
            peer.drain()
        if here.server is not None and here.server.process.poll() is not None:
            raise MeasurementFailed("server", "ended during the trial")
        return AgentStatus(
            {name: dict(peer.counters) for name, peer in here.peers.named.items()},
            frozenset(name for name, peer in here.peers.named.items() if peer.settled),
        )

    def stop(self) -> AgentResult:
        """Stop all peers. Their samples stay until `close`."""
        here = self.processes
        here.put_usage()
        here.peers.stop()
        said = here.outcome
        errors = tuple(error for peer in here.peers.named.values() for error in peer.errors)
        return AgentResult(
            said.counters, said.usage, said.peer, said.delivery, said.identity, errors, said.stolen
        )

    def samples(self, name: str) -> NDArray[np.uint8]:
        """The written part of a peer's sample file."""
        return written_part(self.processes.folder / f"{name}.samples")

    def logs(self) -> dict[str, bytes]:
        """The last 64 KiB of standard error of each peer and the server, by file name."""
        return {path.name: path.read_bytes()[-(1 << 16) :] for path in self.processes.folder.glob("*.log")}

    def close(self) -> None:
        """End all processes and remove all files."""
        self._processes = None
        self._open.close()
