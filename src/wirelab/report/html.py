"""The answer as one HTML file that opens offline: no script, no remote asset, outside text escaped."""

from __future__ import annotations

from pathlib import Path

from wirelab.advice.answer import StoreView
from wirelab.model.answer import Answer
from wirelab.model.origin import origin_of
from wirelab.model.trial import State
from wirelab.report import cell_text
from wirelab.report.rendering import put, render_page
from wirelab.report.section import sections


def write_html(answer: Answer, view: StoreView, path: Path) -> None:
    """Write the report to `path` atomically. `view` gives the samples and the trials."""
    put(path, page(answer, view))


def page(answer: Answer, view: StoreView) -> str:
    """The report as text."""
    records = view.results()
    return render_page(
        "report.html",
        origin=origin_of(answer.meta),
        answer=answer,
        objectives=[cell_text.title(name) for name in answer.objectives],
        valid=sum(one.result is not None and one.result.verdict.state is State.VALID for one in records),
        trials=len(records),
        parts=[part for one in sections(answer).values() if one.html for part in one.html(answer, view)],
    )
