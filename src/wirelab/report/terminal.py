"""The answer in a terminal: the sentence, the ranked table as wide as the terminal bears, what fails and why."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from wirelab.model.answer import Answer, Held, Ranking, Row
from wirelab.model.result import Shares
from wirelab.report import cells
from wirelab.report.terminal_codecs import codec_table, print_codecs

__all__ = ["codec_table", "plain_console", "print_answer", "print_codecs"]

MAX_ROWS = 12
# From this width on a value and its interval stand on one line.
ONE_LINE_FROM = 140
_BAR = 12
_GAP = 2
_STYLES = {"queue": "bright_black", "encode": "yellow", "wire": "blue", "server": "magenta", "decode": "green"}
_HELD = {Held.HOLDS: "green", Held.NOT_SHOWN: "yellow", Held.FAILS: "red"}


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


def plain_console(width: int | None = None) -> Console:
    """Where answers are printed: colours only in a terminal and without NO_COLOR; 120 wide where it is no terminal."""
    console = Console(width=width, highlight=False)
    if width is None and not console.is_terminal and "COLUMNS" not in console._environ:
        console.width = 120
    return console


def print_answer(answer: Answer, console: Console | None = None, max_rows: int = MAX_ROWS) -> None:
    """Print the answer: the sentence, the best `max_rows` rows of all contexts together, and what to know about them."""
    console = console or plain_console()
    console.print(Text(answer.reason, style=f"bold {_HELD[answer.held]}"))
    shown = [ranking for ranking in answer.rankings if ranking.rows]
    if shown:
        console.print()
        each = max(max_rows // len(shown), 2)
        tops = [(ranking, ranking.rows[:each]) for ranking in shown]
        dropped = _print_table(answer, tops, console)
        _print_below(answer, tops, dropped, console)
    if len(shown) > 1:
        _list(console, "In each of them:", [ranking.reason for ranking in shown])
    for ranking in shown:
        where = f" ({', '.join(ranking.context.values())})" if ranking.context else ""
        _list(console, f"Needs not met{where}:", cells.failures(ranking, answer.needs, cells.choices(answer)))
    _list(console, "No valid trial:", cells.excluded(answer))
    notes = [f"{row.label}: {told}" for row, told in cells.blemished(answer)]
    _list(console, "Trials left out of rows above:", notes[:MAX_ROWS] + _more(len(notes) - MAX_ROWS, "row"))
    _list(console, "To know:", answer.warnings)


def _more(number: int, noun: str) -> list[str]:
    return [f"and {cells.count(number, f'more {noun}')}"] if number > 0 else []


def _list(console: Console, title: str, lines: Sequence[str]) -> None:
    """A heading and its lines, wrapped with a hanging indent; nothing where there are none."""
    if not lines:
        return
    console.print()
    console.print(Text(title, style="bold"))
    grid = Table.grid(padding=0)
    grid.add_column(width=2)
    grid.add_column(overflow="fold")
    for line in lines:
        grid.add_row(Text(" -"), Text(" " + line))
    console.print(grid)


def _print_table(answer: Answer, tops: Sequence[tuple[Ranking, Sequence[Row]]], console: Console) -> list[str]:
    """Print the rows; the titles of columns that did not fit."""
    one_line = console.width >= ONE_LINE_FROM
    columns, dropped = _fitting(_columns(answer, tops, one_line, short=False), console.width)
    if dropped:
        columns, dropped = _fitting(_columns(answer, tops, one_line, short=True), console.width)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, _GAP - 1, 0, 0), show_edge=False)
    for column in columns:
        table.add_column(column.title, justify="right" if column.right else "left", overflow="fold", vertical="top")
    ends = {sum(len(rows) for _, rows in tops[: index + 1]) - 1 for index in range(len(tops))}
    for index, texts in enumerate(zip(*(column.texts for column in columns), strict=True)):
        table.add_row(*texts, end_section=index in ends)
    console.print(table)
    return dropped


def _fitting(columns: list[Column], width: int) -> tuple[list[Column], list[str]]:
    dropped: list[str] = []
    while sum(column.width + _GAP for column in columns) - _GAP > width and any(column.drop for column in columns):
        last = max(columns, key=lambda column: column.drop)
        columns = [column for column in columns if column is not last]
        dropped.append(last.title)
    return columns, dropped[::-1]


def _columns(
    answer: Answer, tops: Sequence[tuple[Ranking, Sequence[Row]]], one_line: bool, short: bool
) -> list[Column]:
    """All columns. `short` leaves out libraries where a format has only one, and which needs are not met."""
    rows = [(ranking, row) for ranking, some in tops for row in some]
    marks = [Text(mark) for ranking, some in tops for mark in _places(ranking, len(some))]
    columns = [Column("", marks)]
    for name in cells.contexts(answer):
        columns.append(Column(name, [Text(ranking.context.get(name, "")) for ranking, _ in rows]))
    for name in cells.choices(answer):
        values = [row.choice.get(name, "") for _, row in rows]
        columns.append(Column(name, [Text(v) for v in (_without_library(values) if short else values)]))
    for name in cells.metrics(answer):
        texts = [_estimate(row, name, one_line) for _, row in rows]
        wanted = name in answer.objectives or name in {need.metric for need in answer.needs}
        columns.append(Column(cells.title(name), texts, 0 if wanted else 2 if name != "wire_bytes" else 3, right=True))
    if answer.needs:
        met = [str(row.held) if short and row.held is not Held.HOLDS else cells.needs_met(row) for _, row in rows]
        columns.append(Column("needs", [Text(m, style=_HELD[row.held]) for m, (_, row) in zip(met, rows, strict=True)], 1))
    columns.append(Column("time in", [_bar(row.shares) for _, row in rows], 4))
    return columns


def _without_library(values: Sequence[str]) -> Sequence[str]:
    """`protobuf/prost` as `protobuf`, if that names each of them still."""
    formats = {value: value.partition("/")[0] for value in values}
    return [formats[value] for value in values] if len(set(formats.values())) == len(formats) else values


def _places(ranking: Ranking, count: int) -> list[str]:
    places, brackets = cells.places(ranking.rows), cells.brackets(ranking.rows)
    wide = max(len(place) for place in places[:count])
    return [f"{place:<{wide}} {bracket}".rstrip() for place, bracket in zip(places[:count], brackets, strict=False)]


def _estimate(row: Row, name: str, one_line: bool) -> Text:
    estimate = row.estimates.get(name)
    if estimate is None:
        return Text("-")
    text = Text(cells.value(estimate))
    between = cells.interval(estimate)
    return text.append((" " if one_line else "\n") + between, style="dim") if between else text


def _bar(shares: Shares) -> Text:
    """Twelve letters, one for each twelfth of the mean latency: largest remainders, so that they always add up."""
    parts = cells.parts(shares)
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


def _print_below(
    answer: Answer, tops: Sequence[tuple[Ranking, Sequence[Row]]], dropped: Sequence[str], console: Console
) -> None:
    """What the marks in the table mean, only for marks that are in it."""
    rows = [row for _, some in tops for row in some]
    said = []
    if any(mark for ranking, some in tops for mark in cells.brackets(ranking.rows)[: len(some)]):
        broken = f"; {cells.title(answer.objectives[1])} orders them" if len(answer.objectives) > 1 else ""
        said.append(f"bracketed rows tie: {cells.title(answer.objectives[0])} does not separate them{broken}")
    if any(place.rstrip("?").endswith("=") for ranking, some in tops for place in cells.places(ranking.rows)[: len(some)]):
        said.append("= an equal rank")
    if any(row.unplaced for row in rows):
        said.append("? too noisy to be told from the best")
    known = [estimate for row in rows for estimate in row.estimates.values()]
    if known:
        said.append(f"[ ] {known[0].confidence:.0%} interval" + (", > open above" if any(e.open_above for e in known) else ""))
    if "time in" not in dropped:
        whole = all(row.shares.separable for row in rows)
        said.append(f"time in: queue, encode, wire{'' if whole else ' (with server)'}, server, decode")
    if dropped:
        said.append(f"not shown at this width: {', '.join(dropped)}")
    if said:
        console.print(Text("; ".join(said), style="dim"))
    more = sum(len(ranking.rows) - len(some) for ranking, some in tops)
    if more > 0:
        console.print(Text(f"{cells.count(more, 'more row')}: in the report, or --format csv|md|json", style="dim"))
