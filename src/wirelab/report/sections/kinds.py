"""The trials by kind of message, where the corpus has several."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from wirelab.advice.answer import StoreView
from wirelab.model.answer import Answer
from wirelab.report import cell_text
from wirelab.report.extra_metrics import TextTable
from wirelab.report.markdown_text import table
from wirelab.report.rendering import render
from wirelab.report.section import Part, Section
from wirelab.report.terminal_table import Column, print_table
from wirelab.report.terminal_text import headed

TITLE = "Trials by kind of message"
HEADINGS = ("combination", "kind", "messages", "lost", "bytes", "latency, median", "99 %")
LEFT = 2


def _lines(answer: Answer) -> Iterator[tuple[str, ...]]:
    for ranking in answer.rankings:
        where = cell_text.where(ranking) if len(answer.rankings) > 1 else ""
        for row in ranking.rows:
            for one in row.by_kind:
                figures = (one.bytes, one.latency_p50, one.latency_p99)
                counts = (f"{one.planned:,}", f"{one.planned - one.delivered:,}")
                yield (f"{row.label} {where}".strip(), one.kind, *counts, *map(cell_text.figure, figures))


def _table(answer: Answer) -> TextTable:
    about = "the messages of each kind in the trials above, the warm-up left out"
    return TextTable(TITLE, about, HEADINGS, tuple(_lines(answer)), left=LEFT)


def _html(answer: Answer, _view: StoreView) -> list[Part]:
    return [Part("kinds", TITLE, render("sections/kinds.html", table=_table(answer)))]


def _markdown(answer: Answer) -> list[str]:
    return [f"## {TITLE}", table(HEADINGS, _lines(answer), right=range(LEFT, len(HEADINGS)))]


def _print(answer: Answer, console: Console) -> None:
    headed(console, f"{TITLE}:")
    columns = zip(HEADINGS, zip(*_lines(answer), strict=True), strict=True)
    print_table(
        console,
        [
            Column(heading, list(map(Text, texts)), max(0, at - LEFT), right=at >= LEFT)
            for at, (heading, texts) in enumerate(columns)
        ],
    )


def _applies(answer: Answer) -> bool:
    return any(row.by_kind for ranking in answer.rankings for row in ranking.rows)


SECTION = Section(35, _applies, html=_html, markdown=_markdown, terminal=_print)
