"""The columns of the ranked table in a terminal, and which of them fit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rich.text import Text

from wirelab.model.answer import Answer, Held, Ranking, Row
from wirelab.model.result import Shares
from wirelab.report import cell_text
from wirelab.report.terminal_table import Column, fitted
from wirelab.report.terminal_text import figure

# From this width on a value and its interval stand on one line.
ONE_LINE_FROM = 140
HELD = {Held.HOLDS: "green", Held.NOT_SHOWN: "yellow", Held.FAILS: "red"}
_BAR = 12
_DROP = {"wire_bytes": 3, **dict.fromkeys(cell_text.ON_DEVICE, 5)}
_STYLES = {
    "queue": "bright_black",
    "encode": "yellow",
    "wire": "blue",
    "server": "magenta",
    "decode": "green",
}
Tops = Sequence[tuple[Ranking, Sequence[Row]]]


def columns_for(answer: Answer, tops: Tops, most: int) -> tuple[list[Column], list[str]]:
    """The columns for these rows in `most` characters, and the titles of those that do not fit."""
    one_line = most >= ONE_LINE_FROM
    columns, dropped = fitted(_columns(answer, tops, one_line, short=False), most)
    if dropped:
        columns, dropped = fitted(_columns(answer, tops, one_line, short=True), most)
    return columns, dropped


def _columns(answer: Answer, tops: Tops, one_line: bool, short: bool) -> list[Column]:
    """All columns. `short` leaves out libraries where a format has only one, and which needs are not met."""
    rows = [row for _, some in tops for row in some]
    marks = [Text(mark) for ranking, some in tops for mark in _places(ranking, len(some))]
    columns = [Column("", marks)]
    for name in cell_text.choices(answer):
        values = [row.choice.get(name, "") for row in rows]
        columns.append(Column(name, [Text(v) for v in (_without_library(values) if short else values)]))
    for name in cell_text.metrics(answer):
        texts = [figure(row.estimates.get(name), one_line) for row in rows]
        wanted = name in (*answer.objectives, *(need.metric for need in answer.needs), "energy")
        columns.append(Column(cell_text.title(name), texts, 0 if wanted else _DROP.get(name, 2), right=True))
    if answer.needs:
        met = [
            str(row.held) if short and row.held is not Held.HOLDS else cell_text.needs_met(row)
            for row in rows
        ]
        columns.append(
            Column("needs", [Text(m, style=HELD[row.held]) for m, row in zip(met, rows, strict=True)], 1)
        )
    columns.append(Column("time in", [_bar(row.shares) for row in rows], 4))
    return columns


def _without_library(values: Sequence[str]) -> Sequence[str]:
    """`protobuf/prost` as `protobuf` where no other library of that format is among them."""
    formats = [value.partition("/")[0] for value in set(values)]
    return [f if formats.count(f) == 1 else value for value in values for f in (value.partition("/")[0],)]


def _places(ranking: Ranking, count: int) -> list[str]:
    places, brackets = cell_text.places(ranking.rows), cell_text.brackets(ranking.rows)
    wide = max(len(place) for place in places[:count])
    return [
        f"{place:<{wide}} {bracket}".rstrip()
        for place, bracket in zip(places[:count], brackets, strict=False)
    ]


def _bar(shares: Shares) -> Text:
    """Twelve letters, one for each twelfth of the mean latency: largest remainders, so that they always add up."""
    parts = cell_text.parts(shares)
    whole = sum(ns for _, ns in parts)
    if whole <= 0:
        return Text("")
    edges, reached = [0], 0.0
    for _, ns in parts:
        reached += ns
        edges.append(round(_BAR * reached / whole))
    bar = Text()
    for (name, _), (start, end) in zip(parts, pairwise(edges), strict=True):
        bar.append(name[0] * (end - start), style=f"black on {_STYLES[name]}")
    return bar
