"""One trial from start to clean end, run inside its lab as a process of its own: `python -m wirelab.lab.cell FOLDER...`.

FOLDER holds trial.json; the cell leaves outcome.json, the samples and the logs there. It prints `ready` when every peer is prepared and
waits for a line `go OFFSET_NS`, so that no trial side by side measures while another starts up. Several folders are trials one after
the other on one server that is slow to start, each with peers of its own; `over` is printed after each but the last.
"""

from __future__ import annotations

import contextlib
import struct
import sys
import time
import traceback
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from wirelab.lab import servers
from wirelab.lab.binaries import find
from wirelab.lab.catalog import protocol
from wirelab.lab.hosts import LAB, Hosts, LabHosts, Loopback
from wirelab.lab.outcome import Outcome
from wirelab.lab.over import LONG_NS, POLL_S, Watch, one_by_one
from wirelab.lab.peer import Event, Peer
from wirelab.lab.process import difference, summed, usage
from wirelab.lab.spec import consumers, subscribers
from wirelab.model.errors import BadInput, MeasurementFailed, WirelabError
from wirelab.model.result import PeerInfo, Usage
from wirelab.model.trial import State, Trial, Verdict
from wirelab.workloads import messages
from wirelab.workloads.arrivals import ONE_BY_ONE, PACED_BY_THE_PEER
from wirelab.workloads.load import planned_ns, planned_times, total_messages

# Peers are told to start this much later, so that both have read the command by then.
LEAD_NS = 50_000_000
PREPARE_TIMEOUT_S = 70.0
ANSWER_TIMEOUT_S = 10.0
TOPIC = "wirelab/t"
ENCRYPTED = ("tls", "wss", "dtls", "quic")
# Work that is still being sent or still arriving this long after the last message was due: the offered rate is more than
# this combination carries here. What has not arrived by then counts as not delivered.
OVERLOAD_NS = 10_000_000_000


# Larger messages are cut into parts (RFC 7959), unless the trial's options keep them whole.
BLOCK_BYTES = 1024


class Unable(WirelabError):
    """A peer cannot do what the trial asks: the trial is skipped, not failed."""


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
    ) -> None:
        self.trial, self.hosts, self.folder, self.home = trial, hosts, folder, home or folder
        self.protocol = protocol(trial.protocol)
        self.port = port or self.protocol.port
        self.outcome = Outcome(identity=identity(trial))
        self.site = self._site()
        self.server = server
        self.peers: dict[str, Peer] = {}
        self.acknowledged = False
        self.largest = 0

    def prepare(self, topic: str = TOPIC) -> None:
        """Start the server and both peers; the subscriber is subscribed before the publisher connects."""
        trial = self.trial
        if trial.server == "none" and trial.workload.topology == "loop":
            raise Unable(
                trial.protocol, "has no server, so between two peers on one host nothing would cross the link"
            )
        if self.server is None:
            try:
                self.server = servers.start(trial.server, self.site)
            except BadInput as error:
                raise Unable(error.what, error.why, error.next_step) from None
        if self.server is not None:
            self.outcome.server = self.server.info
        uplink = trial.workload.topology == "uplink"
        for name, host in zip(subscribers(trial), consumers(trial), strict=True):
            self.add_peer("subscriber", host if uplink else "device", name, topic)
        prepared = self.add_peer("publisher", "device", "publisher", topic)
        self.outcome.connect_ns = int(prepared.get("connect_ns", 0))
        self.outcome.messages = int(prepared.get("messages", 0))
        self.largest = int(prepared.get("bytes_max", 0))
        needed = min(total_messages(trial.workload) or self.outcome.messages, self.outcome.messages)
        if self.outcome.identity == "content" and int(prepared.get("distinct", needed)) < needed:
            raise Unable(
                "payload", "this format gives different messages equal bytes, so they cannot be told apart"
            )

    def measure(self, offset_ns: int) -> None:
        """Start (`offset_ns` late, so that trials side by side do not send at the same moments), wait until every exchange is over, read all counters, stop."""
        workload = self.trial.workload
        self.hosts.epoch()
        before = self.used()
        at_ns = time.monotonic_ns() + LEAD_NS + offset_ns
        schedule = schedule_of(self.trial, self.folder)
        for peer in self.peers.values():
            self._start(peer, at_ns, schedule)
        self._wait_until_over(at_ns, workload.drain_ns)
        self.outcome.start_ns = at_ns
        self.outcome.elapsed_ns = time.monotonic_ns() - at_ns
        self.outcome.link = self.hosts.snapshot()
        after = self.used()
        self.outcome.usage = {name: difference(after[name], before[name]) for name in after}
        for role, peer in self.peers.items():
            self.outcome.counters[role] = dict(peer.counters)
            stopped = peer.command("stop", "stopped", ANSWER_TIMEOUT_S)
            self.outcome.counters[role] |= {k: v for k, v in stopped.items() if isinstance(v, int)}
        self.outcome.settled = self.peers["publisher"].settled

    def _start(self, peer: Peer, at_ns: int, schedule: dict[str, str | int | None]) -> None:
        try:
            peer.command("start", "started", ANSWER_TIMEOUT_S, at_ns=at_ns, schedule=schedule)
        except MeasurementFailed as error:
            if schedule["kind"] == "told" and peer.errors:
                raise Unable(peer.role, f"cannot send one by one: {peer.errors[-1]}") from None
            raise error from None

    def close(self, keep_server: bool = False) -> None:
        """End whatever still runs."""
        self._end_peers()
        if self.server is not None and not keep_server:
            self.server.stop()

    def _end_peers(self) -> None:
        for peer in self.peers.values():
            self.outcome.errors += peer.errors
            peer.kill()
        self.peers = {}

    def _site(self) -> servers.Site:
        """Where the server stands, with certificates of this trial where its transport is encrypted."""
        site = servers.Site(
            self.trial.protocol,
            self.port,
            self.hosts,
            self.home,
            self.trial.transport,
            self.trial.qos,
        )
        if site.transport not in ENCRYPTED:
            return site
        from wirelab.lab import certificates  # noqa: PLC0415  (30 ms that other trials need not pay)

        return replace(site, certificates=certificates.make(self.folder / "tls", site.address))

    def _options(self, offered: Collection[str]) -> dict[str, str]:
        """What the peer is asked to set: those of the trial's options that it offers, and what it needs to know of its transport."""
        options = {name: value for name, value in self.trial.options.items() if name in offered}
        if self.trial.transport:
            options["transport"] = self.trial.transport
        if self.site.certificates is not None:
            options["authority"] = str(self.site.certificates.authority)
        return options

    def _meeting_host(self) -> str:
        """Where the peers meet: at the server, or where there is none, at the publisher."""
        return "device" if self.trial.server == "none" else "server"

    def add_peer(self, role: str, host: str, name: str, topic: str = TOPIC) -> Event:
        """Start a peer and connect it; what it says of that. Raises Unable, MeasurementFailed."""
        own = self.protocol.libraries.get(self.trial.library, self.protocol.default_peer)
        argv = [self.trial.peer] if self.trial.peer else [find(own[0]), *own[1:]]
        with (self.folder / f"{name}.log").open("wb") as log:
            peer = self.peers[name] = Peer(name, self.hosts.start(host, argv, log, self.folder))
        described = peer.command("describe", "described", ANSWER_TIMEOUT_S)
        self.outcome.peer = PeerInfo(
            *(str(described.get(k, "")) for k in ("name", "library", "version", "language"))
        )
        self.outcome.delivery = able(described, self.trial, role)
        self.acknowledged = any(
            q.get("acknowledged") for q in described["qos"] if str(q.get("name")) == self.trial.qos
        )
        payload = self.trial.payload
        corpus = {"pack": payload.pack, "codec": payload.codec, "corpus": payload.corpus}
        if not payload.pack:
            corpus = {"messages": payload.corpus}
        return peer.command(
            "prepare",
            "prepared",
            PREPARE_TIMEOUT_S,
            role=role,
            protocol=self.trial.protocol,
            server={"address": self.hosts.address(self._meeting_host()), "port": self.port},
            qos=self.trial.qos,
            options=self._options(described.get("options", {})),
            topic=topic,
            client=name,
            payload=corpus,
            identity=self.outcome.identity,
            samples=str(self.folder / f"{name}.samples"),
            capacity=capacity(self.trial),
        )

    def used(self) -> dict[str, Usage]:
        """What each process has taken so far."""
        used = {role: usage(peer.process.pid) for role, peer in self.peers.items()}
        if self.server is not None:
            used["server"] = summed(usage(pid) for pid in self.server.pids())
        return used

    def _wait_until_over(self, at_ns: int, drain_ns: int) -> None:
        """Wait until all has arrived, or all is quiet for the protocol's own patience, or the drain limit is reached.

        Quiet: the publisher has settled, no byte waits in any send queue, and nothing has arrived since.
        """
        watch, publisher = self._watch(), self.peers["publisher"]
        total, due_ns = (
            total_messages(self.trial.workload) or 0,
            planned_ns(self.trial.workload, self.trial.seed),
        )
        if self.trial.workload.arrivals == ONE_BY_ONE:
            one_by_one(watch, total, self.acknowledged, self.trial.seed)
        while True:
            time.sleep(POLL_S)
            now = watch.look(watch.linger_ns > LONG_NS) if publisher.settled else watch.listen()
            if not publisher.settled:
                watch.busy(now)
            quiet_ns = now - watch.quiet_since
            if publisher.settled and watch.fewest() >= publisher.counters["sent"]:
                return
            if publisher.settled and quiet_ns > watch.linger_ns:
                return
            overdue = now - at_ns - due_ns
            sending = not publisher.settled and publisher.counters["sent"] < total
            if overdue > OVERLOAD_NS and (sending or quiet_ns < OVERLOAD_NS // 10):
                self.outcome.overloaded = True
                return
            if overdue > drain_ns:
                return

    def _watch(self) -> Watch:
        whole = max(BLOCK_BYTES, int(self.trial.options.get("whole_bytes", "0")))
        linger_s = self.protocol.linger(self.trial.qos, one_datagram=self.largest <= whole)
        receiving = [self.peers[name] for name in subscribers(self.trial)]
        return Watch(self.peers["publisher"], receiving, self.server, self.hosts, linger_s)


def schedule_of(trial: Trial, folder: Path) -> dict[str, str | int | None]:
    """The schedule as the peer contract writes it; times of an arrival process of ours are left in the folder."""
    workload = trial.workload
    if workload.arrivals == ONE_BY_ONE:
        return {"kind": "told", "count": total_messages(workload)}
    if workload.arrivals not in PACED_BY_THE_PEER:
        times = planned_times(workload, trial.seed)
        (folder / "times").write_bytes(struct.pack(f"<{len(times)}q", *times))
        return {"kind": "times", "times": str(folder / "times")}
    bounds = {"count": total_messages(workload), "duration_ns": workload.duration_ns}
    if workload.rate_hz is None:
        return {"kind": "flood", **bounds}
    return {"kind": "interval", "interval_ns": round(1e9 / workload.rate_hz), **bounds}


def capacity(trial: Trial) -> int:
    """Sample records to make room for: twice what is planned, for duplicates; 4 million where nothing bounds a flood."""
    total = total_messages(trial.workload)
    if total is None and trial.workload.rate_hz is not None and trial.workload.duration_ns is not None:
        total = int(trial.workload.duration_ns / 1e9 * trial.workload.rate_hz) + 1
    return 4_000_000 if total is None else 2 * total + 64


def identity(trial: Trial) -> str:
    """`content` where every planned message has bytes of its own, else `header` (docs/contracts/peer.md)."""
    total = total_messages(trial.workload)
    corpus = Path(trial.payload.corpus)
    try:
        lines = corpus.read_bytes().splitlines() if trial.payload.pack else messages.read(corpus)
    except (OSError, struct.error):
        return "header"
    return "content" if total is not None and len(set(lines[:total])) == total else "header"


def able(described: Event, trial: Trial, role: str) -> str:
    """What the peer's qos promises. Raises Unable, with the reason, for what it says it cannot do."""
    name = described.get("name", "peer")
    if described.get("contract") != 1:
        raise Unable(name, f"speaks contract {described.get('contract')}, not 1")
    if role not in described.get("roles", []):
        raise Unable(name, f"cannot be a {role}")
    if described.get("protocol") != trial.protocol and trial.protocol not in described.get("protocols", []):
        raise Unable(name, f"does not speak {trial.protocol}")
    offered = {str(q.get("name")): str(q.get("delivery", "")) for q in described.get("qos", [])}
    if trial.qos not in offered:
        raise Unable(name, f"has no qos {trial.qos}")
    return offered[trial.qos]


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
    except Unable as error:
        cell.outcome.verdict = Verdict(State.SKIPPED, error.sentence)
    except WirelabError as error:
        cell.outcome.verdict = Verdict(State.FAILED, error.sentence)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # What a peer or server says is foreign: an answer of the wrong shape fails this trial and no other.
        traceback.print_exc()
        cell.outcome.verdict = Verdict(State.FAILED, f"an answer of the wrong shape: {error}; see cell.log")
    finally:
        with contextlib.suppress(OSError):
            cell.close(keep_server)
        temporary = folder / "outcome.tmp"
        temporary.write_bytes(msgspec.json.encode(cell.outcome))
        temporary.replace(folder / "outcome.json")


if __name__ == "__main__":
    run([Path(folder) for folder in sys.argv[1:]])
