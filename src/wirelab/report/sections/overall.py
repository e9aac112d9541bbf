"""All contexts together: each choice by its worst one."""

from __future__ import annotations

from wirelab.advice.answer import StoreView
from wirelab.model.answer import Answer
from wirelab.report import ranking_html
from wirelab.report.rendering import render
from wirelab.report.section import Part, Section


def _html(answer: Answer, _view: StoreView) -> list[Part]:
    overall = ranking_html.overall(answer)
    body = render("sections/overall.html", overall=overall, thresholds=bool(answer.thresholds))
    return [Part("overall", "All links together", body)]


SECTION = Section(10, lambda answer: len(answer.rankings) > 1, html=_html)
