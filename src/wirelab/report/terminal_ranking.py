"""The ranked rows in a terminal: a table for each context, its legend, and failed thresholds."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from rich.console import Console
from rich.text import Text

from wirelab.model.answer import Answer, Ranking, Row
from wirelab.report import cell_text, ranking_reasons
from wirelab.report.terminal_columns import columns_for
from wirelab.report.terminal_table import Column, draw, not_shown, table_width
from wirelab.report.terminal_text import print_list

MAX_ROWS = 12
MAX_REASONS = 8


def print_rankings(answer: Answer, console: Console) -> None:
    """Print the best MAX_ROWS rows of all contexts together, and the thresholds they do not pass."""
    shown = [ranking for ranking in answer.rankings if ranking.rows]
    if shown:
        each = max(MAX_ROWS // len(shown), 2)
        tops = [(ranking, ranking.rows[:each]) for ranking in shown]
        dropped = _print_tables(answer, tops, console)
        _print_below(answer, tops, dropped, console)
    for ranking in shown:
        where = f" at {cell_text.where(ranking)}" if ranking.context else ""
        print_list(console, f"Failed thresholds{where}:", ranking_reasons.failed(answer, ranking))
        undecided = ranking_reasons.inconclusive(answer, ranking)
        print_list(console, f"Inconclusive thresholds{where}:", undecided)
        print_list(console, f"Why{where}:", ranking_reasons.why(answer, ranking)[:MAX_REASONS])
        print_list(console, f"Notes{where}:", ranking_reasons.notes(answer, ranking))
        print_list(console, f"{cell_text.FLOORS}{where}:", ranking_reasons.floors(answer, ranking))


def _print_tables(
    answer: Answer, tops: Sequence[tuple[Ranking, Sequence[Row]]], console: Console
) -> list[str]:
    """Print a table for each context, all with the same columns; the titles of columns that did not
    fit.
    """
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
    if any(map(cell_text.has_notes, rows)):
        legend.append("! has notes below")
    known = [estimate for row in rows for estimate in row.estimates.values()]
    if known:
        legend.append(
            f"[ ] {known[0].confidence:.0%} interval"
            + (", > open above" if any(e.open_above for e in known) else "")
        )
    if "on the wire" not in dropped and any("wire_bytes" in row.estimates for row in rows):
        legend.append(cell_text.wire_legend(answer))
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
