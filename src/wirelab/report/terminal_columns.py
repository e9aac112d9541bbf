"""The columns of the ranked table in a terminal, and which of them fit."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from wirelab.advice.offered_rate import OFFERED_RATE
from wirelab.model.answer import Answer, Ranking, Row, Status
from wirelab.model.codec_id import CodecId
from wirelab.report import cell_text
from wirelab.report.terminal_table import Column, fitted
from wirelab.report.terminal_text import figure

# From this width on, a value and its interval are on one line.
ONE_LINE_FROM = 140
STYLES = {Status.PASS: "green", Status.INCONCLUSIVE: "yellow", Status.FAIL: "red"}
# The column with the highest number goes first. Thresholds decide, so only what ranks stays longer.
THRESHOLDS, ASKED, RATE, USUAL, WIRE, BREAKDOWN, CHIP = 1, 2, 3, 4, 5, 6, 7
_DROP = {"wire_bytes": WIRE, **dict.fromkeys(cell_text.ON_DEVICE, CHIP)}
_PART_STYLES = {
    "batch": "cyan",
    "queue": "bright_black",
    "encode": "yellow",
    "wire": "blue",
    "server": "magenta",
    "decode": "green",
    "hosts": "bright_black",
    "serialization": "cyan",
    "capacity": "red",
    "propagation": "blue",
    "retransmission": "red",
    "broker": "magenta",
    "unexplained": "bright_black",
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
    """All columns. `short` leaves out the only library of a format, and the names of thresholds."""
    rows = [row for _, some in tops for row in some]
    marks = [Text(mark) for ranking, some in tops for mark in _ranks(ranking, len(some))]
    columns = [Column("", marks)]
    for name in cell_text.choices(answer):
        values = [row.choice.get(name, "") for row in rows]
        columns.append(Column(name, [Text(v) for v in (_without_library(values) if short else values)]))
    for name in cell_text.metrics(answer):
        texts = [figure(row.estimates.get(name), one_line, cell_text.missing(row, name)) for row in rows]
        columns.append(Column(cell_text.title(name), texts, _drop(answer, name), right=True))
    if answer.thresholds:
        statuses = [
            str(row.status) if short and row.status is not Status.PASS else cell_text.threshold_text(row)
            for row in rows
        ]
        columns.append(
            Column(
                "thresholds",
                [Text(text, style=STYLES[row.status]) for text, row in zip(statuses, rows, strict=True)],
                THRESHOLDS,
            )
        )
    texts = [_breakdown(row, one_line) for row in rows]
    columns.append(Column("latency breakdown", texts, BREAKDOWN))
    return columns


def _drop(answer: Answer, name: str) -> int:
    """How early the column of a metric is left out."""
    if name in (answer.objectives[0], "energy"):
        return 0
    if name not in answer.asked_metrics:
        return _DROP.get(name, USUAL)
    told = name == OFFERED_RATE.metric and name not in answer.objectives
    return RATE if told else ASKED


def _without_library(values: Sequence[str]) -> Sequence[str]:
    """`protobuf/prost` as `protobuf` if no other library of that format is among them."""
    format_of = {value: CodecId.parse(value).format for value in values}
    formats = list(format_of.values())
    return [format_of[value] if formats.count(format_of[value]) == 1 else value for value in values]


def _ranks(ranking: Ranking, count: int) -> list[str]:
    ranks, brackets = cell_text.ranks(ranking.rows), cell_text.brackets(ranking.rows)
    wide = max(len(rank) for rank in ranks[:count])
    return [
        f"{rank:<{wide}} {bracket}".rstrip() for rank, bracket in zip(ranks[:count], brackets, strict=False)
    ]


def _breakdown(row: Row, one_line: bool) -> Text:
    """The two largest parts of the mean latency, with their shares."""
    parts = cell_text.breakdown(row.shares, row.path)
    largest = sorted(parts, key=lambda part: -int(part[1].removesuffix(" %")))[:2]
    text = Text()
    for name, share in largest:
        separator = "" if not text else ", " if one_line else "\n"
        text.append(separator).append(f"{name} {share}", style=_PART_STYLES[name.partition("+")[0]])
    return text
