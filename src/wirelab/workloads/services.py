"""Services of responders, and the requests for them.

`echo` sends every message back. Packages register others under the entry points `wirelab.services`:
each names a `Service`. docs/how-to/reproduce-a-study.md shows a package with one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path

from msgspec import Struct

from wirelab.model.arrivals import ServiceRequests
from wirelab.model.errors import BadInput
from wirelab.model.script import Script
from wirelab.model.suggestions import nearest
from wirelab.model.trial import Workload
from wirelab.system import entry_points
from wirelab.workloads import messages

GROUP = "wirelab.services"
ECHO = "echo"
# Requests of the warm-up measure the rate at 100 % utilization: this many at least. The first few
# of them do not count.
LEAST_WARMUP, COLD = 12, 4


class Request(Struct, frozen=True):
    """One request: its time, in mean gaps between two requests; its kind; its message."""

    at: float
    kind: str
    message: bytes


@dataclass(frozen=True)
class Service:
    """A service with requests of its own.

    `shares` are the kinds of requests, each with its share of all, in the order of display.
    `requests` gets the arguments of the workload, a seed, the count and the warm-up. It returns the
    requests of the warm-up and then `count` more; the times of both begin at 0.
    `canonical` returns the arguments in their canonical form and raises BadInput for wrong ones.
    `check` gets count and warm-up and raises BadInput where the service cannot send so many.
    """

    script: Script
    shares: Mapping[str, float]
    requests: Callable[[str, int, int, int], Sequence[Request]]
    canonical: Callable[[str], str]
    check: Callable[[int | None, int], None]


def registered() -> dict[str, EntryPoint]:
    """The entry points of all registered services, by name."""
    return entry_points.registered(GROUP)


@functools.cache
def load(name: str) -> Service:
    """A registered service. Raises BadInput."""
    known = registered()
    if name not in known:
        raise BadInput(f"service '{name}'", "unknown", nearest(name, [ECHO, *known]))
    try:
        found = known[name].load()
    except (ImportError, AttributeError) as error:
        raise BadInput(
            f"service '{name}'", f"{known[name].value}: {error}", "reinstall its package"
        ) from None
    if not isinstance(found, Service):
        raise BadInput(f"service '{name}'", f"{known[name].value} is not a Service", "correct its package")
    return found


def brings_messages(name: str) -> bool:
    """Whether a service has requests of its own, so that a study needs no payload."""
    return name not in ("", ECHO)


def script(name: str) -> Script:
    """The script of a service for its responder. Raises BadInput."""
    return load(name).script if brings_messages(name) else Script()


def kinds_of(name: str) -> tuple[str, ...]:
    """The kinds of a service's requests; empty if all are alike. Raises BadInput."""
    return tuple(load(name).shares) if brings_messages(name) else ()


def check(workload: Workload) -> None:
    """Check that service, arrivals, counts and utilization fit together. Raises BadInput."""
    name = workload.application
    if brings_messages(name):
        load(name).check(workload.count, workload.warmup)
    own = workload.arrivals
    if isinstance(own, ServiceRequests) and name != own.service:
        raise BadInput(f"workload '{own}'", "needs its service", f"add service = {own.service}")
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
    if not brings_messages(workload.application):
        return []
    return [request.kind for request in _requests(workload, seed)]


def write_requests(workload: Workload, seed: int, path: Path) -> None:
    """Write the messages of a service, in the format of docs/contracts/peer.md."""
    messages.write(path, [request.message for request in _requests(workload, seed)])


def service_ns(workload: Workload, seed: int, answered: dict[int, int]) -> dict[str, float]:
    """The service time of an idle responder in ns, by kind and over all ("").

    It is the median over the warm-up's requests. `answered` has the times by number.
    """
    named = kinds(workload, seed)[: workload.warmup]
    times: dict[str, list[int]] = {}
    for number in range(COLD, workload.warmup):
        if number in answered:
            times.setdefault(named[number] if named else "", []).append(answered[number])
    found = {kind: _median(values) for kind, values in times.items()}
    shares = load(workload.application).shares if named else {}
    if named and set(found) == set(shares):
        found[""] = sum(share * found[kind] for kind, share in shares.items())
    return found


def _median(values: list[int]) -> float:
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


@functools.lru_cache(maxsize=64)
def _requests(workload: Workload, seed: int) -> tuple[Request, ...]:
    own = workload.arrivals
    arguments = own.arguments if isinstance(own, ServiceRequests) else ""
    service = load(workload.application)
    return tuple(service.requests(arguments, seed, workload.count or 0, workload.warmup))
