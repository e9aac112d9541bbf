"""The figures of each kind of message in the trials of one combination."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from wirelab.advice.figures import Columns, Floats
from wirelab.model.answer import KindFigures, Record
from wirelab.model.estimate import Estimate
from wirelab.model.kinds import Kinds
from wirelab.stats.batches import COMPLETES
from wirelab.stats.intervals import mean_interval, quantile_interval
from wirelab.stats.sample_join import DELIVERED

KINDS = "kinds"
"""The key of the kinds of message in a run (`model.kinds.Kinds`)."""


def kind_figures(
    records: Sequence[Record], samples: Callable[[str], Columns], kinds: Kinds
) -> tuple[KindFigures, ...]:
    """Figures of the kinds that these trials sent, over all of them, the warm-up left out.

    Message i carries corpus message i mod n. Trials of several publishers, whose messages are
    numbered again, and those without one-way times have none. Where messages are sent in batches,
    their bytes are not known.
    """
    columns = [
        found
        for record in records
        if record.result is not None and record.result.one_way and (found := samples(record.trial.id))
    ]
    usable = [one for one in columns if "publisher" not in one]
    figures = (_figures(name, index, usable, np.array(kinds.of)) for index, name in enumerate(kinds.names))
    return tuple(one for one in figures if one is not None)


def _figures(name: str, index: int, replicates: Sequence[Columns], of: Floats) -> KindFigures | None:
    latency: list[Floats] = []
    sizes: list[Floats] = []
    planned = 0
    for columns in replicates:
        seq = columns["seq"].astype(np.int64)
        own = (of[seq % len(of)] == index) & ~columns["warmup"].astype(bool)
        planned += int(np.count_nonzero(own))
        used = own & (columns["outcome"] == DELIVERED)
        latency.append((columns["decoded"][used] - columns["planned"][used]).astype(np.float64))
        if COMPLETES not in columns:
            # The bytes of a batch are not those of its kinds.
            sizes.append(columns["bytes"][own & (columns["sent"] != 0)].astype(np.float64))
    if not planned:
        return None
    delivered = sum(map(len, latency))
    return KindFigures(
        name,
        planned,
        delivered,
        _mean(sizes),
        quantile_interval(latency, 0.5, "ns") if delivered else None,
        quantile_interval(latency, 0.99, "ns") if delivered else None,
    )


def _mean(values: Sequence[Floats]) -> Estimate | None:
    filled = [one for one in values if len(one)]
    return mean_interval(filled, "B") if filled else None
