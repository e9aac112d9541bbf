"""Services of responders (docs/contracts/peer.md), and the requests for them."""

from __future__ import annotations

import functools
from pathlib import Path

from wirelab.model.arrivals import Parking
from wirelab.model.errors import BadInput
from wirelab.model.script import ECHO as ECHO_SCRIPT
from wirelab.model.script import Script
from wirelab.model.suggestions import nearest
from wirelab.model.trial import Workload
from wirelab.workloads import messages, parking

ECHO = "echo"
APPLICATIONS = (ECHO, parking.NAME)
# The warm-up's requests measure the capacity for a utilization: this many at least. The first few
# of them do not count.
LEAST_WARMUP, COLD = 12, 4


def brings_messages(application: str) -> bool:
    """Whether an application defines its requests, so that a study needs no payload."""
    return application == parking.NAME


def script(application: str) -> Script:
    """What a responder does with the requests of an application."""
    return parking.SCRIPT if application == parking.NAME else ECHO_SCRIPT


def check(workload: Workload) -> None:
    """Whether application, arrivals, counts and share fit together. Raises BadInput."""
    name = workload.application
    if name and name not in APPLICATIONS:
        raise BadInput(f"service '{name}'", "unknown", nearest(name, APPLICATIONS))
    if isinstance(workload.arrivals, Parking) and name != parking.NAME:
        raise BadInput(f"workload '{workload.arrivals}'", "needs its service", "add service = parking")
    if name == parking.NAME:
        parking.check(workload.count, workload.warmup)
    if name and (workload.topology != "one-way" or workload.subscribers != 1 or workload.placement):
        raise BadInput(f"service '{name}'", "needs one subscriber behind one link", "use topology one-way")
    shares = workload.utilization
    if not shares:
        return
    if not name:
        raise BadInput("utilization", "needs a service that answers", "add service = echo")
    if not all(0 < share < 1 for share in shares) or workload.warmup < LEAST_WARMUP or workload.count is None:
        why = f"not between 0 % and 100 %, or fewer than {LEAST_WARMUP} messages of warm-up to find the capacity"
        raise BadInput(
            f"utilization {', '.join(f'{share:.0%}' for share in shares)}",
            why,
            "write it like 40%, with warmup = 24",
        )


def kinds(workload: Workload, seed: int) -> list[str]:
    """The kind of each request in the order of sending; empty if all are alike."""
    if workload.application != parking.NAME:
        return []
    return [request.kind for request in _requests(workload, seed)]


def write_requests(workload: Workload, seed: int, path: Path) -> None:
    """Write the messages that an application defines, in the format of docs/contracts/peer.md."""
    messages.write(path, [request.message for request in _requests(workload, seed)])


def service_ns(workload: Workload, seed: int, answered: dict[int, int]) -> dict[str, float]:
    """The service time of an idle application in ns, by kind and over all ("").

    It is the median over the warm-up's requests. `answered` has the times by number.
    """
    named = kinds(workload, seed)[: workload.warmup]
    times: dict[str, list[int]] = {}
    for number in range(COLD, workload.warmup):
        if number in answered:
            times.setdefault(named[number] if named else "", []).append(answered[number])
    found = {kind: _median(values) for kind, values in times.items()}
    if named and set(found) == set(parking.KINDS):
        found[""] = sum(share * found[kind] for kind, share in parking.SHARES.items())
    return found


def _median(values: list[int]) -> float:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


@functools.lru_cache(maxsize=64)
def _requests(workload: Workload, seed: int) -> tuple[parking.Request, ...]:
    load = parking.load(workload.arrivals)
    return tuple(parking.requests(seed, workload.count or 0, workload.warmup, load))
