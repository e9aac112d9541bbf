"""Order contenders: status first, then the first objective with its ties, then the second in a tie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wirelab.model.answer import Status
from wirelab.model.metrics import Metric
from wirelab.model.metrics import metric as find_metric
from wirelab.stats.comparison import Comparison, Place, rank_groups

Floats = NDArray[np.float64]

MARGIN = 0.01
"""A relative difference up to this counts as none, because the lab is not more accurate."""

CLOSE = 0.1
"""A tied row further off than this is noisy: the second objective does not move it up."""


@dataclass(frozen=True)
class Contender:
    """An item to rank: the status of its thresholds, and per metric one figure per replicate."""

    status: Status
    figures: Mapping[str, Floats]


@dataclass(frozen=True)
class Placed:
    """Contender `index`: rank from 1 (shared if no objective separates), group and tie."""

    index: int
    rank: int
    group: int
    tied: bool
    inconclusive: bool


def rank(
    contenders: Sequence[Contender],
    objectives: Sequence[str],
    known_metrics: Mapping[str, Metric] | None = None,
    *,
    paired: bool = True,
) -> list[Placed]:
    """All contenders, best first: those that pass, those that are inconclusive, those that fail.

    `known_metrics` are those of the objectives, if not those of trials. `paired`: replicate r of
    all contenders met the same conditions.
    """
    metrics = [known_metrics[name] if known_metrics else find_metric(name) for name in objectives]
    placed: list[Placed] = []
    for status in (Status.PASS, Status.INCONCLUSIVE, Status.FAIL):
        tier = [i for i, one in enumerate(contenders) if one.status is status]
        known = [i for i in tier if _has_figure(contenders[i], objectives[0])]
        unknown = [i for i in tier if i not in known]
        group = placed[-1].group if placed else 0
        for places in _groups(_compare(contenders, known, metrics[0], paired)):
            group += 1
            _place_group(placed, contenders, known, places, group, metrics, paired)
        for index in unknown:
            group += 1
            placed.append(Placed(index, len(placed) + 1, group, tied=False, inconclusive=True))
    return placed


def _place_group(
    placed: list[Placed],
    contenders: Sequence[Contender],
    known: Sequence[int],
    places: Sequence[Place],
    group: int,
    metrics: Sequence[Metric],
    paired: bool,
) -> None:
    leader = float(np.nanmean(contenders[known[places[0].index]].figures[metrics[0].name]))
    far = [p for p in places[1:] if p.against_best and _far(p.against_best, leader)]
    close = [p for p in places if p not in far]
    by_index = {known[p.index]: p for p in places}
    for shared in _second([known[p.index] for p in close], contenders, metrics[1:], paired):
        number = len(placed) + 1
        for index in shared:
            place = by_index[index]
            placed.append(Placed(index, number, group, place.tied, place.unplaced))
    for place in far:
        placed.append(Placed(known[place.index], len(placed) + 1, group, tied=True, inconclusive=True))


def _far(comparison: Comparison, leader: float) -> bool:
    return abs(comparison.difference.value) > CLOSE * abs(leader)


def _second(
    indices: list[int], contenders: Sequence[Contender], metrics: Sequence[Metric], paired: bool
) -> list[list[int]]:
    """Tied contenders in order of the further objectives; those that none separates are together."""
    if len(indices) < 2 or not metrics:
        return [indices]
    known = [i for i in indices if _has_figure(contenders[i], metrics[0].name)]
    ordered = []
    for places in _groups(_compare(contenders, known, metrics[0], paired)):
        ordered += _second([known[p.index] for p in places], contenders, metrics[1:], paired)
    unknown = [i for i in indices if i not in known]
    return [*ordered, *([unknown] if unknown else [])]


def _compare(
    contenders: Sequence[Contender], known: Sequence[int], metric: Metric, paired: bool
) -> list[Place]:
    figures = [contenders[index].figures[metric.name] for index in known]
    most = max((len(own) for own in figures), default=0)
    return rank_groups(
        [
            np.pad(np.asarray(own, dtype=np.float64), (0, most - len(own)), constant_values=np.nan)
            for own in figures
        ],
        lower_is_better=metric.lower_is_better,
        paired=paired,
        exact=metric.exact,
        margin=MARGIN,
    )


def _groups(places: Sequence[Place]) -> list[list[Place]]:
    found: dict[int, list[Place]] = {}
    for place in places:
        found.setdefault(place.group, []).append(place)
    return list(found.values())


def _has_figure(contender: Contender, name: str) -> bool:
    figures = contender.figures.get(name)
    return figures is not None and bool(np.isfinite(figures).any())
