"""What a user needs: `loss=0`, `p99<1s`, `bytes<500B`; and whether an estimate shows it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from wirelab.model import units
from wirelab.model.answer import Held, Met, Need
from wirelab.model.errors import BadInput
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import METRICS, metric

_NEED = re.compile(r"^\s*([A-Za-z_0-9]+)\s*(<=|>=|<|>|==|=)\s*(\S.*?)\s*$")
_LIMITS: dict[str, Callable[[str], float | None]] = {
    "ns": units.duration_ns,
    "B": units.size_bytes,
    "fraction": units.fraction,
    "1/s": units.rate_hz,
}


def parse_need(text: str) -> Need:
    """One need, as written on the command line. Raises BadInput with the nearest metric or the unit wanted."""
    match = _NEED.match(text)
    if match is None:
        raise BadInput(f"need '{text}'", "not a condition", "write it like loss=0, p99<1s or bytes<=500B")
    known = metric(match[1])
    relation = "=" if match[2] == "==" else match[2]
    if relation == "=" and known.name != "loss":
        raise BadInput(
            f"need '{text}'", f"{match[1]} is never exactly a value", f"write {match[1]}<={match[3]}"
        )
    limit = _LIMITS[known.unit](match[3])
    if limit is None:
        raise BadInput(f"need '{text}'", "max is no limit", "write it like throughput>=500/s")
    return Need(text.strip(), known.name, relation, float(limit))


def parse_needs(texts: Sequence[str]) -> tuple[Need, ...]:
    """Several needs; all have to be met. Raises BadInput."""
    return tuple(parse_need(text) for text in texts)


def parse_objectives(names: Sequence[str]) -> tuple[str, ...]:
    """Names of metrics to rank by (`latency`, `bytes`) as metric names. Raises BadInput."""
    return tuple(metric(name).name for name in names)


def judge(need: Need, estimates: dict[str, Estimate]) -> Met:
    """Does the estimate show the need?

    It holds if the whole interval meets it, fails if none of the interval does, and is not shown in
    between, or where too few values bound the interval. `loss=0` means that no loss was seen; the bound is
    said beside it.
    """
    estimate = estimates.get(need.metric)
    if estimate is None:
        return Met(need.text, Held.NOT_SHOWN, "not measured")
    if need.relation == "=" and need.limit == 0:
        return _no_loss(need, estimate)
    meets = _relation(need)
    if estimate.open_above and need.relation in ("<", "<="):
        if not meets(estimate.low):
            return Met(need.text, Held.FAILS, str(estimate))
        why = f"{estimate}: too few messages ({estimate.n}) to bound it from above"
        return Met(need.text, Held.NOT_SHOWN, why)
    ends = (meets(estimate.low), meets(estimate.high))
    held = Held.HOLDS if all(ends) else Held.NOT_SHOWN if any(ends) else Held.FAILS
    return Met(need.text, held, str(estimate))


def worst(met: Sequence[Met]) -> Held:
    """All needs together: fails if one fails, else not shown if one is not shown, else holds."""
    found = {one.held for one in met}
    for held in (Held.FAILS, Held.NOT_SHOWN):
        if held in found:
            return held
    return Held.HOLDS


def _no_loss(need: Need, estimate: Estimate) -> Met:
    if estimate.value > 0:
        return Met(need.text, Held.FAILS, str(estimate))
    bound = units.show(estimate.high, METRICS[need.metric].unit)
    return Met(need.text, Held.HOLDS, f"none of {estimate.n} lost: below {bound} with 95 % confidence")


def _relation(need: Need) -> Callable[[float], bool]:
    limit = need.limit
    relations: dict[str, Callable[[float], bool]] = {
        "<": lambda value: value < limit,
        "<=": lambda value: value <= limit,
        ">": lambda value: value > limit,
        ">=": lambda value: value >= limit,
        "=": lambda value: value == limit,
    }
    return relations[need.relation]
