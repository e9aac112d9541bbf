"""A figure of a study as SVG: estimates with intervals over the levels of a factor, published
values.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from wirelab.report import svg
from wirelab.studies.published_tables import Drawing, Published, Series

_GAP = 5.0
# About what a letter of a level's name is wide; names too wide for one row take turns on two.
_LETTER = 7.0


def chart(asked: Drawing) -> str:
    """The picture as SVG text."""
    width, height, left, top, bottom = 860, 360, 70, 40, 300
    title, unit, levels, series, marks = (
        asked.title,
        asked.unit,
        asked.levels,
        asked.series,
        asked.annotations,
    )
    shown = [e for one in series for e in one.estimates if e]
    values = [end for e in shown for end in svg.reach(e.value, e.low, e.high)]
    y = svg.fit(
        [*values, *(end for mark in marks for end in (mark.low, mark.high))], bottom - 4, top, log=True
    )
    step = (width - left - 20) / max(1, len(levels))
    body = svg.axis_left(y, left, width - 12, unit, title)
    rows = 2 if any(_LETTER * len(level) > step for level in levels) else 1
    for index, level in enumerate(levels):
        body += svg.text(
            left + step * (index + 0.5), bottom + 16 + 13 * (index % rows), level, "tick", "middle"
        )
    body += svg.text((left + width) / 2, bottom + 48, asked.x_axis, "axis", "middle")
    body += "".join(_mark(mark, left, step, len(levels), y) for mark in marks)
    spread = min(_GAP, step / (len(series) + 1))
    for index, one in enumerate(series):
        shift = (index - (len(series) - 1) / 2) * spread
        places = [left + step * (k + 0.5) + shift for k in range(len(levels))]
        body += _line(one, index % svg.COLOURS, places, y, asked.joined)
    described = f"{title} over {asked.x_axis}: {', '.join(one.name for one in series)}"
    return svg.picture(width, height, title, described, body)


def _mark(mark: Published, left: float, step: float, levels: int, y: svg.Scale) -> str:
    begin = left + step * mark.at if mark.at is not None else left
    wide = step if mark.at is not None else step * levels
    low, high = y.at(mark.low), y.at(mark.high)
    named = svg.tag("title", escape(mark.title))
    return svg.tag(
        "rect", named, x=begin, y=high - 1, width=wide, height=max(2.0, low - high + 2), class_="published"
    )


def _line(one: Series, colour: int, places: Sequence[float], y: svg.Scale, joined: bool) -> str:
    drawn, path = "", ""
    for x, estimate in zip(places, one.estimates, strict=True):
        if estimate is None:
            path += " "
            continue
        at = y.at(estimate.value)
        path += f"{'L' if path and not path.endswith(' ') else 'M'}{x:.1f} {at:.1f}"
        drawn += svg.line(x, y.at(estimate.low), x, y.at(estimate.high), f"whisker c{colour}")
        drawn += svg.dot(x, at, 3.5, f"{one.name}: {estimate}", class_=f"f{colour}")
    if not joined:
        return drawn
    return svg.tag("path", d=path.strip() or "M0 0", fill="none", class_=f"curve c{colour}") + drawn
