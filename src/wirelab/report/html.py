"""The answer as one HTML file that opens offline: no script, no remote asset; everything from outside is escaped."""

from __future__ import annotations

import os
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from wirelab import __version__
from wirelab.advice.answer import StoreView
from wirelab.model.answer import Answer
from wirelab.report import cells, device_html, provenance, sections
from wirelab.report.codec_section import codecs


def write_html(answer: Answer, view: StoreView, path: Path) -> None:
    """Write the report to `path`: whole or not at all. `view` gives the samples and the trials."""
    part = path.with_name(path.name + ".part")
    part.write_text(page(answer, view), encoding="utf-8", errors="replace")
    os.replace(part, path)


def page(answer: Answer, view: StoreView) -> str:
    """The report as text."""
    environment = Environment(
        loader=PackageLoader("wirelab.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    records = view.results()
    return environment.get_template("report.html").render(
        answer=answer,
        version=__version__,
        rankings=[sections.ranking(answer, one, view) for one in answer.rankings if one.rows],
        overall=overall(answer) if len(answer.rankings) > 1 else None,
        colours=sections.palette(answer),
        objectives=[cells.title(name) for name in answer.objectives],
        codecs=codecs(answer.codecs),
        device=device_html.section(answer.device) if answer.device else None,
        links=[provenance.link(check) for check in answer.links],
        excluded=cells.excluded(answer),
        blemished=cells.blemished(answer),
        no_evidence=provenance.no_evidence(records),
        origin=provenance.origin(answer, records),
    )


def overall(answer: Answer) -> sections.Values:
    """The choices over all contexts, each by its worst one."""
    metrics = cells.metrics(answer)
    rows = [
        {
            "place": place,
            "tied": bool(bracket),
            "last": bracket in ("", "└"),
            "label": choice.label,
            "figures": [sections.number(choice.worst.get(name)) for name in metrics],
            "held": choice.held,
            "failed": ", ".join(met.need for met in choice.met if met.held is not choice.held.HOLDS),
        }
        for choice, place, bracket in zip(
            answer.overall, cells.places(answer.overall), cells.brackets(answer.overall), strict=True
        )
    ]
    return {"metrics": [cells.title(name) for name in metrics], "rows": rows}
