"""The commands of a trial to its peers (docs/contracts/peer.md)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from wirelab.lab.peer_contract import CONTRACT, Described, Qos, Role
from wirelab.lab.protocols import protocol
from wirelab.model.arrivals import ClosedLoop
from wirelab.model.errors import BadInput, WirelabError
from wirelab.model.trial import Cross, PayloadSpec, Trial
from wirelab.workloads import messages, services
from wirelab.workloads.arrivals import is_paced_by_peer
from wirelab.workloads.load import planned_times, total_batches, total_messages
from wirelab.workloads.schedule import (
    Flood,
    Interval,
    OnCommand,
    Schedule,
    Times,
    batched,
    batched_times,
    divided,
    divided_times,
)

# The option that every peer has, and its default (docs/contracts/peer.md).
CONNECT_TIMEOUT = "connect_timeout_s"
CONNECT_TIMEOUT_S = "10"
LONGEST_CONNECT_S = 3600.0


class Unsupported(WirelabError):
    """A peer does not support the trial. The trial is skipped, not failed."""


class PeerSchedule(Struct, frozen=True):
    """The schedule of a peer, from `phase_ns` after the start; `times` if no rate determines them."""

    phase_ns: int = 0
    schedule: Schedule | None = None
    times: list[int] = []

    def written(self, path: Path) -> Schedule | None:
        """The schedule for a peer on this machine; its times are written to the file at `path`."""
        if not isinstance(self.schedule, Times):
            return self.schedule
        path.write_bytes(struct.pack(f"<{len(self.times)}q", *self.times))
        return Times(str(path))

    def in_batches(self, size: int) -> PeerSchedule:
        """The schedule of batches of messages that have this one."""
        if size == 1 or self.schedule is None:
            return self
        return PeerSchedule(*batched(self.phase_ns, self.schedule, size), batched_times(self.times, size))


def schedules(trial: Trial, publishers: Sequence[str]) -> dict[str, PeerSchedule]:
    """The schedule of each publisher by name: its part of the trial's messages, in batches."""
    return {
        name: message_schedule(trial, len(publishers), index).in_batches(trial.workload.batch)
        for index, name in enumerate(publishers)
    }


def message_schedule(trial: Trial, publishers: int, index: int) -> PeerSchedule:
    """When the messages of publisher `index` are due."""
    whole = schedule_of(trial)
    times = planned_times(trial.workload, trial.seed) if isinstance(whole, Times) else []
    return PeerSchedule(*divided(whole, publishers, index), divided_times(times, publishers, index))


def schedule_of(trial: Trial) -> Schedule:
    """When all messages of a trial are due; the file of their times is not named yet."""
    workload = trial.workload
    if isinstance(workload.arrivals, ClosedLoop) or workload.utilization:
        return OnCommand(total_messages(workload) or 0)
    if not is_paced_by_peer(workload.arrivals):
        return Times("")
    if workload.rate_hz is None:
        return Flood(total_messages(workload), workload.duration_ns)
    return Interval(round(1e9 / workload.rate_hz), total_messages(workload), workload.duration_ns)


def cross_schedule(flow: Cross) -> PeerSchedule:
    """The schedule of the cross traffic."""
    if flow.rate_hz is None:
        return PeerSchedule(flow.from_ns, Flood(duration_ns=flow.for_ns))
    return PeerSchedule(flow.from_ns, Interval(round(1e9 / flow.rate_hz), duration_ns=flow.for_ns))


def with_requests(trial: Trial, folder: Path) -> Trial:
    """The trial with the messages of its service, written to the folder, if the service has its
    own.
    """
    workload = trial.workload
    if not services.brings_messages(workload.application):
        return trial
    path = folder / "requests"
    services.write_requests(workload, trial.seed, path)
    return replace(trial, payload=PayloadSpec(str(path), "", trial.payload.codec, ""))


def connecting_s(options: dict[str, str]) -> float:
    """The connect timeout of a peer with these options, in s.

    Raises BadInput for an invalid one.
    """
    text = options.get(CONNECT_TIMEOUT, CONNECT_TIMEOUT_S)
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= LONGEST_CONNECT_S:
        why = f"'{text}' is not a number of seconds above 0, up to {LONGEST_CONNECT_S:g}"
        raise BadInput(f"option '{CONNECT_TIMEOUT}'", why, f"write {CONNECT_TIMEOUT} = {CONNECT_TIMEOUT_S}")
    return seconds


def capacity(trial: Trial) -> int:
    """The capacity for sample records: twice the planned messages, for duplicates; 4 million if a
    flood has no bound.
    """
    total = total_messages(trial.workload)
    if total is None and trial.workload.rate_hz is not None and trial.workload.duration_ns is not None:
        total = int(trial.workload.duration_ns / 1e9 * trial.workload.rate_hz) + 1
    return 4_000_000 if total is None else 2 * total + 64


def identity(trial: Trial) -> str:
    """`content` if all that is planned to be sent differs, else `header` (docs/contracts/peer.md)."""
    total = total_batches(trial.workload)
    corpus = Path(trial.payload.corpus)
    try:
        sent = _packed(trial, corpus) if trial.payload.pack else messages.read(corpus)
    except (OSError, struct.error):
        return "header"
    return "content" if total is not None and len(set(sent[:total])) == total else "header"


def _packed(trial: Trial, corpus: Path) -> Sequence[object]:
    """The lines of the corpus, or the batches of them that a pack writes."""
    lines, size = corpus.read_bytes().splitlines(), trial.workload.batch
    if size == 1:
        return lines
    begins = [k * size for k in range(total_batches(trial.workload) or 0)]
    return [tuple(lines[at % len(lines)] for at in range(begin, begin + size)) for begin in begins]


def check_capabilities(described: Described, trial: Trial, role: Role) -> Qos:
    """The qos level of a peer that the trial uses.

    Raises Unsupported if the peer does not support it.
    """
    name = described.name
    if described.contract != CONTRACT:
        raise Unsupported(name, f"speaks contract {described.contract}, not {CONTRACT}")
    if role not in described.roles:
        raise Unsupported(name, f"cannot be a {role}")
    if described.protocol != trial.protocol:
        raise Unsupported(name, f"does not speak {trial.protocol}")
    qos = next((qos for qos in described.qos if qos.name == trial.qos), None)
    if qos is None:
        raise Unsupported(name, f"has no qos {trial.qos}")
    usual = protocol(trial.protocol).transports[0]
    if trial.transport != usual and "transport" not in described.options:
        raise Unsupported(name, f"does not speak {trial.protocol} over {trial.transport}")
    return qos
