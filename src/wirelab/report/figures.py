"""The report's pictures from plain values: latency distribution, trade-off, trace of a link."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from wirelab.model.units import show
from wirelab.report import svg

# Marks on neighbouring lines stay apart up to this many of them.
MAX_CURVES = 8
# Half the width and height of a mark's letter, and how far it may move from its dot, in px.
_LETTER = (9.0, 8.0)
_REACH = (7.0, 15.0, 25.0, 37.0)


class Curve(Struct, frozen=True):
    """One row's latency distribution: (latency ns, share of sent messages that arrived by then),
    ascending.

    `mark` is the row's letter, `colour` an index into the palette, `dash` an index of the line
    style.
    """

    mark: str
    name: str
    colour: int
    dash: int
    points: Sequence[tuple[float, float]]


class Spot(Struct, frozen=True):
    """One row in the trade-off: value, low and high of latency (ns) and loss (fraction); wire
    bytes.

    `front`: no other row is better in one of the three and as good in the rest. `named`: it shows
    its mark.
    """

    mark: str
    name: str
    colour: int
    latency: tuple[float, float, float]
    loss: tuple[float, float, float]
    wire_bytes: float
    front: bool
    named: bool


def distribution(curves: Sequence[Curve], width: int, class_: str) -> str:
    """Latency against the share of sent messages; a line that ends below 100 % lost the rest."""
    height, left, bottom = 340, 56, 290
    x = svg.fit([at for curve in curves for at, _ in curve.points], left, width - 12)
    y = svg.Scale(0, 1, bottom, 34)
    body = svg.axis_bottom(x, 34, bottom, "ns", "latency from the intended send time", width // 125)
    body += svg.axis_left(y, left, width - 12, "fraction", "sent messages that have arrived")
    marks = ""
    for index, curve in enumerate(curves):
        body += svg.steps(curve.points, x, y, class_=f"curve c{curve.colour} d{curve.dash}")
        level = 0.1 + 0.8 * (index + 0.5) / len(curves)
        marks += svg.lettered(*_meet(curve.points, level, x, y), curve.mark, curve.name, curve.colour)
    described = "; ".join(f"{curve.mark}: {curve.name}" for curve in curves)
    return svg.picture(width, height, "Latency distribution", described, body + marks, class_)


def _meet(
    points: Sequence[tuple[float, float]], level: float, x: svg.Scale, y: svg.Scale
) -> tuple[float, float]:
    top = points[-1][1]
    at, share = next((point for point in points if point[1] >= level * top), points[-1])
    return x.at(at), y.at(min(share, level * top))


def tradeoff(spots: Sequence[Spot], width: int, class_: str) -> str:
    """Latency against loss with the dot's area as wire bytes; against wire bytes where nothing was
    lost.
    """
    lossy = any(spot.loss[0] > 0 for spot in spots)
    height, left, bottom = 380, 64, 330
    x = svg.fit([end for spot in spots for end in svg.reach(*spot.latency)], left + 10, width - 26)
    if lossy:
        y = svg.fit([value for spot in spots for value in spot.loss], bottom - 12, 46, zero=True)
        y, unit, title = svg.Scale(y.low, min(y.high, 1.0), y.start, y.end), "fraction", "messages lost"
    else:
        y = svg.fit([spot.wire_bytes for spot in spots], bottom - 12, 46)
        unit, title = "B", "bytes on the wire per message"
    body = svg.axis_bottom(x, 34, bottom, "ns", "median latency", width // 125)
    body += svg.axis_left(y, left, width - 12, unit, title)
    largest = max((spot.wire_bytes for spot in spots), default=0.0) or 1.0
    placed: list[tuple[float, float]] = []
    for spot in sorted(spots, key=lambda spot: (spot.front, spot.named, -spot.wire_bytes)):
        at = x.at(spot.latency[0]), y.at(spot.loss[0] if lossy else spot.wire_bytes)
        radius = 4 + 12 * (spot.wire_bytes / largest) ** 0.5 if lossy else 6.0
        body += _spot(spot, at, radius, x, y if lossy else None)
        placed.append(at)
    letters = ""
    for spot in (spot for spot in spots if spot.named):
        at = x.at(spot.latency[0]), y.at(spot.loss[0] if lossy else spot.wire_bytes)
        place = next(_free(at, placed, (left, width - 12, 34, bottom)), at)
        placed.append(place)
        # Leader lines are drawn below all letters.
        body += svg.line(*at, *place, f"leader c{spot.colour}")
        letters += svg.lettered(*place, spot.mark, spot.name, spot.colour, 8.5)
    described = "; ".join(f"{spot.mark}: {spot.name}" for spot in spots if spot.named)
    return svg.picture(width, height, "Loss, latency and bytes", described, body + letters, class_)


def _spot(spot: Spot, at: tuple[float, float], radius: float, x: svg.Scale, y: svg.Scale | None) -> str:
    whiskers = ""
    if spot.named:
        whiskers = svg.line(
            x.at(spot.latency[1]), at[1], x.at(spot.latency[2]), at[1], f"whisker c{spot.colour}"
        )
        if y is not None:
            whiskers += svg.line(
                at[0], y.at(spot.loss[1]), at[0], y.at(spot.loss[2]), f"whisker c{spot.colour}"
            )
    title = f"{spot.mark} {spot.name}: {show(spot.latency[0], 'ns')}, {show(spot.loss[0], 'fraction')} lost, "
    title += f"{show(spot.wire_bytes, 'B')} on the wire"
    edge = " front" if spot.front else ""
    return whiskers + svg.dot(*at, radius, title, class_=f"spot f{spot.colour}{edge}")


def _free(
    at: tuple[float, float], placed: Sequence[tuple[float, float]], box: tuple[float, ...]
) -> Iterator[tuple[float, float]]:
    """Positions for a letter near `at`, nearest first, inside the box and clear of other letters."""
    wide, high = _LETTER
    for reach in _REACH:
        for dx, dy in ((1, -1), (1, 0), (0, -1), (-1, -1), (1, 1), (-1, 0), (0, 1), (-1, 1)):
            x, y = at[0] + dx * (reach + 8), at[1] + dy * (reach + 8)
            inside = box[0] + wide < x < box[1] - wide and box[2] < y < box[3] - high
            if inside and all(abs(x - px) > 2 * wide or abs(y - py) > 2 * high for px, py in placed):
                yield x, y


def capacity(points: Sequence[tuple[float, float]], name: str, width: int, class_: str) -> str:
    """A link's capacity (bit/s) over time (s)."""
    height, left, bottom = 200, 76, 150
    x = svg.Scale(points[0][0], max(points[-1][0], points[0][0] + 1e-9), left, width - 12)
    y = svg.fit([rate for _, rate in points], bottom, 34, zero=True)
    body = svg.axis_bottom(x, 34, bottom, "s", "time", width // 125)
    body += svg.axis_left(y, left, width - 12, "bit/s", "capacity", 3)
    body += svg.steps(points, x, y, class_="curve c0 d0")
    return svg.picture(
        width, height, f"Capacity of {name}", f"capacity over time of the link {name}", body, class_
    )


def front(rows: Sequence[tuple[float, ...]]) -> list[bool]:
    """Which rows are on the Pareto front; lower values are better."""

    def beaten(row: tuple[float, ...]) -> bool:
        return any(other != row and all(o <= r for o, r in zip(other, row, strict=True)) for other in rows)

    return [not beaten(row) for row in rows]
