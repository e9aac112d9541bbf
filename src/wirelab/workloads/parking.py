"""A car park of 10 x 10 spots and its requests: a pure function of seed, number and load.

`GET car` reserves a free spot. `PUT car spot` reports that a car without reservation occupies a
spot. `DELETE car` reports that a car has left (kayal2017, IV). Cars of both kinds arrive at the
same rate as Poisson processes. The time each stays is exponentially distributed.
"""

from __future__ import annotations

import heapq
from random import Random

from msgspec import Struct

from wirelab.model import units
from wirelab.model.arrivals import Arrivals, Parking
from wirelab.model.errors import BadInput
from wirelab.model.script import Rule, Script

NAME = "parking"
SPOTS = 100
GET, PUT, DELETE = "get", "put", "delete"
KINDS = (GET, PUT, DELETE)
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
# The largest share of cars that the park may turn away.
BLOCKED = 1e-6


class Request(Struct, frozen=True):
    """One request: its time in mean gaps between requests, its kind, its car, the spot if it names one."""

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


def parse(text: str, arguments: str) -> Parking:
    """The number in `cars=5` of `parking,cars=5`. Raises BadInput if cars would be turned away."""
    if not arguments:
        return Parking()
    key, _, value = arguments.partition("=")
    if key.strip() != "cars":
        why = f"'{arguments}' unknown"
        raise BadInput(f"workload '{text}'", why, "write it like parking,cars=5")
    cars = float(units.count(value))
    if cars < 1 or erlang_b(SPOTS, cars) > BLOCKED:
        why = f"a park of {SPOTS} spots would be empty, or turn cars away"
        raise BadInput(f"workload '{text}'", why, "write it like parking,cars=5")
    return Parking(cars)


def load(arrivals: Arrivals) -> float:
    """The mean number of parked cars, in Erlang."""
    return CARS if not isinstance(arrivals, Parking) or arrivals.cars is None else arrivals.cars


def check(count: int | None, warmup: int) -> None:
    """Check that these counts consist of complete visits. Raises BadInput."""
    if count is None or count % 4 or warmup % 4:
        raise BadInput(
            f"count {count}, warmup {warmup}",
            "of every four requests one is a GET, one a PUT, two are DELETEs",
            "give multiples of four",
        )


def requests(seed: int, count: int, warmup: int = 0, load: float = CARS) -> list[Request]:
    """`warmup` requests at equal distances, then `count` requests. Both times begin at 0.

    A quarter are GETs, a quarter PUTs, and each has a DELETE.
    """
    return [*_first(warmup), *_visits(Random(seed), count // 4, warmup // 2, load)]


def kinds(seed: int, count: int, warmup: int = 0, load: float = CARS) -> list[str]:
    """The kind of each request, in the order of sending."""
    return [request.kind for request in requests(seed, count, warmup, load)]


def _first(number: int) -> list[Request]:
    """Repeated visits of two cars, one after the other, in an empty park."""
    found = []
    for at in range(0, number, 4):
        first, second = at // 2, at // 2 + 1
        visits = (GET, first, None), (PUT, second, SPOTS // 2), (DELETE, first, None), (DELETE, second, None)
        found += [Request(float(at + k), *visit) for k, visit in enumerate(visits)]
    return found


def _visits(random: Random, each: int, car: int, load: float) -> list[Request]:
    """Each kind of car arrives once in four mean gaps, so a car of a `load` stays for 2 x load gaps."""
    arrivals = sorted([(at, kind) for kind in (GET, PUT) for at in _poisson(random, each, 4.0)])
    free, leaving = set(range(SPOTS)), list[tuple[float, int, int]]()
    found: list[Request] = []
    for at, kind in arrivals:
        _leave(leaving, free, found, until=at)
        if not free:
            raise BadInput("parking", "full", "let fewer cars stay: parking,cars=5")
        # A responder reserves the lowest free spot. Cars without reservation take any.
        spot = min(free) if kind == GET else random.choice(sorted(free))
        free.remove(spot)
        found.append(Request(at, kind, car, None if kind == GET else spot))
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


def _leave(leaving: list[tuple[float, int, int]], free: set[int], found: list[Request], until: float) -> None:
    while leaving and leaving[0][0] <= until:
        at, car, spot = heapq.heappop(leaving)
        free.add(spot)
        found.append(Request(at, DELETE, car))
