"""maltsev2024's tables as measured and as published, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from wirelab.studies.claims import Checked, Figure
from wirelab.studies.maltsev_lag import Plan

TIMES = (
    ("Table 1: serializing, epochs 1 to 15", "serialize", "small"),
    ("Table 2: serializing, epochs 16 to 30", "serialize", "large"),
    ("Table 3: deserializing, epochs 1 to 15", "deserialize", "small"),
    ("Table 4: deserializing, epochs 16 to 30", "deserialize", "large"),
)

Study = Mapping[str, Any]
Found = Mapping[str, Figure]


def markdown(study: Study, found: Found, checked: Sequence[Checked], plan: Plan) -> str:
    """Tables 1 to 5 as measured and as published, and the claims."""
    lines = ["# maltsev2024", ""]
    for title, phase, part in TIMES:
        lines += [f"## {title}", "", *_times(study["published"][phase][part], found, phase, part), ""]
    lines += ["| opened, not read | epochs 1 to 15 | epochs 16 to 30 |", "|---|---:|---:|"]
    lines += [
        f"| {name} | {found[f'access.small.{name}']} | {found[f'access.large.{name}']} |"
        for name in study["codecs"]
        if f"access.small.{name}" in found
    ]
    for network, where, each in (
        ("lag", "all on one host", plan.each),
        ("linked", f"Kafka behind {plan.link}", plan.linked_each),
    ):
        if f"{network}.mean.json" in found:
            title = f"## Table 5: lag, {where}, {each:,} e messages in epoch e = 1 to {plan.last}"
            lines += ["", title, "", *_lags(study["published"]["lag"], found, network)]
    lines += ["", "| claim | verdict | here | published |", "|---|---|---|---|"]
    lines += [f"| {c.text} | {c.verdict} | {c.ours} | {c.published} |" for c in checked]
    return "\n".join(lines) + "\n"


def _mean(found: Found, key: str) -> float:
    return float(np.mean(found[key].values))


def _times(
    published: Mapping[str, tuple[float, float]], found: Found, phase: str, part: str
) -> Iterator[str]:
    yield "| format | median | R | published us | published R | mean bytes |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name in sorted(published, key=lambda name: _mean(found, f"{phase}.{part}.{name}")):
        key, (time, share) = f"{phase}.{part}.{name}", published[name]
        own, size = 100 * _mean(found, f"reduction.{key}"), found[f"bytes.{part}.{name}"]
        yield f"| {name} | {found[key]} | {own:.1f} % | {time} | {share} % | {size} |"


def _lags(
    published: Mapping[str, tuple[float, float, float, int]], found: Found, network: str
) -> Iterator[str]:
    yield "| format | mean | median | range | R of means | R of medians | published mean | median | R |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for name in sorted(published, key=lambda name: _mean(found, f"{network}.mean.{name}")):
        mean, median, share, _ = published[name]
        shown = [str(found[f"{network}.{kind}.{name}"]) for kind in ("mean", "median", "range")]
        shares = [100 * _mean(found, f"reduction.{network}.{kind}.{name}") for kind in ("mean", "median")]
        cells = [
            name,
            *shown,
            *(f"{one:.1f} %" for one in shares),
            f"{mean} ms",
            f"{median} ms",
            f"{share} %",
        ]
        yield f"| {' | '.join(cells)} |"
