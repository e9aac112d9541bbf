"""maltsev2024's tables as measured and as published."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wirelab.studies.claims import Figure
from wirelab.studies.published_tables import Drawing, Series, Table, marked
from wirelab_reproductions.maltsev2024.lag import Plan

TIMES = (
    ("Serializing, epochs 1 to 15", "Table 1", "serialize", "small"),
    ("Serializing, epochs 16 to 30", "Table 2", "serialize", "large"),
    ("Deserializing, epochs 1 to 15", "Table 3", "deserialize", "small"),
    ("Deserializing, epochs 16 to 30", "Table 4", "deserialize", "large"),
)
NS_PER_US, NS_PER_MS = 1e3, 1e6

Study = Mapping[str, Any]
Found = Mapping[str, Figure]


def tables(study: Study, found: Found, plan: Plan) -> list[Table]:
    """Tables 1 to 5, what opening alone takes, and how fast one format was beside JSON, by the
    paper's equation (1).
    """
    shown = [
        _times(title, where, study["published"][phase][part], found, f"{phase}.{part}")
        for title, where, phase, part in TIMES
    ]
    shown.append(_opened(study["codecs"], found))
    for network, where, each in (
        ("lag", "all on one host", plan.each),
        ("linked", f"Kafka behind {plan.link}", plan.samples_per_link),
    ):
        if f"{network}.mean.json" in found:
            title = f"Lag, {where}, {each:,} e messages in epoch e = 1 to {plan.last}"
            shown.append(_lags(title, study["published"]["lag"], found, network))
    return shown


def _mean(found: Found, key: str) -> float:
    """NaN where no replicate has a value."""
    values = np.atleast_1d(found[key].values)
    return float(np.mean(values[np.isfinite(values)])) if np.isfinite(values).any() else math.nan


def _share(found: Found, key: str) -> str:
    return f"{100 * _mean(found, f'reduction.{key}'):.1f} %"


def _times(
    title: str, where: str, published: Mapping[str, tuple[float, float]], found: Found, phase: str
) -> Table:
    measured = [name for name in published if f"{phase}.{name}" in found]
    names = sorted(measured, key=lambda name: _mean(found, f"{phase}.{name}"))
    rows = []
    for name in names:
        key, (time, share) = f"{phase}.{name}", published[name]
        size = str(found[f"bytes.{phase.rpartition('.')[2]}.{name}"])
        rows.append((name, [str(found[key]), _share(found, key), f"{time} us", f"{share} %", size]))
    times = {name: published[name][0] * NS_PER_US for name in names}
    return Table(
        title,
        ["median", "R", "published", "published R", "mean bytes"],
        rows,
        where,
        "format",
        _drawn("median time", found, [f"{phase}.{name}" for name in names], times),
    )


def _opened(names: Sequence[str], found: Found) -> Table:
    opened = [name for name in names if f"access.small.{name}" in found]
    rows = [(name, [str(found[f"access.{part}.{name}"]) for part in ("small", "large")]) for name in opened]
    return Table(
        "Opened, not read", ["epochs 1 to 15", "epochs 16 to 30"], rows, "beside Tables 3 and 4", "format"
    )


def _lags(
    title: str, published: Mapping[str, tuple[float, float, float, int]], found: Found, network: str
) -> Table:
    measured = [name for name in published if f"{network}.mean.{name}" in found]
    names = sorted(measured, key=lambda name: _mean(found, f"{network}.mean.{name}"))
    rows = []
    for name in names:
        mean, median, share, _ = published[name]
        cells = [str(found[f"{network}.{kind}.{name}"]) for kind in ("mean", "median", "range")]
        cells += [_share(found, f"{network}.{kind}.{name}") for kind in ("mean", "median")]
        rows.append((name, [*cells, f"{mean} ms", f"{median} ms", f"{share} %"]))
    means = {name: published[name][0] * NS_PER_MS for name in names}
    return Table(
        title,
        ["mean", "median", "range", "R of means", "R of medians", "published mean", "median", "R"],
        rows,
        "Table 5",
        "format",
        _drawn("mean lag", found, [f"{network}.mean.{name}" for name in names], means),
    )


def _drawn(title: str, found: Found, keys: Sequence[str], published: Mapping[str, float]) -> Drawing:
    names = list(published)
    series = [Series("here", [found[key].estimate for key in keys])]
    return Drawing(title, "ns", "format", names, series, marked(published, names), joined=False)
