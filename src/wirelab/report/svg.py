"""Charts as SVG text.

Colours are CSS custom properties: one picture serves dark, light and print.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from html import escape

from msgspec import Struct

from wirelab.model.units import show

COLOURS = 8
"""The number of colours in the style sheet: classes c0, f0 and k0 to c7, f7 and k7."""
# A logarithmic axis pays only when the values span more than this factor.
_LOG_FROM = 20.0


class Scale(Struct, frozen=True):
    """Values from `low` to `high` laid out from pixel `start` to pixel `end`."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """The pixel of a value; values outside the range stay on its edge."""
        value = min(max(value, self.low), self.high)
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, count: int = 5) -> list[float]:
        """About `count` round values inside the range, ascending."""
        return _log_ticks(self.low, self.high, count) if self.log else nice_ticks(self.low, self.high, count)


def fit(values: Iterable[float], start: float, end: float, zero: bool = False, log: bool = True) -> Scale:
    """A scale that holds `values`: from zero with `zero`; logarithmic, if allowed, for a wide span."""
    finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    if log and not zero and low > 0 and high / low > _LOG_FROM:
        return Scale(low / 1.1, high * 1.1, start, end, log=True)
    low = min(low, 0.0) if zero else low
    pad = (high - low) * 0.04 or abs(high) * 0.1 or 1.0
    return Scale(low if zero or low - pad < 0 <= low else low - pad, high + pad, start, end)


def reach(value: float, low: float, high: float) -> tuple[float, float, float]:
    """The part of a value and its interval that a scale must hold.

    An interval down to zero runs to the edge, so that the axis may still be logarithmic.
    """
    return max(low, value / 3), value, high


def nice_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten in [low, high]."""
    if not high > low:
        return [low]
    raw = (high - low) / max(count, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= raw * 0.71)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{index * step:.12g}") for index in range(first, last + 1)]


def _log_ticks(low: float, high: float, count: int) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [float(f"{s * 10.0**p:.12g}") for p in powers for s in steps if low <= s * 10.0**p <= high]
        if len(ticks) <= count + 1:
            return ticks
    return ticks[:: math.ceil(len(ticks) / (count + 1))]


def tick_text(value: float, unit: str) -> str:
    """A tick's value with its unit, without digits that say nothing: `50 ms`, `2.5 s`."""
    if unit == "bit/s":
        scale, unit = next(
            (s for s in ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")) if value >= s[0]), (1, unit)
        )
        value /= scale
    return re.sub(r"(\.\d*?)0+(?= |$)", lambda match: match[1].rstrip("."), show(value, unit))


def tag(name: str, content: str = "", /, **attributes: object) -> str:
    """An element. Attribute values are escaped, `content` is not; `_` in a key becomes `-`."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_number(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def _number(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def text(x: float, y: float, content: str, class_: str | None = None, anchor: str | None = None) -> str:
    """Escaped text at a point; `anchor` is start, middle or end."""
    return tag("text", escape(content), x=float(x), y=float(y), class_=class_, text_anchor=anchor)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    """A straight line."""
    return tag("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), class_=class_)


def axis_bottom(scale: Scale, top: float, bottom: float, unit: str, title: str, count: int = 6) -> str:
    """Grid lines from `top` to `bottom`, tick texts below them, and the title below those.

    The title names a logarithmic scale.
    """
    parts = []
    for value in scale.ticks(count):
        x = scale.at(value)
        anchor = (
            "end" if x > scale.end - 18 else "start" if x < scale.start + 4 and scale.start < 20 else "middle"
        )
        parts += [
            line(x, top, x, bottom, "grid"),
            text(x, bottom + 17, tick_text(value, unit), "tick", anchor),
        ]
    middle = (scale.start + scale.end) / 2
    return "".join([*parts, text(middle, bottom + 37, _titled(title, scale), "axis", "middle")])


def axis_left(scale: Scale, left: float, right: float, unit: str, title: str, count: int = 5) -> str:
    """Grid lines from `left` to `right`, tick texts left of them, and the title above, flush left.

    The title names a logarithmic scale.
    """
    parts = []
    for value in scale.ticks(count):
        y = scale.at(value)
        parts += [
            line(left, y, right, y, "grid"),
            text(left - 7, y + 4, tick_text(value, unit), "tick", "end"),
        ]
    above = min(scale.start, scale.end) - 12
    return "".join([*parts, text(2.0, above, _titled(title, scale), "axis", "start")])


def _titled(title: str, scale: Scale) -> str:
    return f"{title} (logarithmic)" if scale.log else title


def steps(points: Sequence[tuple[float, float]], x: Scale, y: Scale, **attributes: object) -> str:
    """A line that holds each y until the next x: an empirical distribution, a trace."""
    path, last = "", None
    for px, py in ((x.at(px), y.at(py)) for px, py in points):
        path += f"M{px:.1f} {py:.1f}" if last is None else f"H{px:.1f}" + (f"V{py:.1f}" if py != last else "")
        last = py
    return tag("path", d=path, fill="none", **attributes)


def dot(x: float, y: float, radius: float, title: str, **attributes: object) -> str:
    """A circle with a title that pointers and screen readers find."""
    return tag("circle", tag("title", escape(title)), cx=float(x), cy=float(y), r=float(radius), **attributes)


def lettered(x: float, y: float, letter: str, name: str, colour: int, radius: float = 9.0) -> str:
    """A row's letter on a disc of its colour."""
    disc = dot(x, y, radius, name, class_=f"disc f{colour}")
    return disc + text(x, y + 4, letter, "letter", "middle")


def bar(parts: Sequence[tuple[str, float, str]], whole: float, title: str, height: int = 14) -> str:
    """Parts (class, value, title) in a row, each as wide as its share of `whole`."""
    at, drawn = 0.0, tag("title", escape(title))
    for class_, value, name in parts:
        width = 100 * value / whole if whole > 0 else 0.0
        if width > 0:
            label = tag("title", escape(name))
            drawn += tag("rect", label, x=f"{at:.2f}%", width=f"{width:.2f}%", height="100%", class_=class_)
        at += width
    return tag("svg", drawn, class_="bar", width="100%", height=height, role="img", aria_label=title)


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions moved as little as needed to be `gap` apart inside [low, high], in the given order."""
    order = sorted(range(len(positions)), key=lambda index: positions[index])
    moved = [0.0] * len(positions)
    floor = low
    for index in order:
        moved[index] = max(positions[index], floor)
        floor = moved[index] + gap
    ceiling = high
    for index in reversed(order):
        moved[index] = min(moved[index], ceiling)
        ceiling = moved[index] - gap
    return moved


def picture(width: int, height: int, title: str, description: str, body: str, class_: str = "") -> str:
    """A whole picture with the title and description that assistive software reads out."""
    named = tag("title", escape(title)) + tag("desc", escape(description))
    return tag(
        "svg",
        named + body,
        viewBox=f"0 0 {width} {height}",
        role="img",
        aria_label=title,
        class_=f"picture {class_}".strip(),
    )
