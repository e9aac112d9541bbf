"""When messages are sent: each arrival process a pure function of its text, the mean rate, a seed and a bound.

`interval`                       every 1/rate
`poisson`                        independent of each other: exponential gaps of mean 1/rate
`burst,on=1s,off=4s`             at the rate while on, nothing while off
`stages,10/s:5s,100/s:10s`       one rate after another; `10/s>100/s:10s` ramps from one to the other
`epochs,2000:3`                  in epoch e = 1..3, 2000 e messages at the rate
`replay,FILE`                    at recorded times: seconds, one a line
`parking,cars=5`                as cars come to a car park and leave it, with the application of that name (parking.py)
`search,100/s>100000/s:20s`      at rates that rise step by step, to find the highest that is carried (search.py)
`one-by-one`                     the next when the exchange before it is over
`one-by-one,apart=10s`           and the link's time moved on, as if the next came so much later
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import count, pairwise
from pathlib import Path
from random import Random

from wirelab.model import units
from wirelab.model.errors import BadInput
from wirelab.model.suggestions import nearest
from wirelab.workloads import epochs, parking, rate_search

INTERVAL, ONE_BY_ONE = "interval", "one-by-one"
SEARCH = "search"
KINDS = (INTERVAL, "poisson", "burst", "stages", "epochs", "replay", SEARCH, parking.NAME, ONE_BY_ONE)
MAX_TIMES = 10_000_000
MAX_REPLAY_BYTES = 64 << 20


def kind(text: str) -> str:
    """The arrival process a text names. Raises BadInput with the nearest name."""
    name = text.partition(",")[0].strip()
    if name not in KINDS:
        raise BadInput(f"workload '{text}'", "unknown", nearest(name, KINDS))
    return name


def check(text: str, rate_hz: float | None) -> None:
    """Whether a text says when messages are sent. Raises BadInput."""
    name = kind(text)
    if name == INTERVAL and "," in text:
        raise BadInput(f"workload '{text}'", f"{name} takes nothing", f"write it like {name}")
    if name == ONE_BY_ONE:
        apart_ns(text)
    if rate_hz is None and name in ("poisson", "burst", "epochs", ONE_BY_ONE):
        raise BadInput(f"workload '{text}'", "has no rate to go by", "give a rate, like 5/s")
    if name == parking.NAME:
        parking.cars(text)
        if rate_hz is None:
            raise BadInput(f"workload '{text}'", "has no rate to go by", "give a rate, like 50/s")
    elif not paced_by_the_peer(text):
        next(iter(seconds(text, rate_hz, 0)), None)


def one_by_one(text: str) -> bool:
    """Whether each message waits for the exchange before it."""
    return kind(text) == ONE_BY_ONE


def apart_ns(text: str) -> int:
    """How far apart messages one by one meet the link, in ns of its own time; 0 where only as far as they are. Raises BadInput."""
    rest = text.partition(",")[2].strip()
    key, _, value = rest.partition("=")
    if rest and key.strip() != "apart":
        raise BadInput(f"workload '{text}'", f"'{rest}' unknown", f"write it like {ONE_BY_ONE},apart=10s")
    return units.duration_ns(value) if rest else 0


def paced_by_the_peer(text: str) -> bool:
    """Whether the peer needs no list of times."""
    return kind(text) in (INTERVAL, ONE_BY_ONE)


def ends(text: str) -> bool:
    """Whether the process ends by itself."""
    return kind(text) in ("stages", "epochs", "replay", SEARCH)


def times_ns(
    text: str, rate_hz: float | None, seed: int, most: int | None, duration_ns: int | None
) -> list[int]:
    """Planned times in ns from the start, ascending: at most `most`, all before `duration_ns`. Raises BadInput."""
    if kind(text) == parking.NAME:
        gap_ns = 1e9 / (rate_hz or 1.0)
        return [round(one.at * gap_ns) for one in parking.requests(seed, most or 0, load=parking.cars(text))]
    found: list[int] = []
    for second in seconds(text, rate_hz, seed):
        at = round(second * 1e9)
        if (most is not None and len(found) >= most) or (duration_ns is not None and at >= duration_ns):
            break
        if len(found) == MAX_TIMES:
            raise BadInput(f"workload '{text}'", f"more than {MAX_TIMES:,} messages", "give a smaller count")
        found.append(at)
    return found


def seconds(text: str, rate_hz: float | None, seed: int) -> Iterator[float]:
    """Arrival times in s from 0, ascending. Raises BadInput."""
    name, rest = kind(text), [part.strip() for part in text.split(",")[1:]]
    rate = rate_hz or 1.0
    if name == "poisson":
        return _poisson(rate, Random(seed)) if not rest else _refuse(text, "poisson takes nothing", "poisson")
    others: dict[str, Callable[[], Iterator[float]]] = {
        "burst": lambda: _burst(rate, text, rest),
        "stages": lambda: _stages(text, rest),
        "epochs": lambda: (i / rate for i in range(epochs.total(*epochs.read(text)))),
        "replay": lambda: iter(_replay(rest)),
        SEARCH: lambda: rate_search.times(rate_search.steps(text)),
    }
    if name in others:
        return others[name]()
    return (i / rate for i in count())


def _refuse(text: str, why: str, example: str) -> Iterator[float]:
    raise BadInput(f"workload '{text}'", why, f"write it like {example}")


def _poisson(rate: float, random: Random) -> Iterator[float]:
    at = 0.0
    while True:
        yield at
        at += random.expovariate(rate)


def _burst(rate: float, text: str, rest: list[str]) -> Iterator[float]:
    given = dict(part.partition("=")[::2] for part in rest)
    if set(given) != {"on", "off"}:
        return _refuse(text, "needs on and off", "burst,on=1s,off=4s")
    on, off = (units.duration_ns(given[key]) / 1e9 for key in ("on", "off"))
    each = max(1, math.floor(on * rate + 1e-9))
    return (period * (on + off) + i / rate for period in count() for i in range(each))


def _stages(text: str, rest: list[str]) -> Iterator[float]:
    """The i-th arrival is where the integral of the rate reaches i: with a ramp from a to b over T, a t + (b - a) t^2 / 2T = i."""
    if not rest:
        return _refuse(text, "no stage", "stages,10/s:5s,100/s:10s")
    stages = [_stage(text, part) for part in rest]

    def arrivals() -> Iterator[float]:
        begin, done = 0.0, 0.0
        for low, high, lasts in stages:
            whole = (low + high) / 2 * lasts
            first = math.ceil(done - 1e-9)
            for i in range(first, math.ceil(done + whole - 1e-9)):
                yield begin + _reached(max(0.0, i - done), low, high, lasts)
            begin, done = begin + lasts, done + whole

    return arrivals()


def _reached(messages: float, low: float, high: float, lasts: float) -> float:
    slope = (high - low) / lasts
    if abs(slope) < 1e-12:
        return messages / low
    return (math.sqrt(max(0.0, low * low + 2 * slope * messages)) - low) / slope


def _stage(text: str, part: str) -> tuple[float, float, float]:
    rates, _, lasting = part.rpartition(":")
    first, _, last = rates.partition(">")
    low, high = units.rate_hz(first), units.rate_hz(last or first)
    lasts = units.duration_ns(lasting) / 1e9
    if low is None or high is None or lasts <= 0:
        raise BadInput(
            f"workload '{text}'", f"'{part}' is no stage", "write it like 10/s:5s or 10/s>100/s:5s"
        )
    return low, high, lasts


def _replay(rest: list[str]) -> list[float]:
    path = Path(",".join(rest))
    try:
        if path.stat().st_size > MAX_REPLAY_BYTES:
            raise BadInput(f"times {path}", "larger than 64 MiB", "give fewer times")
        found = [float(line) for line in path.read_text().split()]
    except OSError as error:
        raise BadInput(
            f"times {path}", error.strerror or str(error), "write it like replay,times.txt"
        ) from None
    except ValueError as error:
        raise BadInput(f"times {path}", str(error), "one time in seconds a line") from None
    ascending = all(a <= b for a, b in pairwise(found))
    if not found or not ascending or found[0] < 0 or not math.isfinite(found[-1]):
        raise BadInput(f"times {path}", "empty, negative or going backwards", "one time in seconds a line")
    return found
