"""A device's pictures: cycles against bytes, and energy over the energy per byte."""

from __future__ import annotations

from collections.abc import Sequence

from wirelab.model.device import DeviceRun, OnDevice
from wirelab.model.units import show
from wirelab.report import cell_text, svg

POINTS = 80
"""Number of points at which a curve is calculated."""
DEAREST = 20.0
"""Curves end at this multiple of the cheapest codec's energy."""
_NAME = 90.0
"""Width of a radio's name in pixels."""


def cost(run: DeviceRun, width: int, class_: str) -> str:
    """Cost of serializing against bytes per message: left is faster, low is smaller."""
    rows, height, left, bottom = run.measured, 312, 64, 270
    has_model = all(row.serialize_cycles for row in rows)
    counts = [row.cycles if has_model else row.serialize for row in rows]
    x = svg.fit(counts, left + 16, width - 40)
    y = svg.fit([row.size for row in rows], bottom - 12, 46)
    unit = "modelled cycles" if has_model else run.counted
    body = svg.axis_bottom(x, 34, bottom, "", f"{unit} to serialize a message", width // 125)
    body += svg.axis_left(y, left, width - 12, "B", "bytes per message")
    heights = svg.spread([y.at(row.size) for row in rows], 19, 40, bottom - 10)
    marks = ""
    for index, (row, count, at) in enumerate(zip(rows, counts, heights, strict=True)):
        title, colour = f"{row.codec}: {count:,.0f} {unit}, {row.size:.1f} B", index % svg.COLOURS
        body += svg.line(x.at(count), y.at(row.size), x.at(count) + 18, at, f"leader c{colour}")
        body += svg.dot(x.at(count), y.at(row.size), 5, title, class_=f"disc f{colour}")
        marks += _mark(x.at(count) + 18, at, index, row)
    return svg.picture(width, height, f"Cost on {run.title}", _named(rows), body + marks, class_)


def price(run: DeviceRun, width: int, class_: str) -> str:
    """Energy of a message as a multiple of the cheapest codec's, over the radio's energy per byte.

    A flip point is where one curve leaves 1 and another reaches it.
    """
    rows, height, left, bottom = run.measured, 320 + 16 * len(run.radios), 64, 268
    marked = [flip.nj_per_byte for flip in run.flips] + [end for r in run.radios for end in (r.low, r.high)]
    known = [value for value in marked if value > 0] or [1.0]
    low, high = min(known) / 30, max(known) * 30
    prices = [low * (high / low) ** (step / POINTS) for step in range(POINTS + 1)]
    ratios = [_ratios(rows, one, run.overhead) for one in prices]
    top = min(max(max(one) for one in ratios), DEAREST)
    x = svg.Scale(low, high, left, width - 34, log=True)
    y = svg.Scale(1.0, max(top, 1.1) * 1.03, bottom, 46, log=top > 3)
    body = svg.axis_bottom(x, 34, bottom, "nJ", "energy per byte sent", width // 125)
    body += svg.axis_left(y, left, width - 34, "", "energy, times the cheapest codec's")
    body += _radios(run, x, bottom + 57)
    for index in range(len(rows)):
        path = "".join(
            f"{'L' if at else 'M'}{x.at(one):.1f} {y.at(ratio[index]):.1f}"
            for at, (one, ratio) in enumerate(zip(prices, ratios, strict=True))
        )
        dash, colour = divmod(index, svg.COLOURS)
        body += svg.tag("path", d=path, fill="none", class_=f"curve c{colour} d{dash % 4}")
    for flip in run.flips:
        title = f"from {show(flip.nj_per_byte, 'nJ')} per byte on {flip.after} costs less than {flip.before}"
        body += svg.dot(x.at(flip.nj_per_byte), y.at(1.0), 5, title, class_="disc f7")
    ends = svg.spread([y.at(one) for one in ratios[-1]], 19, 40, bottom - 4)
    marks = "".join(_mark(width - 20, at, index, rows[index]) for index, at in enumerate(ends))
    return svg.picture(width, height, f"Energy on {run.title}", _named(rows), body + marks, class_)


def _ratios(rows: Sequence[OnDevice], nj_per_byte: float, overhead: float) -> list[float]:
    energy = [row.compute_nj + (row.size + overhead) * nj_per_byte for row in rows]
    least = min(energy) or 1.0
    return [min(one / least, DEAREST) for one in energy]


def _radios(run: DeviceRun, x: svg.Scale, top: float) -> str:
    """Each radio's span of energy per byte as a thick line below the axis, with its name."""
    drawn = ""
    for index, radio in enumerate(run.radios):
        at = top + 16 * index
        start, end = (x.at(max(value, x.low)) for value in (radio.low, radio.high))
        drawn += svg.line(start - 2, at, end + 2, at, "span")
        place, side = (start - 6, "end") if start - x.start > x.end - end else (end + 6, "start")
        if max(start - x.start, x.end - end) < _NAME:
            place, side = (start + end) / 2, "middle"
        drawn += svg.text(place, at + 4, radio.name[:12], "tick", side)
    return drawn


def _mark(x: float, y: float, index: int, row: OnDevice) -> str:
    return svg.lettered(x, y, cell_text.letter(index), row.codec, index % svg.COLOURS)


def _named(rows: Sequence[OnDevice]) -> str:
    return "; ".join(f"{cell_text.letter(index)}: {row.codec}" for index, row in enumerate(rows))
