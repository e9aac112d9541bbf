"""The processes of one trial on the hosts of a lab."""

from __future__ import annotations

import time
from typing import Any

from wirelab.lab import servers
from wirelab.lab.drain import DrainMonitor, send_stop_and_wait
from wirelab.lab.drain_limits import DrainLimits, DrainState, overload_ns
from wirelab.lab.idle import watch_idle
from wirelab.lab.peer_contract import Address, MessagesPayload, Role
from wirelab.lab.peer_requests import cross_schedule, schedules
from wirelab.lab.peers import PeerSpec
from wirelab.lab.processes import Processes
from wirelab.lab.spec import (
    CROSS_CONSUMER,
    CROSS_DEVICE,
    consumers,
    devices,
    publishers,
    subscribers,
)
from wirelab.model.arrivals import ClosedLoop
from wirelab.model.coap import BLOCK_BYTES
from wirelab.model.host_role import DEVICE, PUBLISHER, SERVER
from wirelab.model.json_stream import Stream
from wirelab.model.topic import fill
from wirelab.model.trial import Cross
from wirelab.workloads import messages
from wirelab.workloads.load import planned_ns, total_messages

# Peers start this much after the command, so that all have read it by then.
LEAD_NS = 50_000_000
# The peers of cross traffic: the prefix of their names, their different messages, their capacity.
CROSS, CROSS_MESSAGES, CROSS_CAPACITY = "cross-", 2, 100_000


class LabTestbed:
    """The peers of a trial on the hosts of its lab, behind emulated links."""

    def __init__(self, processes: Processes, index: int = 0) -> None:
        """`index` is the number of the trial on its server."""
        self.processes, self._index = processes, index
        self.trial, self.hosts, self.folder = processes.trial, processes.hosts, processes.folder
        self.outcome, self.peers = processes.outcome, processes.peers
        self._largest = 0

    def serve(self) -> None:
        """Start the server, if the trial has one. Raises Unsupported, MeasurementFailed."""
        self.processes.serve()

    def connect(self) -> None:
        """Start and connect the subscribers, then the publishers."""
        # What the server sent to start, or an earlier trial to leave, is not the peers' connecting.
        self.hosts.epoch()
        trial, asks = self.trial, bool(self.trial.workload.application)
        one_way, fan_in = trial.workload.topology == "one-way", trial.workload.publishers > 1
        hosts = consumers(trial) * (trial.workload.publishers if fan_in else 1)
        number = trial.workload.publishers
        own = [fill(trial.topic, k, number, self._index) for k in range(number)]
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
            self._add_cross(trial.workload.cross, own[0])
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
        self._largest = prepared.bytes_max
        self.processes.check_distinct(prepared)

    def start(self, offset_ns: int) -> DrainLimits:
        """Start `offset_ns` late, so that concurrent trials do not send at the same moments."""
        workload = self.trial.workload
        # The link's time is late by the same: messages always meet the same points of a trace.
        time.sleep(offset_ns / 1e9)
        self.outcome.connecting = self.hosts.snapshot()
        self.hosts.epoch()
        self.processes.read_usage()
        at_ns = self.outcome.start_ns = time.monotonic_ns() + LEAD_NS
        planned = schedules(self.trial, publishers(self.trial))
        if workload.cross is not None:
            planned[f"{CROSS}{Role.PUBLISHER}"] = cross_schedule(workload.cross)
        self.processes.tell(at_ns, planned)
        begin_ns, due_ns = at_ns, planned_ns(workload, self.trial.seed)
        if workload.utilization:
            from wirelab.lab.utilization import send_at_share  # noqa: PLC0415  (it reads samples, for which others need not load numpy)

            samples = self.folder / f"{PUBLISHER}.samples"
            begin_ns, due_ns = send_at_share(self.peers.named[PUBLISHER], self.trial, samples, at_ns)
        watch = self._monitor = self._watch()
        one_by_one = workload.arrivals if isinstance(workload.arrivals, ClosedLoop) else None
        if one_by_one is not None:
            total = total_messages(workload) or 0
            send_stop_and_wait(watch, total, one_by_one.spacing_ns, self.peers.acknowledged, self.trial.seed)
        linger_ns = 0 if one_by_one is not None else watch.linger_ns
        late_ns = overload_ns(self.trial.link.exchange_s)
        return DrainLimits(begin_ns + due_ns, linger_ns, workload.drain_ns, overload_ns=late_ns)

    def look(self) -> DrainState:
        """Poll peers, server and link. Raises MeasurementFailed, WirelabError."""
        return self._monitor.state()

    def collect(self) -> None:
        """Read all counters, and stop the peers."""
        outcome = self.outcome
        outcome.elapsed_ns = time.monotonic_ns() - outcome.start_ns
        outcome.link = self.hosts.snapshot()
        self.processes.put_usage()
        if self.processes.server is not None:
            outcome.waiting = servers.seen(self.processes.server.watcher, outcome.start_ns)
        if idle_ns := self.trial.workload.idle_ns:
            exchange_s = self.trial.link.exchange_s
            outcome.idle = watch_idle(self.hosts.snapshot, idle_ns, exchange_s, self._monitor.listen)
        self.peers.stop()
        outcome.settled = all(self.peers.named[name].settled for name in publishers(self.trial))

    def _meeting(self, index: int) -> dict[str, Any]:
        """Without a server, each further publisher is reached at its own host."""
        if index == 0 or self.trial.server != "none":
            return {}
        host = devices(self.trial)[index]
        return {"server": Address(self.hosts.address(host), self.processes.port)}

    def _add_cross(self, flow: Cross, topic: str) -> None:
        """Add the two peers of the cross traffic. A header identifies its messages."""
        carried = self.folder / "cross.messages"
        messages.write(carried, messages.messages(flow.size_bytes, CROSS_MESSAGES, self.trial.seed))
        meeting = CROSS_DEVICE if self.trial.server == "none" else SERVER
        other = {
            "server": Address(self.hosts.address(meeting), self.processes.port),
            "payload": MessagesPayload(str(carried)),
            "identity": "header",
            "capacity": CROSS_CAPACITY,
        }
        for role, host in ((Role.SUBSCRIBER, CROSS_CONSUMER), (Role.PUBLISHER, CROSS_DEVICE)):
            self.peers.add([PeerSpec(role, host, f"{CROSS}{role}", f"{topic}/cross", other)])

    def _watch(self) -> DrainMonitor:
        # Larger messages are cut into blocks, unless the trial's options keep them whole.
        whole = max(BLOCK_BYTES, int(self.trial.options.get("whole_bytes", "0")))
        linger_s = self.processes.protocol.linger(self.trial.qos, one_datagram=self._largest <= whole)
        # For requests, deliveries are answers, recorded at the publisher.
        names = [PUBLISHER] if self.trial.workload.application else subscribers(self.trial)
        receiving = [self.peers.named[name] for name in names]
        sending = [self.peers.named[name] for name in publishers(self.trial)]
        return DrainMonitor(
            sending, receiving, self.processes.server, self.hosts, linger_s, self.trial.link.exchange_s
        )
