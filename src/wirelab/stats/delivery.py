"""How messages were delivered: more than once, and how many in succession were not."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from wirelab.stats.sample_join import DELIVERED

Columns = Mapping[str, NDArray[np.generic]]


def duplicated(columns: Columns) -> int | None:
    """The number of delivered messages that arrived more than once, without the warm-up.

    None if the samples do not tell.
    """
    if "duplicates" not in columns:
        return None
    used = (columns["outcome"] == DELIVERED) & ~columns["warmup"].astype(bool)
    return int(np.count_nonzero(columns["duplicates"][used]))


def longest_gap(columns: Columns) -> float:
    """The most messages in succession that one subscriber did not get from one publisher.

    The warm-up is left out. NaN without messages.
    """
    counted = ~columns["warmup"].astype(bool)
    missing = columns["outcome"][counted] != DELIVERED
    if not len(missing):
        return np.nan
    streams = np.zeros(len(missing), dtype=np.int64)
    for role in ("publisher", "subscriber"):
        if role in columns:
            streams = streams * 1024 + columns[role][counted].astype(np.int64)
    return float(max(_longest_run(missing[streams == one]) for one in np.unique(streams)))


def _longest_run(marks: NDArray[np.bool_]) -> int:
    """The most true values in succession."""
    changes = np.flatnonzero(np.diff(np.concatenate(([False], marks, [False])).astype(np.int8)))
    return int((changes[1::2] - changes[::2]).max(initial=0))
