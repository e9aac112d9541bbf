"""The columns of the ranked table in a terminal, and which of them fit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct
from rich.text import Text

from wirelab.model.answer import Answer, Held, Ranking, Row
from wirelab.model.result import Shares
from wirelab.report import cell_text
from wirelab.report.terminal_text import figure

# From this width on a value and its interval stand on one line.
ONE_LINE_FROM = 140
# Characters between columns.
GAP = 2
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


class Column(Struct, frozen=True):
    """A column and one text per row. `drop`: 0 stays at every width, else the highest number goes first."""

    title: str
    texts: list[Text]
    drop: int = 0
    right: bool = False

    @property
    def width(self) -> int:
        """The widest line in it, in characters."""
        lines = [self.title, *(line for text in self.texts for line in text.plain.split("\n"))]
        return max(len(line) for line in lines)


def width(columns: Sequence[Column]) -> int:
    """What columns take side by side, in characters."""
    return sum(column.width + GAP for column in columns) - GAP


def columns_for(answer: Answer, tops: Tops, most: int) -> tuple[list[Column], list[str]]:
    """The columns for these rows in `most` characters, and the titles of those that do not fit."""
    one_line = most >= ONE_LINE_FROM
    columns, dropped = _fitting(_columns(answer, tops, one_line, short=False), most)
    if dropped:
        columns, dropped = _fitting(_columns(answer, tops, one_line, short=True), most)
    return columns, dropped


def _fitting(columns: list[Column], most: int) -> tuple[list[Column], list[str]]:
    dropped: list[str] = []
    while width(columns) > most and any(column.drop for column in columns):
        last = max(columns, key=lambda column: column.drop)
        columns = [column for column in columns if column is not last]
        dropped.append(last.title)
    return columns, dropped[::-1]


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
