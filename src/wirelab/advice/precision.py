"""Which rows need more replicates before their ranking is as precise as asked."""

from __future__ import annotations

import math

from wirelab.model.answer import Answer, Ranking, Row
from wirelab.model.errors import BadInput
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import metric
from wirelab.model.units import fraction

GROWTH = 2
"""A look at most doubles the replicates, since the first intervals are rough."""


def parse_precision(text: str, objective: str) -> float:
    """`5%` as a share. Raises BadInput, also for an objective without an interval."""
    share = fraction(text)
    if share <= 0:
        raise BadInput(f"precision '{text}'", "not above zero", "write it like 5%")
    if metric(objective).statistic == "max":
        why = f"{metric(objective).title} has no interval"
        raise BadInput(f"precision '{text}'", why, "rank by a quantile, such as p99")
    return share


def half_width(estimate: Estimate | None) -> float:
    """Half the width of an interval as a share of its value; infinite if it is open."""
    if estimate is None or estimate.open_above or not estimate.value:
        return math.inf
    return (estimate.high - estimate.low) / 2 / abs(estimate.value)


def leading_rows(ranking: Ranking) -> list[Row]:
    """The best row of a ranking, and those that tie with it or are inconclusive against it."""
    best = ranking.rows[0]
    return [
        row
        for row in ranking.rows
        if row is best or (row.status is best.status and (row.group == best.group or row.inconclusive))
    ]


def imprecise_rows(answer: Answer, precision: float) -> list[Row]:
    """The leading rows whose interval of the first objective is wider than asked."""
    name = answer.objectives[0]
    return [
        row
        for ranking in answer.rankings
        if ranking.rows and not metric(name).exact
        for row in leading_rows(ranking)
        if half_width(row.estimates.get(name)) > precision
    ]


def replicates_needed(answer: Answer, precision: float) -> list[tuple[Row, int]]:
    """The rows that need more replicates, and how many more.

    A row that another is compared with gets as many as the other, because they are compared
    replicate by replicate. Rows that are separated from the best need none.
    """
    name = answer.objectives[0]
    imprecise = imprecise_rows(answer, precision)
    found: list[tuple[Row, int]] = []
    for ranking in answer.rankings:
        wide = [row for row in imprecise if row in ranking.rows]
        if wide:
            more = max(
                more_replicates(row.tally.valid, half_width(row.estimates.get(name)) / precision)
                for row in wide
            )
            found += [(row, more) for row in leading_rows(ranking)]
    return found


def more_replicates(replicates: int, too_wide: float) -> int:
    """How many more a row needs whose interval is wider than asked by a factor.

    Widths shrink with the root of the number of replicates.
    """
    wanted = replicates * min(too_wide**2, GROWTH)
    return max(1, math.ceil(wanted) - replicates)
