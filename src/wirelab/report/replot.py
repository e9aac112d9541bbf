"""The figures of a study over links, redrawn from its measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from wirelab.model.metrics import metric
from wirelab.studies.claims import Figure
from wirelab.studies.expression import number
from wirelab.studies.published_tables import Drawing, Published, Series, Table
from wirelab.studies.results import Place
from wirelab.studies.study_file import Chart, Paper


def redraw(paper: Paper, figures: Mapping[str, Figure], places: Sequence[Place]) -> list[Table]:
    """Every figure that the study file names and that has an estimate."""
    found = (_redrawn(paper, figures, places, chart) for chart in paper.charts)
    return [table for table in found if table is not None]


def _redrawn(
    paper: Paper, figures: Mapping[str, Figure], places: Sequence[Place], chart: Chart
) -> Table | None:
    own = [place for place in places if place.part == chart.part and _shown(place, chart.series)]
    levels = _levels(paper, chart, own)
    table, names = {}, dict[str, None]()
    for place in own:
        for measured, after in ((chart.metric, ""), (chart.second_metric, f", {chart.second_metric}")):
            figure = figures.get(f"{place.name}.{measured}")
            if figure is not None and figure.estimate is not None:
                names[place.series + after] = None
                table[place.series + after, _level(place, chart.x_axis) or ""] = figure.estimate
    if not table:
        return None
    series = [Series(name, [table.get((name, level)) for level in levels]) for name in names]
    annotations = [
        Published(
            number(m.low), number(m.high or m.low), levels.index(m.at) if m.at in levels else None,
            f"published: {m.series} {m.low} {m.high}".strip(),
        )
        for m in chart.annotations
        if not m.at or m.at in levels
    ]  # fmt: skip
    unit = next(iter(table.values())).unit
    return Table(
        chart.title,
        levels,
        [(one.name, [str(e) if e else "-" for e in one.estimates]) for one in series],
        chart.locator,
        "delivery",
        Drawing(metric(chart.metric).title, unit, chart.x_axis, levels, series, annotations),
    )


def _levels(paper: Paper, chart: Chart, own: Sequence[Place]) -> list[str]:
    """The measured levels of a figure, in the order of the study file (trials run in another)."""
    measured = dict.fromkeys(level for place in own if (level := _level(place, chart.x_axis)))
    written = [
        level
        for p in paper.parts
        if p.name == chart.part
        for level in getattr(p.study, p.study.load_factor if chart.x_axis == "rate" else chart.x_axis, ())
    ]
    return sorted(measured, key=lambda level: written.index(level) if level in written else len(written)) or [
        ""
    ]


def _level(place: Place, over: str) -> str | None:
    """Its level of a factor. Utilizations had the factor `rate` until they had their own name."""
    found = place.levels.get(over)
    return place.levels.get("utilization") if found is None and over == "rate" else found


def _shown(place: Place, series: str) -> bool:
    """Requests of one kind are shown where a figure names them."""
    return fnmatchcase(place.series, series) and (not place.request or series != "*")
