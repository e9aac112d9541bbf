"""The service `parking`: a car park of 10 x 10 spots and its requests.

`GET car` reserves a free spot. `PUT car spot` reports that a car without reservation occupies a
spot. `DELETE car` reports that a car has left (kayal2017, IV). Cars of both kinds arrive at the
same rate as Poisson processes. The time each stays is exponentially distributed. The requests are a
pure function of seed, number and load.
"""

from __future__ import annotations

import heapq
from random import Random

from msgspec import Struct

from wirelab.model import units
from wirelab.model.errors import BadInput
from wirelab.model.script import Rule, Script
from wirelab.workloads.services import Request, Service

SPOTS = 100
GET, PUT, DELETE = "get", "put", "delete"
SHARES = {GET: 0.25, PUT: 0.25, DELETE: 0.5}
SCRIPT = Script(
    pools={"spot": SPOTS},
    on={
        "GET": Rule("take", "{number}", "spot"),
        "PUT": Rule("hold", "{number}", "spot"),
        "DELETE": Rule("release", "{number}", "spot"),
    },
)
# Mean number of parked cars, the default of `cars=`.
CARS = 5.0
# The largest share of cars that a car park may turn away.
BLOCKED = 1e-6


class Visit(Struct, frozen=True):
    """One request of a car: its time in mean gaps between requests, and the spot if it names one."""

    at: float
    kind: str
    car: int
    spot: int | None = None

    @property
    def message(self) -> bytes:
        """The text of the request (docs/contracts/peer.md)."""
        spot = "" if self.spot is None else f" {self.spot}"
        return f"{self.kind.upper()} {self.car}{spot}".encode()


def erlang_b(servers: int, load: float) -> float:
    """The share of arrivals that find all servers of an M/M/s/s queue busy; `load` in Erlang."""
    blocked = 1.0
    for k in range(1, servers + 1):
        blocked = load * blocked / (k + load * blocked)
    return blocked


def canonical(arguments: str) -> str:
    """The arguments of `parking,cars=5`. Raises BadInput for a load that turns cars away."""
    return f"cars={load(arguments):g}" if arguments else ""


def load(arguments: str) -> float:
    """The mean number of parked cars, in Erlang. Raises BadInput."""
    if not arguments:
        return CARS
    key, _, value = arguments.partition("=")
    what, example = f"workload 'parking,{arguments}'", "write it like parking,cars=5"
    if key.strip() != "cars":
        raise BadInput(what, f"'{arguments}' unknown", example)
    cars = float(units.count(value))
    if cars < 1 or erlang_b(SPOTS, cars) > BLOCKED:
        raise BadInput(what, f"a park of {SPOTS} spots would be empty, or turn cars away", example)
    return cars


def check(count: int | None, warmup: int) -> None:
    """Check that these counts consist of complete visits. Raises BadInput."""
    if count is None or count % 4 or warmup % 4:
        raise BadInput(
            f"count {count}, warmup {warmup}",
            "of every four requests one is a GET, one a PUT, two are DELETEs",
            "give multiples of four",
        )


def requests(arguments: str, seed: int, count: int, warmup: int) -> list[Request]:
    """The requests of a trial: `warmup` at equal distances, then `count`. Raises BadInput."""
    found = visits(seed, count, warmup, load(arguments))
    return [Request(visit.at, visit.kind, visit.message) for visit in found]


def visits(seed: int, count: int, warmup: int = 0, cars: float = CARS) -> list[Visit]:
    """`warmup` requests at equal distances, then `count` requests. Both times begin at 0.

    A quarter are GETs, a quarter PUTs, and each has a DELETE.
    """
    return [*_first(warmup), *_visits(Random(seed), count // 4, warmup // 2, cars)]


def _first(number: int) -> list[Visit]:
    """Repeated visits of two cars, one after the other, in an empty park."""
    found = []
    for at in range(0, number, 4):
        first, second = at // 2, at // 2 + 1
        visits = (GET, first, None), (PUT, second, SPOTS // 2), (DELETE, first, None), (DELETE, second, None)
        found += [Visit(float(at + k), *visit) for k, visit in enumerate(visits)]
    return found


def _visits(random: Random, each: int, car: int, load: float) -> list[Visit]:
    """Each kind of car arrives once in four mean gaps, so a car of a `load` stays for 2 x load
    gaps.
    """
    arrivals = sorted([(at, kind) for kind in (GET, PUT) for at in _poisson(random, each, 4.0)])
    free, leaving = set(range(SPOTS)), list[tuple[float, int, int]]()
    found: list[Visit] = []
    for at, kind in arrivals:
        _leave(leaving, free, found, until=at)
        if not free:
            raise BadInput("parking", "full", "let fewer cars stay: parking,cars=5")
        # A responder reserves the lowest free spot. Cars without reservation take any.
        spot = min(free) if kind == GET else random.choice(sorted(free))
        free.remove(spot)
        found.append(Visit(at, kind, car, None if kind == GET else spot))
        heapq.heappush(leaving, (at + random.expovariate(1 / (2 * load)), car, spot))
        car += 1
    _leave(leaving, free, found, until=float("inf"))
    return found


def _poisson(random: Random, number: int, gap: float) -> list[float]:
    at, found = 0.0, []
    for _ in range(number):
        at += random.expovariate(1 / gap)
        found.append(at)
    return found


def _leave(leaving: list[tuple[float, int, int]], free: set[int], found: list[Visit], until: float) -> None:
    while leaving and leaving[0][0] <= until:
        at, car, spot = heapq.heappop(leaving)
        free.add(spot)
        found.append(Visit(at, DELETE, car))


SERVICE = Service(SCRIPT, SHARES, requests, canonical, check)
