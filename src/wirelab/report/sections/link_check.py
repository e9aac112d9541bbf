"""The check of each emulated link before it was used."""

from __future__ import annotations

from wirelab.advice.answer import StoreView
from wirelab.model.answer import Answer
from wirelab.report import provenance
from wirelab.report.rendering import render
from wirelab.report.section import Part, Section


def _html(answer: Answer, _view: StoreView) -> list[Part]:
    links = [provenance.link(check) for check in answer.links]
    return [Part("links", "Link check", render("sections/link_check.html", links=links))]


SECTION = Section(50, lambda answer: bool(answer.links), html=_html)
