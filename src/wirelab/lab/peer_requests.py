"""What a trial asks of its peers, in the words of docs/contracts/peer.md."""

from __future__ import annotations

import struct
from pathlib import Path

from msgspec.structs import replace

from wirelab.lab.peer import Event
from wirelab.lab.protocols import protocol
from wirelab.model.arrivals import ClosedLoop
from wirelab.model.errors import BadInput, WirelabError
from wirelab.model.trial import Cross, PayloadSpec, Trial
from wirelab.workloads import applications, messages
from wirelab.workloads.arrivals import is_paced_by_peer
from wirelab.workloads.load import planned_times, total_messages
from wirelab.workloads.partition import divided, divided_times

# The option that every peer has, and what peers take it for where it is not given (docs/contracts/peer.md).
CONNECT_TIMEOUT = "connect_timeout_s"
CONNECT_TIMEOUT_S = "10"
LONGEST_CONNECT_S = 3600.0


class Unable(WirelabError):
    """A peer cannot do what the trial asks: the trial is skipped, not failed."""


def schedule_of(trial: Trial, folder: Path) -> dict[str, str | int | None]:
    """The schedule as the peer contract writes it; times of an arrival process of ours are left in the folder."""
    workload = trial.workload
    if isinstance(workload.arrivals, ClosedLoop) or workload.utilization:
        return {"kind": "told", "count": total_messages(workload)}
    if not is_paced_by_peer(workload.arrivals):
        times = planned_times(workload, trial.seed)
        (folder / "times").write_bytes(struct.pack(f"<{len(times)}q", *times))
        return {"kind": "times", "times": str(folder / "times")}
    bounds = {"count": total_messages(workload), "duration_ns": workload.duration_ns}
    if workload.rate_hz is None:
        return {"kind": "flood", **bounds}
    return {"kind": "interval", "interval_ns": round(1e9 / workload.rate_hz), **bounds}


def divide(
    schedule: dict[str, str | int | None], trial: Trial, folder: Path
) -> list[tuple[int, dict[str, str | int | None]]]:
    """What each of several publishers sends of it, and by how many ns later it begins."""
    number = trial.workload.publishers
    if number == 1:
        return [(0, schedule)]
    found = []
    for index in range(number):
        phase_ns, own = divided(schedule, number, index)
        if own["kind"] == "times":
            times = divided_times(planned_times(trial.workload, trial.seed), number, index)
            path = folder / f"times-{index}"
            path.write_bytes(struct.pack(f"<{len(times)}q", *times))
            own["times"] = str(path)
        found.append((phase_ns, own))
    return found


def cross_schedule(flow: Cross) -> dict[str, str | int | None]:
    """The schedule of the flow beside the measured one, as the peer contract writes it."""
    if flow.rate_hz is None:
        return {"kind": "flood", "count": None, "duration_ns": flow.for_ns}
    return {
        "kind": "interval",
        "interval_ns": round(1e9 / flow.rate_hz),
        "count": None,
        "duration_ns": flow.for_ns,
    }


def with_requests(trial: Trial, folder: Path) -> Trial:
    """The trial with the messages of its application, left in the folder, where that brings its own."""
    workload = trial.workload
    if not applications.brings_messages(workload.application):
        return trial
    path = folder / "requests"
    applications.write_requests(workload, trial.seed, path)
    return replace(trial, payload=PayloadSpec(str(path), "", trial.payload.codec, ""))


def connecting_s(options: dict[str, str]) -> float:
    """How long a peer with these options may take to connect, s. Raises BadInput where that is no such time."""
    text = options.get(CONNECT_TIMEOUT, CONNECT_TIMEOUT_S)
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= LONGEST_CONNECT_S:
        why = f"'{text}' is no number of seconds above 0, up to {LONGEST_CONNECT_S:g}"
        raise BadInput(f"option '{CONNECT_TIMEOUT}'", why, f"write {CONNECT_TIMEOUT} = {CONNECT_TIMEOUT_S}")
    return seconds


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
    usual = protocol(trial.protocol).transports[0]
    if trial.transport != usual and "transport" not in described.get("options", {}):
        raise Unable(name, f"does not speak {trial.protocol} over {trial.transport}")
    return offered[trial.qos]
