"""What a user needs: `loss=0`, `p99<1s`, `bytes<500B`; and whether an estimate shows it."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence

from wirelab.model import units
from wirelab.model.answer import Held, Met, Need
from wirelab.model.errors import BadInput
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import METRICS, UNITS, Source, metric

_NEED = re.compile(r"^\s*([A-Za-z_0-9]+)\s*(<=|>=|<|>|==|=)\s*(\S.*?)\s*$")
_RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def parse_need(text: str) -> Need:
    """One need, as written on the command line. Raises BadInput with the nearest metric or the unit wanted."""
    match = _NEED.match(text)
    if match is None:
        raise BadInput(f"need '{text}'", "not a condition", "write it like loss=0, p99<1s or bytes<=500B")
    known = metric(match[1])
    relation = "=" if match[2] == "==" else match[2]
    limit = UNITS[known.unit].parse(match[3])
    if relation == "=" and (known.name != "loss" or limit != 0):
        raise BadInput(f"need '{text}'", "a measured value is never exact", f"write {match[1]}<={match[3]}")
    if limit is None:
        raise BadInput(f"need '{text}'", "max is no limit", "write it like throughput>=500/s")
    return Need(text.strip(), known.name, relation, float(limit))


def parse_needs(texts: Sequence[str]) -> tuple[Need, ...]:
    """Several needs; all have to be met. Raises BadInput."""
    return tuple(parse_need(text) for text in texts)


def parse_objectives(names: Sequence[str]) -> tuple[str, ...]:
    """Names of metrics to rank by (`latency`, `bytes`) as metric names. Raises BadInput."""
    if not names:
        raise BadInput("objectives", "none given", "rank by latency, bytes or another metric")
    found = [metric(name) for name in names]
    for name, known in zip(names, found, strict=True):
        if known.source is Source.CODEC:
            raise BadInput(
                f"objective '{name}'", "measured per codec, not per trial", "see wirelab codecs FILE"
            )
    return tuple(known.name for known in found)


def judge(need: Need, estimates: Mapping[str, Estimate], beyond: Estimate | None = None) -> Met:
    """Does the estimate show the need?

    It holds if the whole interval meets it, fails if none of the interval does, and is not shown in
    between. A need on a quantile of times is about the share of messages `beyond` its limit: p99 < 1 s
    holds if fewer than 1 % of messages are shown to take longer. `loss=0` means that no loss was seen; the
    bound is said beside it.
    """
    estimate = estimates.get(need.metric)
    if estimate is None:
        return Met(need.text, Held.NOT_SHOWN, "not measured")
    if need.relation == "=":
        return _no_loss(need, estimate)
    if beyond is not None and need.relation in ("<", "<="):
        return _quantile(need, estimate, beyond)
    meets = _RELATIONS[need.relation]
    ends = (meets(estimate.low, need.limit), meets(estimate.high, need.limit) and not estimate.open_above)
    held = Held.HOLDS if all(ends) else Held.NOT_SHOWN if any(ends) else Held.FAILS
    return Met(need.text, held, str(estimate))


def _quantile(need: Need, estimate: Estimate, beyond: Estimate) -> Met:
    allowed = 1 - (METRICS[need.metric].quantile or 0.0)
    from wirelab.stats.intervals import values_needed  # noqa: PLC0415 - scipy is not for reading a command line

    limit = units.show(need.limit, estimate.unit)
    above = f"{round(beyond.value * beyond.n)} of {beyond.n} messages took longer than {limit}"
    if beyond.high <= allowed:
        return Met(need.text, Held.HOLDS, f"{estimate}; {above}")
    if beyond.low > allowed:
        return Met(need.text, Held.FAILS, f"{estimate}; {above}")
    why = f"{estimate}; {above}, which leaves up to {units.show(beyond.high, 'fraction')} possible"
    if beyond.value == 0:
        why += f": it takes {values_needed(1 - allowed)} messages to show it"
    return Met(need.text, Held.NOT_SHOWN, why)


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
    bound = units.show(estimate.high, estimate.unit)
    return Met(need.text, Held.HOLDS, f"none of {estimate.n} lost: below {bound} with 95 % confidence")
