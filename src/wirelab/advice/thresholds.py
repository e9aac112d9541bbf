"""Thresholds (`loss=0`, `p99<1s`, `bytes<500B`): reading them, and judging estimates by them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence

from wirelab.model import units
from wirelab.model.answer import Status, Threshold, ThresholdResult
from wirelab.model.errors import BadInput
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import UNITS, Metric, Source, metric

_CONDITION = re.compile(r"^\s*(late\s*>\s*[^<>=\s]+|[A-Za-z_0-9.]+)\s*(<=|>=|<|>|==|=)\s*(\S.*?)\s*$")
_RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def parse_threshold(text: str) -> Threshold:
    """One threshold as written on the command line.

    Raises BadInput with the nearest metric or the unit.
    """
    match = _CONDITION.match(text)
    if match is None:
        raise BadInput(
            f"threshold '{text}'", "not a condition", "write it like loss=0, p99<1s or bytes<=500B"
        )
    if match[1] == "late":
        why = "no share of messages that may be late"
        raise BadInput(f"threshold '{text}'", why, f"write late>{match[3]}<1% or late>{match[3]}=0")
    measured = metric(match[1])
    relation = "=" if match[2] == "==" else match[2]
    limit = UNITS[measured.unit].parse(match[3])
    if relation == "=" and (not measured.share or limit != 0):
        raise BadInput(
            f"threshold '{text}'", "a measured value is never exact", f"write {match[1]}<={match[3]}"
        )
    if limit is None:
        raise BadInput(f"threshold '{text}'", "max is not a limit", "write it like throughput>=500/s")
    return Threshold(text.strip(), measured.name, relation, float(limit))


def parse_thresholds(texts: Sequence[str]) -> tuple[Threshold, ...]:
    """Several thresholds, all of which have to pass. Raises BadInput."""
    return tuple(parse_threshold(text) for text in texts)


def asked_metrics(thresholds: Sequence[str], objectives: Sequence[str]) -> list[Metric]:
    """The metrics that thresholds and objectives name, each once. Raises BadInput."""
    named = [metric(parse_threshold(text).metric) for text in thresholds] + [
        metric(name) for name in objectives
    ]
    return list({one.name: one for one in named}.values())


def parse_objectives(names: Sequence[str]) -> tuple[str, ...]:
    """Names of metrics to rank by (`latency`, `bytes`) as metric names. Raises BadInput."""
    if not names:
        raise BadInput("objectives", "none given", "rank by latency, bytes or another metric")
    objectives = [metric(name) for name in names]
    for name, objective in zip(names, objectives, strict=True):
        if objective.source is Source.CODEC:
            raise BadInput(
                f"objective '{name}'", "measured per codec, not per trial", "see wirelab codecs FILE"
            )
    return tuple(objective.name for objective in objectives)


def judge(
    threshold: Threshold, estimates: Mapping[str, Estimate], share: Estimate | None = None
) -> ThresholdResult:
    """Whether the estimates pass the threshold.

    It passes if the whole interval meets it, fails if no part of the interval does, and is
    inconclusive in between. A threshold on a quantile of times is about the share of messages
    outside its limit (`share`): p99 < 1 s passes if the interval of that share is at most 1 %.
    `loss=0` passes if no loss was seen, and `max<1s` if no message took longer; the evidence then
    gives the bound.
    """
    estimate = estimates.get(threshold.metric)
    if estimate is None:
        return ThresholdResult(threshold.text, Status.INCONCLUSIVE, "not measured")
    if threshold.relation == "=":
        return _none_seen(threshold, estimate, metric(threshold.metric).column, str(estimate))
    if share is not None and threshold.relation in ("<", "<="):
        limit = units.show(threshold.limit, estimate.unit)
        slow = f"{round(share.value * share.n)} of {share.n} messages took longer than {limit}"
        if metric(threshold.metric).quantile is None:
            return _none_seen(threshold, share, f"longer than {limit}", f"{estimate}; {slow}")
        return _quantile(threshold, estimate, share, slow)
    meets = _RELATIONS[threshold.relation]
    ends = (
        meets(estimate.low, threshold.limit),
        meets(estimate.high, threshold.limit) and not estimate.open_above,
    )
    status = Status.PASS if all(ends) else Status.INCONCLUSIVE if any(ends) else Status.FAIL
    return ThresholdResult(threshold.text, status, str(estimate))


def _quantile(threshold: Threshold, estimate: Estimate, share: Estimate, slow: str) -> ThresholdResult:
    allowed = 1 - (metric(threshold.metric).quantile or 0.0)
    from wirelab.stats.intervals import values_needed  # noqa: PLC0415 - reading a flag imports no scipy

    if share.high <= allowed:
        return ThresholdResult(threshold.text, Status.PASS, f"{estimate}; {slow}")
    if share.low > allowed:
        return ThresholdResult(threshold.text, Status.FAIL, f"{estimate}; {slow}")
    evidence = f"{estimate}; {slow}, so the share may be up to {units.show(share.high, 'fraction')}"
    if share.value == 0:
        evidence += f": a pass takes {values_needed(1 - allowed)} messages"
    return ThresholdResult(threshold.text, Status.INCONCLUSIVE, evidence)


def worst(results: Sequence[ThresholdResult]) -> Status:
    """All thresholds together: the worst status of any."""
    statuses = {result.status for result in results}
    for status in (Status.FAIL, Status.INCONCLUSIVE):
        if status in statuses:
            return status
    return Status.PASS


def _none_seen(threshold: Threshold, share: Estimate, named: str, seen: str) -> ThresholdResult:
    """Passes if no message counts. `named` says of messages that they do, `seen` which do."""
    if share.value > 0:
        return ThresholdResult(threshold.text, Status.FAIL, seen)
    bound = units.show(share.high, share.unit)
    return ThresholdResult(
        threshold.text, Status.PASS, f"none of {share.n} {named}: below {bound} with 95 % confidence"
    )
