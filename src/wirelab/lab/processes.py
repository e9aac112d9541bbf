"""The processes of one trial on one machine: its server and its peers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from wirelab.lab import servers
from wirelab.lab.host_cpu import cpu_time, slower, stolen_share
from wirelab.lab.hosts import Hosts
from wirelab.lab.outcome import Outcome
from wirelab.lab.peer_contract import Prepared, Start, Started
from wirelab.lab.peer_requests import PeerSchedule, Unsupported, identity, with_requests
from wirelab.lab.peers import ANSWER_TIMEOUT_S, Peers
from wirelab.lab.process import difference, summed, usage
from wirelab.lab.protocols import protocol
from wirelab.model.arrivals import ClosedLoop
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.host_role import SERVER
from wirelab.model.result import Usage
from wirelab.model.trial import Trial
from wirelab.workloads.load import total_batches
from wirelab.workloads.schedule import OnCommand
from wirelab.workloads.services import script


class Processes:
    """The server and the peers of a trial. Their counts go into `outcome`."""

    def __init__(
        self,
        trial: Trial,
        hosts: Hosts,
        folder: Path,
        port: int = 0,
        server: servers.Server | None = None,
        home: Path | None = None,
    ) -> None:
        trial = with_requests(trial, folder)
        self.trial, self.hosts, self.folder, self.home = trial, hosts, folder, home or folder
        self.protocol = protocol(trial.protocol)
        self.port = port or self.protocol.port
        self.outcome = Outcome(identity=identity(trial))
        self.server = server
        self.site = self._site()
        self.peers = Peers(trial, hosts, folder, self.site, self.outcome)
        self._before: dict[str, Usage] = {}
        self._asked_before = cpu_time()

    def serve(self) -> None:
        """Start the server, unless it runs already or the trial has none. Raises Unsupported."""
        trial = self.trial
        if trial.server == "none" and trial.workload.topology == "round-trip":
            raise Unsupported(
                trial.protocol, "has no server, so between two peers on one host nothing would cross the link"
            )
        asks = bool(trial.workload.application)
        if self.server is None and (
            servers.responds(trial.server) or not (asks and self.protocol.responder_listens)
        ):
            try:
                self.server = servers.start(trial.server, self.site)
            except BadInput as error:
                raise Unsupported(error.what, error.why, error.next_step) from None
        if self.server is not None:
            self.outcome.server = self.server.info

    def check_distinct(self, prepared: Prepared) -> None:
        """Raises Unsupported if messages are identified by content and too few of them differ."""
        needed = min(total_batches(self.trial.workload) or prepared.messages, prepared.messages)
        distinct = needed if prepared.distinct is None else prepared.distinct
        if self.outcome.identity == "content" and distinct < needed:
            raise Unsupported(
                "payload", "this format gives different messages equal bytes, so they cannot be distinguished"
            )

    def tell(self, at_ns: int, planned: Mapping[str, PeerSchedule]) -> None:
        """Start all peers, publishers by their schedules. Raises Unsupported, MeasurementFailed."""
        for name, peer in self.peers.named.items():
            own = planned.get(name, PeerSchedule())
            schedule = own.written(self.folder / f"{name}.times")
            try:
                peer.ask(Start(at_ns + own.phase_ns, schedule), Started, ANSWER_TIMEOUT_S * slower())
            except MeasurementFailed as error:
                if isinstance(schedule, OnCommand) and peer.errors:
                    raise Unsupported(peer.role, f"cannot send on command: {peer.errors[-1]}") from None
                raise error from None

    def read_usage(self) -> None:
        """Read what processes and machine have used before the measurement."""
        self._before, self._asked_before = self.used(), cpu_time()

    def put_usage(self) -> None:
        """Put the usage since `read_usage` into the outcome, and the share of CPU time stolen."""
        after = self.used()
        self.outcome.stolen = stolen_share(cpu_time(), self._asked_before)
        self.outcome.usage = {
            name: difference(used, self._before.get(name, Usage())) for name, used in after.items()
        }

    def used(self) -> dict[str, Usage]:
        """The usage of each process so far."""
        used = self.peers.used()
        if self.server is not None:
            used[SERVER] = summed(usage(pid) for pid in self.server.pids())
        return used

    def close(self, keep_server: bool = False) -> None:
        """End all running processes."""
        self.peers.kill()
        if self.server is not None and not keep_server:
            self.server.stop()

    def _site(self) -> servers.Site:
        """The context of the server; with its certificates if the transport is encrypted."""
        application = self.trial.workload.application
        site = servers.Site(
            self.trial.protocol,
            self.port,
            self.hosts,
            self.home,
            self.trial.transport,
            self.trial.qos,
            script(application) if application and servers.responds(self.trial.server) else None,
            # There is no queue in a closed loop.
            watched=not isinstance(self.trial.workload.arrivals, ClosedLoop),
        )
        if site.transport not in self.protocol.encrypted:
            return site
        from wirelab.lab import certificates  # noqa: PLC0415  (30 ms that other trials need not pay)

        folder = self.home / "tls"
        made = certificates.make(folder, site.address) if self.server is None else certificates.at(folder)
        return replace(site, certificates=made)
