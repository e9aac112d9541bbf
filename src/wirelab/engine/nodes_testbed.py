"""One trial on several nodes, whose clocks are compared before, during and after it."""

from __future__ import annotations

import time
from contextlib import suppress
from itertools import product
from pathlib import Path

from msgspec.structs import replace

from wirelab.engine.agent_group import AgentGroup
from wirelab.engine.node_agent import AgentStatus
from wirelab.engine.ray_connection import ray
from wirelab.engine.work_unit import read_inputs
from wirelab.lab.drain_limits import DrainLimits, DrainState
from wirelab.lab.outcome import Outcome
from wirelab.lab.peer_contract import Role
from wirelab.lab.peer_requests import PeerSchedule, schedules
from wirelab.lab.process import summed
from wirelab.lab.protocols import protocol
from wirelab.model.errors import WirelabError
from wirelab.model.host_role import PUBLISHER, SUBSCRIBER, numbered, role_of
from wirelab.model.json_stream import SAME, Stream
from wirelab.model.result import ServerInfo
from wirelab.model.topic import fill
from wirelab.model.trial import Trial
from wirelab.stats.clocks import Exchange, offset
from wirelab.workloads.load import planned_ns, total_messages
from wirelab.workloads.placement import Placement
from wirelab.workloads.schedule import share

# All nodes have read the command by then.
LEAD_NS = 1_000_000_000
POLL_S = 0.1
# Clock readings before and after a trial, and per second in between.
QUESTIONS, IN_BETWEEN = 100, 5
Clocks = dict[tuple[int, int], list[Exchange]]


class NodesTestbed:
    """The processes of one trial on a group of node agents."""

    def __init__(self, trial: Trial, group: AgentGroup, folder: Path) -> None:
        self.trial, self.group, self.folder = trial, group, folder
        self.placement: Placement = group.placement
        self.outcome = Outcome()
        posts = self.placement.publishers
        self.publishers = dict(zip(numbered(PUBLISHER, len(posts)), posts, strict=True))
        pairs = list(product(range(len(self.placement.subscribers)), self.publishers))
        self.streams = [
            (publisher, subscriber, number)
            for subscriber, (number, publisher) in zip(numbered(SUBSCRIBER, len(pairs)), pairs, strict=True)
        ]
        self.pairs = {
            (at, self.publishers[publisher])
            for publisher, _, number in self.streams
            if (at := self.placement.subscribers[number]) != self.publishers[publisher]
        }
        self._before: Clocks = {}
        self._during: Clocks = {pair: [] for pair in self.pairs}
        self._received, self._quiet_since, self._asked = -1, 0, 0

    def leave(self) -> None:
        """End all processes on the nodes, and remove their files."""
        with suppress(WirelabError):
            for logs in self.group.call_all("logs"):
                for name, content in logs.items():
                    # A name from a node is a name, not a path.
                    (self.folder / Path(name).name).write_bytes(content)
        self.group.call_all("close")

    def serve(self) -> None:
        """Start the server on its node, or use the one that runs outside. Raises Unsupported."""
        outside = self.placement.outside
        if outside is not None:
            address, port = outside.host, outside.port
            self.outcome.server = ServerInfo(f"at {outside}")
        else:
            host = next(at for at, post in enumerate(self.placement.posts) if post.server)
            address = self.group.addresses[host]
            port = self.group.call_one(host, "free_port", address)
        self.group.call_all("open", self._largest(), ray.put(read_inputs([self.trial])), address, port)
        if outside is None:
            self.outcome.server = self.group.call_one(host, "serve")

    def connect(self) -> None:
        """Start and connect the subscribers, then the publishers."""
        for k, (_, subscriber, number) in enumerate(self.streams):
            at = self.placement.subscribers[number]
            topic = self._topic(k % len(self.publishers))
            self.group.call_one(at, "connect", Role.SUBSCRIBER, subscriber, topic)
        for k, (publisher, at) in enumerate(self.publishers.items()):
            prepared = self.group.call_one(at, "connect", Role.PUBLISHER, publisher, self._topic(k))
            self.outcome.connect_ns = max(self.outcome.connect_ns, prepared.connect_ns)
            self.outcome.messages = prepared.messages

    def _topic(self, publisher: int) -> str:
        """Each publisher has its own topic, and each subscriber one process per topic.

        Sequence numbers of different publishers thus cannot be confused.
        """
        return fill(self.trial.topic, publisher, len(self.publishers), 0)

    def _largest(self) -> Trial:
        """The trial of the publisher that sends most: every peer makes room for as many."""
        workload, number = self.trial.workload, len(self.publishers)
        total = total_messages(workload)
        rate = workload.rate_hz / number if workload.rate_hz else None
        count = share(total, number, 0) if total is not None else None
        return replace(self.trial, workload=replace(workload, count=count, warmup=0, rate_hz=rate))

    def start(self, offset_ns: int) -> DrainLimits:
        """Start at one moment of the first subscriber's clock, converted for each node."""
        first = self.placement.subscribers[0]
        self._before = self._ask_clocks(QUESTIONS)
        clocks = {pair: offset(seen, (), seen) for pair, seen in self._before.items()}
        self.outcome.start_ns = self.group.call_one(first, "clock") + LEAD_NS + offset_ns
        planned: dict[int, dict[str, PeerSchedule]] = {at: {} for at in range(len(self.group.agents))}
        for name, own in schedules(self.trial, list(self.publishers)).items():
            planned[self.publishers[name]][name] = own
        self.group.call_each(
            {
                at: ("start", clocks.get((first, at), SAME).there(self.outcome.start_ns), own)
                for at, own in planned.items()
            }
        )
        begun = time.monotonic_ns() + LEAD_NS
        self._quiet_since = self._asked = begun
        due_ns = planned_ns(self.trial.workload, self.trial.seed)
        linger_ns = int(protocol(self.trial.protocol).linger(self.trial.qos) * 1e9)
        # A flood has no planned times that its messages could miss.
        return DrainLimits(begun + due_ns, linger_ns, self.trial.workload.drain_ns, due_ns > 0, POLL_S)

    def _ask_clocks(self, number: int) -> Clocks:
        """Each subscriber's node reads the clock of each publisher's, one pair at a time."""
        return {
            (own, other): self.group.call_one(own, "exchanges", self.group.agents[other], number)
            for own, other in sorted(self.pairs)
        }

    def look(self) -> DrainState:
        """Poll all nodes and, once per second, the differences of their clocks."""
        looked: list[AgentStatus] = self.group.call_all("look")
        now = time.monotonic_ns()
        counters = {name: counted for one in looked for name, counted in one.counters.items()}
        settled = self.outcome.settled = sum(len(one.settled) for one in looked) >= len(self.publishers)
        received = sum(counters[name]["received"] for _, name, _ in self.streams)
        if received != self._received or not settled:
            self._received, self._quiet_since = received, now
        if now - self._asked > 1e9:
            self._asked = now
            for pair, more in self._ask_clocks(IN_BETWEEN).items():
                self._during[pair] += more
        complete = all(counters[s]["received"] >= counters[p]["sent"] for p, s, _ in self.streams)
        return DrainState(now, settled, complete, now - self._quiet_since)

    def collect(self) -> None:
        """Collect counters, usage and samples.

        Steal time is that of the node with the largest share.
        """
        after = self._ask_clocks(QUESTIONS)
        clocks = {pair: offset(self._before[pair], self._during[pair], after[pair]) for pair in self.pairs}
        said = self.group.call_all("stop")
        outcome = self.outcome
        ended_ns = self.group.call_one(self.placement.subscribers[0], "clock")
        outcome.elapsed_ns = ended_ns - outcome.start_ns
        first = said[self.placement.subscribers[0]]
        outcome.peer, outcome.delivery, outcome.identity = first.peer, first.delivery, first.identity
        for one in said:
            outcome.counters |= one.counters
            outcome.errors += one.errors
            outcome.stolen = max(outcome.stolen, one.stolen)
        used = {name: usage for one in said for name, usage in one.usage.items()}
        outcome.usage = {
            role: summed(u for name, u in used.items() if role_of(name) == role)
            for role in dict.fromkeys(map(role_of, used))
        }
        for at, one in enumerate(said):
            for name in one.counters:
                self.group.call_one(at, "samples", name).tofile(self.folder / f"{name}.samples")
        outcome.streams = tuple(
            Stream(p, s, number, clocks.get((self.placement.subscribers[number], self.publishers[p]), SAME))
            for p, s, number in self.streams
        )
