"""Codecs in order, with ties, and how many times the first codec's figure each has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from wirelab.advice.ranking import Contender, rank
from wirelab.model.answer import CodecRow, Status
from wirelab.model.codec_result import TOTAL, CodecPlace
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import Metric
from wirelab.model.units import show
from wirelab.stats.comparison import compare

SIZE = "size"
_SIZE = Metric(SIZE, "size", "B", "Mean bytes per message.", exact=True)
MOST_NAMED = 3
"""Tied codecs that a sentence names."""


def rank_codecs(rows: Iterable[CodecRow], by: str = TOTAL) -> list[CodecRow]:
    """The rows with their places, best first: by a phase, by `total` or by `size`.

    Size orders ties of time, and time those of size. Codecs without the figure come last, by size.
    """
    every = sorted(rows, key=lambda row: row.bytes.value)
    known = [row for row in every if _estimate(row, by)]
    second = TOTAL if by == SIZE else SIZE
    figures = [{name: _figures(row, name) for name in (by, second)} for row in known]
    metrics = {name: _SIZE if name == SIZE else Metric(name, name, "ns", "") for name in (by, second)}
    contenders = [Contender(Status.PASS, figures[index]) for index in range(len(known))]
    placed = rank(contenders, (by, second), metrics, paired=False)
    ordered = []
    for one in placed:
        ratio = _ratio(figures[one.index][by], figures[placed[0].index][by], exact=by == SIZE)
        place = CodecPlace(one.rank, one.group, one.tied, one.inconclusive, ratio)
        ordered.append(replace(known[one.index], place=place))
    return ordered + [replace(row, place=None) for row in every if not _estimate(row, by)]


def codec_headline(ranked: Sequence[CodecRow], by: str = TOTAL) -> str:
    """The first codec, or the tie, and by how much it is ahead; empty if there is nothing to
    compare.
    """
    placed = [(row, row.place) for row in ranked if row.place]
    if len(placed) < 2:
        return ""
    first, best = placed[0]
    ties = [row for row, place in placed if place.group == best.group and not place.inconclusive]
    after = [(row, place) for row, place in placed if place.group > best.group and not place.inconclusive]
    superlative = "smallest" if by == SIZE else "fastest"
    said = f"{_leaders(ties)} the {superlative} ({_figure(first, by)})"
    if after:
        row, place = after[0]
        ratio = show(place.ratio.value, "1")
        next_has = f"; the next, {row.codec}, has {ratio} times as many bytes"
        said += next_has if by == SIZE else f", {ratio} times as fast as the next, {row.codec}"
    if by != SIZE and any(first.bytes.value < row.bytes.value for row in ties):
        said += f"; of these {first.codec} is the smallest ({show(first.bytes.value, 'B')})"
    return f"{said}."


def _leaders(ties: Sequence[CodecRow]) -> str:
    if len(ties) == 1:
        return f"{ties[0].codec} is"
    names = [row.codec for row in ties[:MOST_NAMED]]
    names += [f"{len(ties) - MOST_NAMED} more"] * (len(ties) > MOST_NAMED)
    return f"{', '.join(names[:-1])} and {names[-1]} tie for"


def _figure(row: CodecRow, by: str) -> str:
    value = _estimate(row, by)
    what = {TOTAL: "serialize + deserialize: ", SIZE: ""}.get(by, f"{by}: ")
    return f"{what}{show(value.value, value.unit)}" if value else ""


def _estimate(row: CodecRow, by: str) -> Estimate | None:
    """The figure of a row, if it has one."""
    if by == SIZE:
        return row.bytes if row.bytes.n else None
    return row.total if by == TOTAL else row.phases.get(by)


def _figures(row: CodecRow, by: str) -> NDArray[np.float64]:
    """The figure in each process. What a link adds is the same in all of them."""
    estimate = _estimate(row, by)
    if estimate is None:
        return np.array([])
    if by == SIZE or not row.totals:
        return np.array([estimate.value])
    return np.array(row.totals) + (estimate.value - float(np.mean(row.totals)))


def _ratio(own: NDArray[np.float64], first: NDArray[np.float64], *, exact: bool) -> Estimate:
    if exact:
        ratio = float(own.mean() / first.mean()) if first.mean() else 1.0
        return Estimate(ratio, ratio, ratio, "1", 1, 1, "exact")
    if own is first:
        return Estimate(1.0, 1.0, 1.0, "1", len(own), len(own), "itself")
    return compare(own, first, paired=False, confidence=0.95).ratio
