"""One trial from start to clean end, run inside its lab as a process of its own: `python -m wirelab.lab.cell FOLDER...`.

FOLDER holds trial.json; the cell leaves outcome.json, the samples and the logs there. It prints `ready` when every peer is prepared and
waits for a line `go OFFSET_NS`, so that no trial side by side measures while another starts up. Several folders are trials one after
the other on one server that is slow to start, each with peers of its own; `over` is printed after each but the last.
"""

from __future__ import annotations

import contextlib
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from wirelab.lab import servers
from wirelab.lab.drain import DrainLimits, DrainMonitor, DrainState, send_stop_and_wait
from wirelab.lab.host_cpu import cpu_time, stolen_share
from wirelab.lab.hosts import LAB, Hosts, LabHosts, Loopback
from wirelab.lab.outcome import Outcome
from wirelab.lab.peer_contract import Address, MessagesPayload, Prepared, Role, Start, Started
from wirelab.lab.peer_requests import (
    PeerSchedule,
    Unsupported,
    cross_schedule,
    identity,
    schedules,
    with_requests,
)
from wirelab.lab.peers import ANSWER_TIMEOUT_S, Peers, PeerSpec
from wirelab.lab.process import difference, summed, usage
from wirelab.lab.protocols import protocol
from wirelab.lab.spec import (
    CROSS_CONSUMER,
    CROSS_DEVICE,
    consumers,
    devices,
    publishers,
    subscribers,
)
from wirelab.lab.trial_controller import TrialController, verdict_of
from wirelab.model.arrivals import ClosedLoop
from wirelab.model.errors import BadInput, MeasurementFailed, WirelabError
from wirelab.model.host_role import DEVICE, PUBLISHER, SERVER
from wirelab.model.json_stream import Stream
from wirelab.model.reason import Code, Reason
from wirelab.model.result import Usage
from wirelab.model.trial import Cross, State, Trial, Verdict
from wirelab.system.binaries import find
from wirelab.workloads import messages
from wirelab.workloads.load import planned_ns, total_messages
from wirelab.workloads.schedule import Told
from wirelab.workloads.services import script

# Peers start this much after the command, so that all have read it by then.
LEAD_NS = 50_000_000
TOPIC = "wirelab/t"
# The peers of a flow beside the measured one: how their names begin, how many messages they send again and again, and for how many there is room.
CROSS, CROSS_MESSAGES, CROSS_CAPACITY = "cross-", 2, 100_000

# Larger messages are cut into parts (RFC 7959), unless the trial's options keep them whole.
BLOCK_BYTES = 1024


class Cell:
    """The processes of one trial, and the order in which they live."""

    def __init__(
        self,
        trial: Trial,
        hosts: Hosts,
        folder: Path,
        port: int = 0,
        server: servers.Server | None = None,
        home: Path | None = None,
        topic: str = TOPIC,
    ) -> None:
        trial = with_requests(trial, folder)
        self.trial, self.hosts, self.folder, self.home = trial, hosts, folder, home or folder
        self.protocol = protocol(trial.protocol)
        self.port = port or self.protocol.port
        self.outcome = Outcome(identity=identity(trial))
        self.server = server
        self.site = self._site()
        self.peers = Peers(trial, hosts, folder, self.site, self.outcome)
        self.topic = topic
        self._before: dict[str, Usage] = {}
        self._asked_before = cpu_time()
        self.largest = 0

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

    def connect(self) -> None:
        """Start and connect the subscribers, then the publishers."""
        trial, topic, asks = self.trial, self.topic, bool(self.trial.workload.application)
        one_way, fan_in = trial.workload.topology == "one-way", trial.workload.publishers > 1
        hosts = consumers(trial) * (trial.workload.publishers if fan_in else 1)
        own = [f"{topic}/{k}" if fan_in else topic for k in range(trial.workload.publishers)]
        listening = [
            PeerSpec(
                Role.RESPONDER if asks else Role.SUBSCRIBER,
                host if one_way else DEVICE,
                name,
                own[k if fan_in else 0],
                self._meeting(k) if fan_in else {},
            )
            for k, (name, host) in enumerate(zip(subscribers(trial), hosts, strict=True))
        ]
        self.peers.add(listening)
        if trial.workload.cross is not None:
            self._add_cross(trial.workload.cross, topic)
        role = Role.REQUESTER if asks else Role.PUBLISHER
        # How many each waits for where no server is between them.
        awaited = {"subscribers": 1 if fan_in else len(listening)}
        sending = [
            PeerSpec(role, host, name, own[k], awaited | self._meeting(k))
            for k, (name, host) in enumerate(zip(publishers(trial), devices(trial), strict=True))
        ]
        prepared = self.peers.add(sending)[-1]
        if fan_in:
            pairs = zip(publishers(trial), subscribers(trial), strict=True)
            self.outcome.streams = tuple(Stream(publisher, subscriber) for publisher, subscriber in pairs)
        self.outcome.connect_ns = prepared.connect_ns
        self.outcome.messages = prepared.messages
        self.largest = prepared.bytes_max
        self.check_distinct(prepared)

    def check_distinct(self, prepared: Prepared) -> None:
        """Raises Unsupported where messages are known by their bytes and too few of those differ."""
        needed = min(total_messages(self.trial.workload) or prepared.messages, prepared.messages)
        distinct = needed if prepared.distinct is None else prepared.distinct
        if self.outcome.identity == "content" and distinct < needed:
            raise Unsupported(
                "payload", "this format gives different messages equal bytes, so they cannot be told apart"
            )

    def start(self, offset_ns: int) -> DrainLimits:
        """Start after `offset_ns`, so that trials side by side do not send at the same moments."""
        workload = self.trial.workload
        # The link's time is late by the same: messages always meet the same points of a trace.
        time.sleep(offset_ns / 1e9)
        self.hosts.epoch()
        self.read_usage()
        at_ns = self.outcome.start_ns = time.monotonic_ns() + LEAD_NS
        planned = schedules(self.trial, publishers(self.trial))
        if workload.cross is not None:
            planned[f"{CROSS}{Role.PUBLISHER}"] = cross_schedule(workload.cross)
        self.tell(at_ns, planned)
        begin_ns, due_ns = at_ns, planned_ns(workload, self.trial.seed)
        if workload.utilization:
            from wirelab.lab.utilization import send_at_share  # noqa: PLC0415  (it reads samples, for which others need not load numpy)

            samples = self.folder / f"{PUBLISHER}.samples"
            begin_ns, due_ns = send_at_share(self.peers.named[PUBLISHER], self.trial, samples, at_ns)
        watch = self.watch = self._watch()
        one_by_one = workload.arrivals if isinstance(workload.arrivals, ClosedLoop) else None
        if one_by_one is not None:
            total = total_messages(workload) or 0
            send_stop_and_wait(watch, total, one_by_one.spacing_ns, self.peers.acknowledged, self.trial.seed)
        linger_ns = 0 if one_by_one is not None else watch.linger_ns
        return DrainLimits(begin_ns + due_ns, linger_ns, workload.drain_ns)

    def look(self) -> DrainState:
        """Poll peers, server and link. Raises MeasurementFailed, WirelabError."""
        return self.watch.state()

    def collect(self) -> None:
        """Read all counters, and stop the peers."""
        outcome = self.outcome
        outcome.elapsed_ns = time.monotonic_ns() - outcome.start_ns
        outcome.link = self.hosts.snapshot()
        self.put_usage()
        if self.server is not None:
            outcome.waiting = servers.seen(self.server.watcher, outcome.start_ns)
        self.peers.stop()
        outcome.settled = all(self.peers.named[name].settled for name in publishers(self.trial))

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

    def tell(self, at_ns: int, planned: Mapping[str, PeerSchedule]) -> None:
        """Start all peers, publishers by their schedules. Raises Unsupported, MeasurementFailed."""
        for name, peer in self.peers.named.items():
            own = planned.get(name, PeerSchedule())
            schedule = own.written(self.folder / f"{name}.times")
            try:
                peer.ask(Start(at_ns + own.phase_ns, schedule), Started, ANSWER_TIMEOUT_S)
            except MeasurementFailed as error:
                if isinstance(schedule, Told) and peer.errors:
                    raise Unsupported(peer.role, f"cannot send on command: {peer.errors[-1]}") from None
                raise error from None

    def close(self, keep_server: bool = False) -> None:
        """End whatever still runs."""
        self.peers.kill()
        if self.server is not None and not keep_server:
            self.server.stop()

    def _site(self) -> servers.Site:
        """Where the server stands; where its transport is encrypted, with certificates made for it, which it shows as long as it runs."""
        application = self.trial.workload.application
        site = servers.Site(
            self.trial.protocol,
            self.port,
            self.hosts,
            self.home,
            self.trial.transport,
            self.trial.qos,
            script(application) if application and servers.responds(self.trial.server) else None,
            # Nothing waits where each message is sent when the one before it has been dealt with.
            watched=not isinstance(self.trial.workload.arrivals, ClosedLoop),
        )
        if site.transport not in self.protocol.encrypted:
            return site
        from wirelab.lab import certificates  # noqa: PLC0415  (30 ms that other trials need not pay)

        folder = self.home / "tls"
        made = certificates.make(folder, site.address) if self.server is None else certificates.at(folder)
        return replace(site, certificates=made)

    def _meeting(self, index: int) -> dict[str, Any]:
        """Where there is no server, each further publisher is met at its own host."""
        if index == 0 or self.trial.server != "none":
            return {}
        host = devices(self.trial)[index]
        return {"server": Address(self.hosts.address(host), self.port)}

    def _add_cross(self, flow: Cross, topic: str) -> None:
        """Add the two peers of the cross traffic. A header identifies its messages."""
        carried = self.folder / "cross.messages"
        messages.write(carried, messages.messages(flow.size_bytes, CROSS_MESSAGES, self.trial.seed))
        meeting = CROSS_DEVICE if self.trial.server == "none" else SERVER
        other = {
            "server": Address(self.hosts.address(meeting), self.port),
            "payload": MessagesPayload(str(carried)),
            "identity": "header",
            "capacity": CROSS_CAPACITY,
        }
        for role, host in ((Role.SUBSCRIBER, CROSS_CONSUMER), (Role.PUBLISHER, CROSS_DEVICE)):
            self.peers.add([PeerSpec(role, host, f"{CROSS}{role}", f"{topic}/cross", other)])

    def used(self) -> dict[str, Usage]:
        """What each process has taken so far."""
        used = self.peers.used()
        if self.server is not None:
            used[SERVER] = summed(usage(pid) for pid in self.server.pids())
        return used

    def _watch(self) -> DrainMonitor:
        whole = max(BLOCK_BYTES, int(self.trial.options.get("whole_bytes", "0")))
        linger_s = self.protocol.linger(self.trial.qos, one_datagram=self.largest <= whole)
        # Of requests the answers count, which arrive where those come from.
        names = [PUBLISHER] if self.trial.workload.application else subscribers(self.trial)
        receiving = [self.peers.named[name] for name in names]
        sending = [self.peers.named[name] for name in publishers(self.trial)]
        return DrainMonitor(sending, receiving, self.server, self.hosts, linger_s)


def run(folders: Sequence[Path]) -> None:
    """Run the trials in these folders, one after the other on one server, and leave each its outcome."""
    hosts: Hosts = LabHosts(find("wirelab-link")) if (LAB / "link.sock").exists() else Loopback()
    server: servers.Server | None = None
    home = folders[0]
    if len(folders) > 1:
        # The server outlives the first trial, whose folder may be cleared away.
        home = home.with_name(f"{home.name}-server")
        home.mkdir(exist_ok=True)
    for index, folder in enumerate(folders):
        trial = msgspec.json.decode((folder / "trial.json").read_bytes(), type=Trial)
        alive = server if server is not None and server.process.poll() is None else None
        cell = Cell(trial, hosts, folder, server=alive, home=home, topic=f"{TOPIC}{index or ''}")
        last = index == len(folders) - 1
        _run_one(cell, keep_server=not last)
        server = cell.server
        if not last:
            print("over", flush=True)


def _run_one(cell: Cell, keep_server: bool) -> None:
    folder, controller = cell.folder, TrialController(cell)
    try:
        controller.prepare()
        print("ready", flush=True)
        if order := sys.stdin.readline():
            controller.measure(int(order.removeprefix("go ")))
    except WirelabError as error:
        cell.outcome.verdict = verdict_of(error)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # What a peer or server says is foreign: an answer of the wrong shape fails this trial and no other.
        traceback.print_exc()
        cell.outcome.verdict = Verdict(State.FAILED, Reason(Code.WRONG_ANSWER, why=str(error)))
    finally:
        with contextlib.suppress(OSError):
            cell.close(keep_server)
        temporary = folder / "outcome.tmp"
        temporary.write_bytes(msgspec.json.encode(cell.outcome))
        temporary.replace(folder / "outcome.json")


if __name__ == "__main__":
    run([Path(folder) for folder in sys.argv[1:]])
