"""One choice over several contexts: it is as good as in its worst one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wirelab.advice.preference import safest_first
from wirelab.advice.ranking import Contender, rank
from wirelab.advice.rows import Measured
from wirelab.advice.thresholds import worst
from wirelab.model.answer import Choice, Status, ThresholdResult
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import metric

Floats = NDArray[np.float64]


def overall(measured: Sequence[Measured], objectives: Sequence[str]) -> list[Choice]:
    """All choices ranked by their worst context; thresholds have to pass in every context.

    A choice that was not measured in some context is inconclusive.
    """
    contexts = {tuple(one.row.context.items()) for one in measured}
    found: dict[tuple[tuple[str, str], ...], list[Measured]] = {}
    for one in measured:
        found.setdefault(tuple(one.row.choice.items()), []).append(one)
    rows = list(found.values())
    choices = [_choice(ones, len(contexts)) for ones in rows]
    figures = [{name: _worst_figures(ones, name) for name in objectives} for ones in rows]
    contenders = [Contender(choice.status, own) for choice, own in zip(choices, figures, strict=True)]
    placed = rank(contenders, objectives)
    ordered = [
        Choice(
            choices[p.index].choice, choices[p.index].label, choices[p.index].status, choices[p.index].thresholds,
            choices[p.index].worst, p.rank, p.group, p.tied, p.inconclusive,
            choices[p.index].delivery,
        )
        for p in placed
    ]  # fmt: skip
    return list(safest_first(ordered))


def _choice(ones: Sequence[Measured], contexts: int) -> Choice:
    results = _worst_results(ones)
    if len(ones) < contexts:
        results = (
            *results,
            ThresholdResult(
                "all contexts", Status.INCONCLUSIVE, f"measured in {len(ones)} of {contexts} contexts"
            ),
        )
    names = dict.fromkeys(name for one in ones for name in one.row.estimates)
    worst_by_name = {name: _worst_estimate(ones, name) for name in names}
    first = ones[0].row
    return Choice(first.choice, first.label, worst(results), results, worst_by_name, delivery=first.delivery)


def _worst_results(ones: Sequence[Measured]) -> tuple[ThresholdResult, ...]:
    """For each threshold its result in its worst context."""
    severity = [Status.PASS, Status.INCONCLUSIVE, Status.FAIL]
    together = zip(*(one.row.thresholds for one in ones), strict=True)
    return tuple(max(same, key=lambda result: severity.index(result.status)) for same in together)


def _worst_estimate(ones: Sequence[Measured], name: str) -> Estimate:
    known = [one.row.estimates[name] for one in ones if name in one.row.estimates]
    pick = max if metric(name).lower_is_better else min
    return pick(known, key=lambda estimate: estimate.value)


def _worst_figures(ones: Sequence[Measured], name: str) -> Floats:
    """Replicate by replicate the worst of all contexts; NaN where a context has none."""
    figures = [one.figures.get(name, np.empty(0)) for one in ones]
    most = max(len(own) for own in figures)
    padded = np.full((len(figures), most), np.nan)
    for line, own in zip(padded, figures, strict=True):
        line[: len(own)] = own
    pick = np.max if metric(name).lower_is_better else np.min
    found: Floats = pick(padded, axis=0)
    return found
