"""The answer as one HTML file that opens offline: no script, no remote asset; everything from outside is escaped."""

from __future__ import annotations

from pathlib import Path

from wirelab.advice.answer import StoreView
from wirelab.model.answer import Answer
from wirelab.report import cell_text, device_html, provenance, ranking_reasons, sections
from wirelab.report.codec_section import codecs
from wirelab.report.rendering import filled, put


def write_html(answer: Answer, view: StoreView, path: Path) -> None:
    """Write the report to `path`: whole or not at all. `view` gives the samples and the trials."""
    put(path, page(answer, view))


def page(answer: Answer, view: StoreView) -> str:
    """The report as text."""
    records = view.results()
    return filled(
        "report.html",
        answer=answer,
        rankings=[sections.ranking(answer, one, view) for one in answer.rankings if one.rows],
        overall=sections.overall(answer) if len(answer.rankings) > 1 else None,
        colours=sections.palette(answer),
        objectives=[cell_text.title(name) for name in answer.objectives],
        codecs=codecs(answer.codecs),
        device=device_html.section(answer.device) if answer.device else None,
        links=[provenance.link(check) for check in answer.links],
        excluded=ranking_reasons.excluded(answer),
        partly_invalid=ranking_reasons.partly_invalid(answer),
        not_valid=provenance.not_valid(records),
        origin=provenance.origin(answer, records),
    )
