"""The report's ranked tables and their pictures, as plain values for the template."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from wirelab.advice.answer import StoreView
from wirelab.model.answer import Answer, Choice, Ranking, Row, Status
from wirelab.model.units import show, show_duration
from wirelab.report import cell_text, figures, ranking_reasons, svg
from wirelab.report.html_values import Values, both, number
from wirelab.report.samples import arrived_by, worth_drawing

MAX_SHARES = 12
_THREE = ("latency_p50", "loss", "wire_bytes")
_CLASSES = {Status.PASS: "yes", Status.INCONCLUSIVE: "quiet", Status.FAIL: "no"}


def palette(answer: Answer) -> tuple[str, dict[str, int]]:
    """The factor that the colours of all pictures show, and the colour of each of its levels."""
    rows = [row for ranking in answer.rankings for row in ranking.rows]
    for level in ("protocol", "format", "qos"):
        seen = dict.fromkeys(row.levels.get(level, "") for row in rows)
        if len(seen) > 1:
            return level, {name: index % svg.COLOURS for index, name in enumerate(seen)}
    return "protocol", {row.levels.get("protocol", ""): 0 for row in rows}


def ranking(answer: Answer, one: Ranking, view: StoreView) -> Values:
    """A ranked table with its pictures."""
    level, colours = palette(answer)
    tint = [colours[row.levels.get(level, "")] for row in one.rows]
    columns, metrics = cell_text.choices(answer), cell_text.metrics(answer)
    rows: list[Values] = [
        {
            "letter": cell_text.letter(index),
            "colour": colour,
            **mark,
            "choice": [row.choice.get(name, "") for name in columns],
            "figures": [
                number(row.estimates.get(name)) or {"value": cell_text.missing(row, name), "interval": ""}
                for name in metrics
            ],
            "thresholds": cell_text.threshold_text(row),
            "status": _CLASSES[row.status],
            "evidence": "; ".join(
                f"{result.threshold}: {result.status} ({result.evidence})" for result in row.thresholds
            ),
            "notes": "; ".join(note.text for note in row.notes),
            "valid": f"{row.tally.valid} of {sum((row.tally.valid, row.tally.invalid, row.tally.skipped, row.tally.failed, row.tally.missing))}",
        }
        for index, (row, mark, colour) in enumerate(zip(one.rows, _marks(one.rows), tint, strict=True))
    ]
    return {
        "where": cell_text.where(one),
        "headline": one.headline,
        "columns": columns,
        "metrics": [cell_text.title(name) for name in metrics],
        "rows": rows,
        "any_tied": any(row["tied"] for row in rows),
        "on_the_wire": cell_text.as_sentence(cell_text.wire_legend(answer))
        if "wire_bytes" in metrics
        else "",
        "any_equal": any("=" in row["place"] for row in rows),
        "any_inconclusive": any(row.inconclusive for row in one.rows),
        "overloaded": any(row.overloaded for row in one.rows),
        "any_open": any(e.open_above for row in one.rows for e in row.estimates.values()),
        "distribution": _distribution(one, tint, columns, view),
        "tradeoff": _tradeoff(one.rows, tint, columns),
        "shares": _shares(one.rows, tint, columns),
        "failed": ranking_reasons.failed(answer, one),
        "undecided": ranking_reasons.inconclusive(answer, one),
        "notes": ranking_reasons.notes(answer, one),
        "floors": ranking_reasons.floors(answer, one),
        "floors_title": cell_text.FLOORS,
    }


def overall(answer: Answer) -> Values:
    """The choices over all contexts, each by its worst one."""
    metrics = cell_text.metrics(answer)
    rows = [
        {
            **mark,
            "label": choice.label,
            "figures": [number(choice.worst.get(name)) for name in metrics],
            "thresholds": cell_text.threshold_text(choice),
            "status": _CLASSES[choice.status],
        }
        for choice, mark in zip(answer.overall, _marks(answer.overall), strict=True)
    ]
    return {"metrics": [cell_text.title(name) for name in metrics], "rows": rows}


def _marks(rows: Sequence[Row | Choice]) -> list[Values]:
    """Each row's rank, whether it ties with its neighbours, and whether it is the last that does."""
    marks = zip(cell_text.ranks(rows), cell_text.brackets(rows), strict=True)
    return [{"place": place, "tied": bool(bracket), "last": bracket in ("", "└")} for place, bracket in marks]


def _name(row: Row, columns: Sequence[str]) -> str:
    return f"{row.choice.get('format', '')} {cell_text.delivery(row, columns)}".strip()


def _distribution(
    one: Ranking, tint: Sequence[int], columns: Sequence[str], view: StoreView
) -> Values | None:
    """The curves of the rows worth drawing, and of the best floor as a reference."""
    rows = one.rows
    curves: list[figures.Curve] = []
    for index in worth_drawing(rows, tint, figures.MAX_CURVES):
        points = arrived_by(view, rows[index])
        if points:
            dash = sum(curve.colour == tint[index] for curve in curves) % 4
            name = _name(rows[index], columns)
            curves.append(figures.Curve(cell_text.letter(index), name, tint[index], dash, points))
    if not curves:
        return None
    lines = len(curves)
    if one.floors and (points := arrived_by(view, one.floors[0])):
        name = f"{_name(one.floors[0], columns)}, a floor"
        curves.append(figures.Curve("*", name, svg.COLOURS - 1, 1, points))
    key = [
        {
            "letter": c.mark,
            "name": c.name,
            "colour": c.colour,
            "never": show(1 - c.points[-1][1], "fraction").replace(" ", "\N{NO-BREAK SPACE}")
            if c.points[-1][1] < 1 - 1e-9
            else "",
        }
        for c in curves
    ]
    return {"picture": both(figures.distribution, curves), "key": key, "all": lines == len(rows)}


def _tradeoff(rows: Sequence[Row], tint: Sequence[int], columns: Sequence[str]) -> Values | None:
    known = [i for i, row in enumerate(rows) if all(name in row.estimates for name in _THREE)]
    if len(known) < 2:
        return None
    three = [tuple(rows[i].estimates[name].value for name in _THREE) for i in known]
    front = figures.front(three)
    labelled = {i for i, best in zip(known, front, strict=True) if best} | set(worth_drawing(rows, tint, 4))
    spots = []
    for i, best in zip(known, front, strict=True):
        latency, loss = (
            (e.value, e.low, e.high) for e in (rows[i].estimates[n] for n in ("latency_p50", "loss"))
        )
        wire = rows[i].estimates["wire_bytes"].value
        spots.append(
            figures.Spot(
                cell_text.letter(i),
                _name(rows[i], columns),
                tint[i],
                latency,
                loss,
                wire,
                best,
                i in labelled,
            )
        )
    return {
        "picture": both(figures.tradeoff, spots),
        "front": [{"letter": s.mark, "name": s.name, "colour": s.colour} for s in spots if s.front],
        "lossy": any(spot.loss[0] > 0 for spot in spots),
    }


def _parts(rows: Sequence[Row]) -> tuple[list[str], list[tuple[int, Row, list[tuple[str, float]]]]]:
    """The names of all parts that some row has, and each row with its time in each of them."""
    each = [dict(cell_text.parts(row.shares, row.path)) for row in rows]
    every = (cell_text.BATCH, "queue", "encode", "wire", "server", *cell_text.PATH, "decode")
    names = [name for name in every if any(own.get(name) for own in each)]
    return names, [
        (index, row, [(name, own.get(name, 0.0)) for name in names])
        for index, (row, own) in enumerate(zip(rows, each, strict=True))
    ]


def _shares(rows: Sequence[Row], tint: Sequence[int], columns: Sequence[str]) -> Values | None:
    named, shown = _parts(rows[:MAX_SHARES])
    longest = max((sum(ns for _, ns in parts) for _, _, parts in shown), default=0.0)
    if longest <= 0:
        return None
    drawn = []
    for index, row, parts in shown:
        whole = sum(ns for _, ns in parts)
        titled = [(name, ns, f"{name} {show_duration(ns)}") for name, ns in parts if ns]
        titles = ", ".join(title for _, _, title in titled)
        bar = Markup(svg.bar(titled, longest, f"{_name(row, columns)}: {titles}"))
        drawn.append(
            {
                "letter": cell_text.letter(index),
                "colour": tint[index],
                "name": _name(row, columns),
                "bar": bar,
                "parts": [show_duration(ns) if ns else "-" for _, ns in parts],
                "why": row.why.text if row.why else "",
                "whole": number(row.estimates.get("latency_mean"))
                or {"value": show_duration(whole), "interval": "", "about": ""},
            }
        )
    joined = any(not row.shares.separable and not row.path.messages for _, row, _ in shown)
    return {
        "rows": drawn,
        "names": named,
        "joined": joined,
        "told": any(row["why"] for row in drawn),
        "more": len(rows) - len(shown),
    }
