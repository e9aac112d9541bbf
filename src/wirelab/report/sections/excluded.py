"""Combinations and trials that are left out, with their reasons."""

from __future__ import annotations

from rich.console import Console

from wirelab.advice.answer import StoreView
from wirelab.model.answer import Answer
from wirelab.report import provenance
from wirelab.report.markdown_text import titled
from wirelab.report.ranking_reasons import excluded, partly_invalid
from wirelab.report.rendering import render
from wirelab.report.section import Part, Section
from wirelab.report.terminal_text import print_list


def _html(answer: Answer, view: StoreView) -> list[Part]:
    body = render(
        "sections/excluded.html",
        excluded=excluded(answer),
        partly_invalid=partly_invalid(answer),
        not_valid=provenance.not_valid(view.results()),
    )
    return [Part("out", "Left out", body)]


def _markdown(answer: Answer) -> list[str]:
    without, partly = excluded(answer), partly_invalid(answer)
    return [*titled("No valid trial", without), *titled("Trials left out", partly)]


def _print(answer: Answer, console: Console) -> None:
    print_list(console, "No valid trial:", excluded(answer))
    print_list(console, "Trials left out of rows above:", partly_invalid(answer))


SECTION = Section(60, lambda _: True, html=_html, markdown=_markdown, terminal=_print)
