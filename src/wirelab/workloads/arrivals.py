"""Arrival processes: send times as a pure function of process, mean rate, seed and bound.

As users write them:

- `constant-rate`: every 1/rate
- `poisson`: independent of each other, exponential gaps of mean 1/rate
- `burst,on=1s,off=4s`: at the rate while on, nothing while off
- `stages,10/s:5s,100/s:10s`: one rate after another; `10/s>100/s:10s` ramps from one to the other
- `epochs,2000:3`: in epoch e = 1..3, 2000 e messages at the rate
- `replay,FILE`: at recorded times, seconds, one a line
- `NAME,...`: as the requests of the service NAME are due (services.py)
- `search,100/s>100000/s:20s`: at rising rates, to find the highest carried (rate_search.py)
- `closed-loop`: the next when the previous exchange is over
- `closed-loop,spacing=10s`: also advances the link's time, as if messages were 10 s apart
- `closed-loop,spread`: so far apart that the messages are spread over the link's whole trace
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import count, pairwise
from pathlib import Path
from random import Random

from wirelab.model import units
from wirelab.model.arrivals import (
    Arrivals,
    Burst,
    ClosedLoop,
    ConstantRate,
    Epochs,
    Poisson,
    Replay,
    Search,
    ServiceRequests,
    Stage,
    Stages,
)
from wirelab.model.errors import BadInput
from wirelab.model.suggestions import nearest
from wirelab.workloads import epochs, rate_search, services

# Old names, which are still accepted.
OLD_NAMES = {"interval": "constant-rate", "one-by-one": "closed-loop"}
MAX_TIMES = 10_000_000
MAX_REPLAY_BYTES = 64 << 20


def parse(text: str) -> Arrivals:
    """The arrival process that a text names. Old names are accepted.

    Raises BadInput, with the nearest name for an unknown one.
    """
    name, _, arguments = text.partition(",")
    name, arguments = name.strip(), arguments.strip()
    name = OLD_NAMES.get(name, name)
    if name in PARSERS:
        return PARSERS[name](text, arguments)
    if name not in services.registered():
        known = [*PARSERS, *services.registered()]
        raise BadInput(f"workload '{text}'", "unknown", nearest(name, known))
    return ServiceRequests(name, services.load(name).canonical(arguments))


def canonical(text: str) -> str:
    """The current text for the same process. Raises BadInput."""
    return str(parse(text))


def check(arrivals: Arrivals, rate_hz: float | None) -> None:
    """Check that process and rate determine the times. Raises BadInput."""
    if rate_hz is None and isinstance(arrivals, Poisson | Burst | Epochs | ServiceRequests | ClosedLoop):
        raise BadInput(f"workload '{arrivals}'", "needs a rate", "give a rate, like 5/s")
    if isinstance(arrivals, Replay):
        recorded_times(arrivals)


def is_paced_by_peer(arrivals: Arrivals) -> bool:
    """Whether the peer needs no list of times."""
    return isinstance(arrivals, ConstantRate | ClosedLoop)


def ends(arrivals: Arrivals) -> bool:
    """Whether the process ends by itself."""
    return isinstance(arrivals, Stages | Epochs | Replay | Search)


def times_ns(
    arrivals: Arrivals, rate_hz: float | None, seed: int, most: int | None, duration_ns: int | None
) -> list[int]:
    """Intended send times in ns from the start, ascending: at most `most`, all before
    `duration_ns`.

    Raises BadInput.
    """
    if isinstance(arrivals, ServiceRequests):
        gap_ns = 1e9 / (rate_hz or 1.0)
        requests = services.load(arrivals.service).requests(arrivals.arguments, seed, most or 0, 0)
        return [round(request.at * gap_ns) for request in requests]
    times: list[int] = []
    for second in seconds(arrivals, rate_hz, seed):
        time = round(second * 1e9)
        if (most is not None and len(times) >= most) or (duration_ns is not None and time >= duration_ns):
            break
        if len(times) == MAX_TIMES:
            raise BadInput(
                f"workload '{arrivals}'", f"more than {MAX_TIMES:,} messages", "give a smaller count"
            )
        times.append(time)
    return times


def seconds(arrivals: Arrivals, rate_hz: float | None, seed: int) -> Iterator[float]:
    """Intended send times in s from 0, ascending. Raises BadInput."""
    rate = rate_hz or 1.0
    match arrivals:
        case Poisson():
            times = _poisson(rate, Random(seed))
        case Burst():
            times = _burst(rate, arrivals)
        case Stages():
            times = _stages(arrivals)
        case Epochs():
            times = (i / rate for i in range(epochs.total(arrivals.first, arrivals.number)))
        case Replay():
            times = iter(recorded_times(arrivals))
        case Search():
            times = rate_search.times(rate_search.steps(arrivals))
        case _:
            times = (i / rate for i in count())
    return times


def _poisson(rate: float, random: Random) -> Iterator[float]:
    at = 0.0
    while True:
        yield at
        at += random.expovariate(rate)


def _burst(rate: float, burst: Burst) -> Iterator[float]:
    on, off = burst.on_ns / 1e9, burst.off_ns / 1e9
    number = max(1, math.floor(on * rate + 1e-9))
    return (period * (on + off) + i / rate for period in count() for i in range(number))


def _stages(arrivals: Stages) -> Iterator[float]:
    """The i-th arrival is where the integral of the rate reaches i.

    With a ramp from a to b over T: a t + (b - a) t^2 / 2T = i.
    """
    begin, done = 0.0, 0.0
    for stage in arrivals.stages:
        duration = stage.duration_ns / 1e9
        messages = (stage.from_hz + stage.to_hz) / 2 * duration
        first = math.ceil(done - 1e-9)
        for i in range(first, math.ceil(done + messages - 1e-9)):
            yield begin + _reached(max(0.0, i - done), stage.from_hz, stage.to_hz, duration)
        begin, done = begin + duration, done + messages


def _reached(messages: float, low: float, high: float, lasts: float) -> float:
    slope = (high - low) / lasts
    if abs(slope) < 1e-12:
        return messages / low
    return (math.sqrt(max(0.0, low * low + 2 * slope * messages)) - low) / slope


def recorded_times(replay: Replay) -> list[float]:
    """The times of a recording, in s. Raises BadInput."""
    path = Path(replay.path)
    try:
        if path.stat().st_size > MAX_REPLAY_BYTES:
            raise BadInput(f"times {path}", "larger than 64 MiB", "give fewer times")
        times = [float(line) for line in path.read_text().split()]
    except OSError as error:
        why = error.strerror or str(error)
        raise BadInput(f"times {path}", why, "write it like replay,times.txt") from None
    except ValueError as error:
        raise BadInput(f"times {path}", str(error), "one time in seconds a line") from None
    ascending = all(a <= b for a, b in pairwise(times))
    if not times or not ascending or times[0] < 0 or not math.isfinite(times[-1]):
        why = "empty, negative or going backwards"
        raise BadInput(f"times {path}", why, "one time in seconds a line")
    return times


def _without_arguments(arrivals: Arrivals) -> Callable[[str, str], Arrivals]:
    def parse_name(text: str, arguments: str) -> Arrivals:
        if arguments:
            raise BadInput(
                f"workload '{text}'", f"{arrivals} takes no parameter", f"write it like {arrivals}"
            )
        return arrivals

    return parse_name


def _parse_burst(text: str, arguments: str) -> Arrivals:
    parts = dict(_key_value(part) for part in arguments.split(","))
    if set(parts) != {"on", "off"}:
        raise BadInput(f"workload '{text}'", "needs on and off", "write it like burst,on=1s,off=4s")
    return Burst(units.duration_ns(parts["on"]), units.duration_ns(parts["off"]))


def _parse_stages(text: str, arguments: str) -> Arrivals:
    if not arguments:
        raise BadInput(f"workload '{text}'", "no stage", "write it like stages,10/s:5s,100/s:10s")
    return Stages(tuple(_parse_stage(text, part.strip()) for part in arguments.split(",")))


def _parse_stage(text: str, part: str) -> Stage:
    rates, _, duration = part.rpartition(":")
    first, _, last = rates.partition(">")
    low, high = units.rate_hz(first), units.rate_hz(last or first)
    duration_ns = units.duration_ns(duration)
    if low is None or high is None or duration_ns <= 0:
        why = f"'{part}' is not a stage"
        raise BadInput(f"workload '{text}'", why, "write it like 10/s:5s or 10/s>100/s:5s")
    return Stage(low, high, duration_ns)


def _parse_closed_loop(text: str, arguments: str) -> Arrivals:
    key, value = _key_value(arguments)
    if key == "spread" and not value:
        return ClosedLoop(spread=True)
    if arguments and key not in ("spacing", "apart"):
        example = "write it like closed-loop,spacing=10s or closed-loop,spread"
        raise BadInput(f"workload '{text}'", f"'{arguments}' unknown", example)
    return ClosedLoop(units.duration_ns(value) if arguments else 0)


def _key_value(part: str) -> tuple[str, str]:
    key, _, value = part.partition("=")
    return key.strip(), value.strip()


PARSERS: dict[str, Callable[[str, str], Arrivals]] = {
    "constant-rate": _without_arguments(ConstantRate()),
    "poisson": _without_arguments(Poisson()),
    "burst": _parse_burst,
    "stages": _parse_stages,
    "epochs": epochs.parse,
    "replay": lambda _, path: Replay(path),
    "search": rate_search.parse,
    "closed-loop": _parse_closed_loop,
}
