"""Time and bytes of the codecs of the run."""

from __future__ import annotations

from wirelab.advice.answer import StoreView
from wirelab.model.answer import Answer
from wirelab.model.origin import origin_of
from wirelab.report import codec_section, csv, markdown_codecs
from wirelab.report.codec_cells import not_carried
from wirelab.report.markdown_text import titled
from wirelab.report.rendering import render
from wirelab.report.section import Part, Section


def _html(answer: Answer, _view: StoreView) -> list[Part]:
    values = codec_section.codecs(answer.codecs)
    return [Part("codecs", "Codecs", render("sections/codecs.html", codecs=values))]


def _markdown(answer: Answer) -> list[str]:
    table = markdown_codecs.codecs(answer.codecs)
    return ["## Codecs", table, *titled("Not carried", not_carried(answer.codecs))]


def _csv(answer: Answer, _view: StoreView) -> str:
    return csv.codecs(answer.codecs, origin_of(answer.meta))


SECTION = Section(40, lambda answer: bool(answer.codecs), html=_html, markdown=_markdown, csv=_csv)
