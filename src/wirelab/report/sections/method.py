"""How it was measured: command, study, machine, peers and servers."""

from __future__ import annotations

from wirelab.advice.answer import StoreView
from wirelab.model.answer import Answer
from wirelab.report import provenance
from wirelab.report.rendering import render
from wirelab.report.section import Part, Section


def _html(answer: Answer, view: StoreView) -> list[Part]:
    origin = provenance.origin(answer, view.results())
    return [Part("how", "How it was measured", render("sections/method.html", origin=origin))]


SECTION = Section(80, lambda _: True, html=_html)
