"""The answer in a terminal: the headline, the ranked table, failed thresholds, warnings."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from rich.console import Console
from rich.text import Text

from wirelab.model.answer import Answer, Ranking, Row
from wirelab.report import cell_text, ranking_reasons
from wirelab.report.terminal_codecs import preview_text, print_codecs
from wirelab.report.terminal_columns import STYLES, columns_for
from wirelab.report.terminal_device import print_device
from wirelab.report.terminal_table import Column, draw, not_shown, plain_console, table_width
from wirelab.report.terminal_text import headed, wrapped

__all__ = ["plain_console", "preview_text", "print_answer", "print_codecs"]

MAX_ROWS = 12


def print_answer(answer: Answer, console: Console | None = None, max_rows: int = MAX_ROWS) -> None:
    """Print the answer: the headline, the best `max_rows` rows of all contexts, thresholds and warnings."""
    console = console or plain_console()
    console.print(Text(answer.headline, style=f"bold {STYLES[answer.status]}"))
    shown = [ranking for ranking in answer.rankings if ranking.rows]
    if shown:
        each = max(max_rows // len(shown), 2)
        tops = [(ranking, ranking.rows[:each]) for ranking in shown]
        dropped = _print_tables(answer, tops, console)
        _print_below(answer, tops, dropped, console)
    for ranking in shown:
        where = f" at {cell_text.where(ranking)}" if ranking.context else ""
        _list(
            console,
            f"Failed thresholds{where}:",
            ranking_reasons.failed(answer, ranking),
        )
        _list(console, f"Inconclusive thresholds{where}:", ranking_reasons.inconclusive(answer, ranking))
    if answer.device:
        print_device(answer.device, console)
    _list(console, "No valid trial:", ranking_reasons.excluded(answer))
    _list(console, "Trials left out of rows above:", ranking_reasons.partly_invalid(answer))
    _list(console, "Warnings:", answer.warnings)


def _list(console: Console, title: str, lines: Sequence[str]) -> None:
    """A heading and its lines, wrapped with a hanging indent; nothing where there are none."""
    if not lines:
        return
    headed(console, title)
    for line in wrapped(lines, console.width):
        console.print(Text(line))


def _print_tables(
    answer: Answer, tops: Sequence[tuple[Ranking, Sequence[Row]]], console: Console
) -> list[str]:
    """Print a table for each context, all with the same columns; the titles of columns that did not fit."""
    columns, dropped = columns_for(answer, tops, table_width(console))
    first = 0
    for ranking, rows in tops:
        console.print()
        if ranking.context:
            console.print(
                Text(cell_text.where(ranking), style="bold").append(f": {ranking.headline}", style="not bold")
            )
        draw(console, _rows(columns, first, first + len(rows)))
        first += len(rows)
    return dropped


def _rows(columns: Sequence[Column], first: int, end: int) -> list[Column]:
    """Some rows of the columns, as wide as all."""
    return [replace(column, texts=column.texts[first:end], least=column.width) for column in columns]


def _print_below(
    answer: Answer, tops: Sequence[tuple[Ranking, Sequence[Row]]], dropped: Sequence[str], console: Console
) -> None:
    """The legend, only for marks that are in the table."""
    rows = [row for _, some in tops for row in some]
    legend = []
    if any(mark for ranking, some in tops for mark in cell_text.brackets(ranking.rows)[: len(some)]):
        legend.append(cell_text.tie_legend(answer))
    if any("=" in rank for ranking, some in tops for rank in cell_text.ranks(ranking.rows)[: len(some)]):
        legend.append("= tie")
    if any(row.inconclusive for row in rows):
        legend.append("? inconclusive: too noisy to be separated from the best")
    known = [estimate for row in rows for estimate in row.estimates.values()]
    if known:
        legend.append(
            f"[ ] {known[0].confidence:.0%} interval"
            + (", > open above" if any(e.open_above for e in known) else "")
        )
    if "latency breakdown" not in dropped:
        legend.append("latency breakdown: the two largest parts of the mean")
    if dropped:
        legend.append(not_shown(dropped))
    if legend:
        console.print()
        console.print(Text("; ".join(legend), style="dim"))
    more = sum(len(ranking.rows) - len(some) for ranking, some in tops)
    if more > 0:
        console.print(
            Text(
                f"{cell_text.count(more, 'more row')}: in the report, or --output-format csv|md|json",
                style="dim",
            )
        )
