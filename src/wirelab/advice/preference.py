"""Which of equal rows is first: one that loses less, then one that promises to lose nothing, then
one with fewer bytes on the wire.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeVar

from wirelab.advice.headline import Ranked, estimates
from wirelab.model.answer import Choice, Row

Item = TypeVar("Item", Row, Choice)


def safest_first(rows: Iterable[Item]) -> tuple[Item, ...]:
    """Rows in order of their ranks; those that share a rank by what they lose, promise and send."""
    return tuple(sorted(rows, key=lambda row: (row.rank, *_cost(row))))


def _cost(row: Ranked) -> tuple[float, bool, float]:
    values = [estimates(row).get(name) for name in ("loss", "wire_bytes")]
    loss, wire = (math.inf if one is None else one.value for one in values)
    return loss, not row.delivery.keeps, wire
