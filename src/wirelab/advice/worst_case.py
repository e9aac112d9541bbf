"""One choice over several contexts: it is as good as in its worst one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wirelab.advice.needs import worst
from wirelab.advice.ranking import Contender, rank
from wirelab.advice.rows import Measured
from wirelab.model.answer import Choice, Held, Met
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import METRICS

Floats = NDArray[np.float64]


def overall(measured: Sequence[Measured], objectives: Sequence[str]) -> list[Choice]:
    """All choices ranked by what they are worth in their worst context; needs have to be met in every one.

    A choice that was not measured in some context holds no need there: that is `not shown`.
    """
    contexts = {tuple(one.row.context.items()) for one in measured}
    found: dict[tuple[tuple[str, str], ...], list[Measured]] = {}
    for one in measured:
        found.setdefault(tuple(one.row.choice.items()), []).append(one)
    rows = list(found.values())
    choices = [_choice(ones, len(contexts)) for ones in rows]
    figures = [{name: _worst_figures(ones, name) for name in objectives} for ones in rows]
    contenders = [Contender(choice.held, own) for choice, own in zip(choices, figures, strict=True)]
    placed = rank(contenders, objectives)
    return [
        Choice(
            choices[p.index].choice, choices[p.index].label, choices[p.index].held, choices[p.index].met,
            choices[p.index].worst, p.rank, p.group, p.tied,
        )
        for p in placed
    ]  # fmt: skip


def _choice(ones: Sequence[Measured], contexts: int) -> Choice:
    met = _worst_met(ones)
    if len(ones) < contexts:
        met = (*met, Met("all contexts", Held.NOT_SHOWN, f"measured in {len(ones)} of {contexts} contexts"))
    names = dict.fromkeys(name for one in ones for name in one.row.estimates)
    worst_by_name = {name: _worst_estimate(ones, name) for name in names}
    return Choice(ones[0].row.choice, ones[0].row.label, worst(met), met, worst_by_name)


def _worst_met(ones: Sequence[Measured]) -> tuple[Met, ...]:
    """For each need the outcome of the context where it came out worst."""
    severity = [Held.HOLDS, Held.NOT_SHOWN, Held.FAILS]
    together = zip(*(one.row.met for one in ones), strict=True)
    return tuple(max(same, key=lambda met: severity.index(met.held)) for same in together)


def _worst_estimate(ones: Sequence[Measured], name: str) -> Estimate:
    known = [one.row.estimates[name] for one in ones if name in one.row.estimates]
    pick = max if METRICS[name].lower_is_better else min
    return pick(known, key=lambda estimate: estimate.value)


def _worst_figures(ones: Sequence[Measured], name: str) -> Floats:
    """Replicate by replicate the worst of all contexts; NaN where a context has none."""
    figures = [one.figures.get(name, np.empty(0)) for one in ones]
    most = max(len(own) for own in figures)
    padded = np.full((len(figures), most), np.nan)
    for line, own in zip(padded, figures, strict=True):
        line[: len(own)] = own
    pick = np.max if METRICS[name].lower_is_better else np.min
    found: Floats = pick(padded, axis=0)
    return found
