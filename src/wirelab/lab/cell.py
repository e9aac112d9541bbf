"""One trial from start to clean end, a process in its lab: `python -m wirelab.lab.cell FOLDER...`.

FOLDER holds trial.json. The cell leaves outcome.json, the samples and the logs there. It prints
`ready` when every peer is prepared, and waits for a line `go OFFSET_NS`, so that no concurrent
trial measures while another starts. Several folders are a chain of trials on one server that is
slow to start, each with its own peers. `over` is printed after each but the last.
"""

from __future__ import annotations

import contextlib
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from wirelab.lab import servers
from wirelab.lab.drain import DrainMonitor, send_stop_and_wait, wait_until_drained
from wirelab.lab.host_cpu import cpu_time, stolen_share
from wirelab.lab.hosts import LAB, Hosts, LabHosts, Loopback
from wirelab.lab.outcome import Outcome
from wirelab.lab.peer import Peer
from wirelab.lab.peer_contract import Address, MessagesPayload, Prepared, Role, Start, Started
from wirelab.lab.peer_requests import (
    Unsupported,
    cross_schedule,
    divide,
    identity,
    schedule_of,
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
from wirelab.workloads.schedule import Schedule, Told
from wirelab.workloads.services import script

# Peers start this much after the command, so that all have read it by then.
LEAD_NS = 50_000_000
TOPIC = "wirelab/t"
# The peers of the cross traffic: the prefix of their names, the number of messages that they
# repeat, and the capacity of their samples.
CROSS, CROSS_MESSAGES, CROSS_CAPACITY = "cross-", 2, 100_000

# Larger messages are cut into parts (RFC 7959), unless the trial's options keep them whole.
BLOCK_BYTES = 1024


class Cell:
    """The processes of one trial, and the order in which they start and end."""

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
        self.largest = 0

    def prepare(self, topic: str = TOPIC) -> None:
        """Start the server and both peers; the subscriber is subscribed before the publisher
        connects.
        """
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
        # The number of subscribers that a publisher without a server waits for.
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
        """Raises Unsupported if messages are identified by content and too few of them differ."""
        needed = min(total_messages(self.trial.workload) or prepared.messages, prepared.messages)
        distinct = needed if prepared.distinct is None else prepared.distinct
        if self.outcome.identity == "content" and distinct < needed:
            raise Unsupported(
                "payload", "this format gives different messages equal bytes, so they cannot be told apart"
            )

    def measure(self, offset_ns: int) -> None:
        """Start, drain, read all counters, and stop.

        It starts `offset_ns` late, so that concurrent trials do not send at the same moments.
        """
        workload = self.trial.workload
        # The link's time is late too: for every start time, messages meet the same places of a
        # trace.
        time.sleep(offset_ns / 1e9)
        self.hosts.epoch()
        before, asked_before = self.used(), cpu_time()
        at_ns = time.monotonic_ns() + LEAD_NS
        schedule, cross = schedule_of(self.trial, self.folder), workload.cross
        shared = dict(zip(publishers(self.trial), divide(schedule, self.trial, self.folder), strict=True))
        for name, peer in self.peers.named.items():
            if cross is not None and name.startswith(CROSS):
                self._start(peer, at_ns + cross.from_ns, cross_schedule(cross))
            else:
                phase_ns, own = shared.get(name, (0, schedule))
                self._start(peer, at_ns + phase_ns, own)
        begin_ns, due_ns = at_ns, planned_ns(workload, self.trial.seed)
        if workload.utilization:
            from wirelab.lab.utilization import send_at_share  # noqa: PLC0415  (it reads samples, for which others need not load numpy)

            samples = self.folder / f"{PUBLISHER}.samples"
            begin_ns, due_ns = send_at_share(self.peers.named[PUBLISHER], self.trial, samples, at_ns)
        watch = self._watch()
        if isinstance(workload.arrivals, ClosedLoop):
            total, spacing_ns = total_messages(workload) or 0, workload.arrivals.spacing_ns
            send_stop_and_wait(watch, total, spacing_ns, self.peers.acknowledged, self.trial.seed)
        self.outcome.overloaded = wait_until_drained(watch, workload, begin_ns + due_ns)
        self.outcome.start_ns = at_ns
        self.outcome.elapsed_ns = time.monotonic_ns() - at_ns
        self.outcome.link = self.hosts.snapshot()
        after = self.used()
        self.outcome.stolen = stolen_share(cpu_time(), asked_before)
        if self.server is not None:
            self.outcome.waiting = servers.seen(self.server.watcher, at_ns)
        self.outcome.usage = {name: difference(after[name], before[name]) for name in after}
        self.peers.stop()
        self.outcome.settled = all(self.peers.named[name].settled for name in publishers(self.trial))

    def _start(self, peer: Peer, at_ns: int, schedule: Schedule) -> None:
        try:
            peer.ask(Start(at_ns, schedule), Started, ANSWER_TIMEOUT_S)
        except MeasurementFailed as error:
            if isinstance(schedule, Told) and peer.errors:
                raise Unsupported(peer.role, f"cannot send on command: {peer.errors[-1]}") from None
            raise error from None

    def close(self, keep_server: bool = False) -> None:
        """End all running processes."""
        self.peers.kill()
        if self.server is not None and not keep_server:
            self.server.stop()

    def _site(self) -> servers.Site:
        """The context of the server.

        For an encrypted transport it has new certificates, which the server uses as long as it
        runs.
        """
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

    def _meeting(self, index: int) -> dict[str, Any]:
        """Without a server, each further publisher is reached at its own host."""
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
        """The usage of each process so far."""
        used = self.peers.used()
        if self.server is not None:
            used[SERVER] = summed(usage(pid) for pid in self.server.pids())
        return used

    def _watch(self) -> DrainMonitor:
        whole = max(BLOCK_BYTES, int(self.trial.options.get("whole_bytes", "0")))
        linger_s = self.protocol.linger(self.trial.qos, one_datagram=self.largest <= whole)
        # For requests, deliveries are answers, recorded at the publisher.
        names = [PUBLISHER] if self.trial.workload.application else subscribers(self.trial)
        receiving = [self.peers.named[name] for name in names]
        sending = [self.peers.named[name] for name in publishers(self.trial)]
        return DrainMonitor(sending, receiving, self.server, self.hosts, linger_s)


def run(folders: Sequence[Path]) -> None:
    """Run the trials in these folders as a chain on one server. Leaves an outcome in each."""
    hosts: Hosts = LabHosts(find("wirelab-link")) if (LAB / "link.sock").exists() else Loopback()
    server: servers.Server | None = None
    home = folders[0]
    if len(folders) > 1:
        # The server outlives the first trial, whose folder may be removed.
        home = home.with_name(f"{home.name}-server")
        home.mkdir(exist_ok=True)
    for index, folder in enumerate(folders):
        trial = msgspec.json.decode((folder / "trial.json").read_bytes(), type=Trial)
        alive = server if server is not None and server.process.poll() is None else None
        cell = Cell(trial, hosts, folder, server=alive, home=home)
        last = index == len(folders) - 1
        _run_one(cell, f"{TOPIC}{index or ''}", keep_server=not last)
        server = cell.server
        if not last:
            print("over", flush=True)


def _run_one(cell: Cell, topic: str, keep_server: bool) -> None:
    folder = cell.folder
    try:
        cell.prepare(topic)
        print("ready", flush=True)
        if order := sys.stdin.readline():
            cell.measure(int(order.removeprefix("go ")))
    except Unsupported as error:
        cell.outcome.verdict = Verdict(State.SKIPPED, Reason.of(error))
    except WirelabError as error:
        cell.outcome.verdict = Verdict(State.FAILED, Reason.of(error))
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # Output of peers and servers is not trusted: a wrong answer fails this trial and no other.
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
