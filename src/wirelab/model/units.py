"""Conversion between quantities as users write them and stored units (ns, bytes, bit/s)."""

from __future__ import annotations

import math
import re

from wirelab.model.errors import BadInput

NS = {"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9}
PERIODS = {"d": 86400e9, "day": 86400e9, "week": 7 * 86400e9, "month": 30 * 86400e9}
BYTES = {
    "": 1,
    "B": 1,
    "kB": 1e3,
    "MB": 1e6,
    "GB": 1e9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
NJ = {"nJ": 1, "uJ": 1e3, "µJ": 1e3, "mJ": 1e6, "J": 1e9}
DAYS = {"d": 1, "days": 1, "y": 365.25, "years": 365.25}
COUNTS = {"": 1, "k": 1e3, "M": 1e6}
_NUMBER = re.compile(r"^\s*([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\s*([A-Za-zµ%]*)\s*$")


def _scaled(text: str, units: dict[str, float] | dict[str, int], what: str, example: str) -> float:
    match = _NUMBER.match(text)
    if match is None or match[2] not in units:
        raise BadInput(f"{what} '{text}'", "not a number with a unit", f"write it like {example}")
    value = float(match[1]) * units[match[2]]
    if not math.isfinite(value):
        raise BadInput(f"{what} '{text}'", "too large", f"write it like {example}")
    return value


def duration_ns(text: str) -> int:
    """`500ms`, `30s`, `2min` in ns. Raises BadInput."""
    return round(_scaled(text, NS, "duration", "500ms, 30s or 2min"))


def size_bytes(text: str) -> int:
    """`1KiB`, `64kB`, `10` in bytes. Raises BadInput."""
    return round(_scaled(text, BYTES, "size", "100B, 64kB or 1MiB"))


def count(text: str, what: str = "count") -> int:
    """`100`, `10k`, `1M` as a whole number. Raises BadInput."""
    return round(_scaled(text, COUNTS, what, "100, 10k or 1M"))


def energy_nj(text: str) -> float:
    """`250uJ`, `9.5mJ` in nJ. Raises BadInput."""
    return _scaled(text, NJ, "energy", "250uJ or 9.5mJ")


def life_days(text: str) -> float:
    """`200d`, `2y` in days. Raises BadInput."""
    return _scaled(text, DAYS, "battery life", "200d or 2y")


def fraction(text: str) -> float:
    """`0`, `1%`, `0.25` as a fraction in [0, 1]. Raises BadInput."""
    value = _scaled(text, {"": 1, "%": 0.01}, "fraction", "1% or 0.01")
    if not 0 <= value <= 1:
        raise BadInput(f"fraction '{text}'", "outside 0 to 1", "write it like 1% or 0.01")
    return value


def rate_hz(text: str) -> float | None:
    """`500/s`, `2/min` in messages per second; `max` is None (a flood). Raises BadInput."""
    return None if text == "max" else _per_second(text, NS, "rate", "500/s, 2/min or max")


def deployed_hz(text: str) -> float:
    """`24/day`, `4/h` in messages per second. Raises BadInput."""
    return _per_second(text, NS | PERIODS, "messages", "24/day or 4/h")


def _per_second(text: str, periods: dict[str, float], what: str, example: str) -> float:
    number, _, per = text.partition("/")
    per_ns = periods.get(per)
    if per_ns is None:
        raise BadInput(f"{what} '{text}'", "not a unit of time", f"write it like {example}")
    value = _scaled(number, COUNTS, what, example) * 1e9 / per_ns
    if value <= 0:
        raise BadInput(f"{what} '{text}'", "must be above zero", f"write it like {example}")
    return value


def duration_text(ns: int) -> str:
    """A duration as `duration_ns` reads it, without rounding: `10s`, `1500ms`."""
    unit = next(name for name in ("s", "ms", "us", "ns") if ns % NS[name] == 0)
    return f"{ns // int(NS[unit])}{unit}"


def rate_text(hz: float) -> str:
    """A rate as `rate_hz` reads it, without rounding: `10/s`, `0.3/s`, `2/min`."""
    decimal = f"{hz:.6f}".rstrip("0").rstrip(".")
    if float(decimal) == hz:
        return f"{decimal}/s"
    for unit in ("min", "h"):
        messages = round(hz * NS[unit] / 1e9)
        if messages and math.isclose(messages * 1e9 / NS[unit], hz, rel_tol=1e-12):
            return f"{messages}/{unit}"
    return f"{hz!r}/s"


def show_duration(ns: float) -> str:
    """A duration with the unit that reads best, three significant digits: `35.2 ms`."""
    for unit in ("s", "ms", "us"):
        if abs(ns) >= NS[unit] * 0.9995:
            return f"{_digits(ns / NS[unit])} {unit}"
    return f"{_digits(ns)} ns"


def show_bytes(value: float) -> str:
    """A size with the unit that reads best: `1,157 B`, `12.2 kB`."""
    if abs(value) < 10_000:
        return f"{value:,.0f} B" if abs(value) >= 100 or value == int(value) else f"{value:.1f} B"
    return f"{_digits(value / 1e3)} kB" if abs(value) < 1e6 else f"{_digits(value / 1e6)} MB"


def show(value: float, unit: str) -> str:
    """A value in a stored unit (ns, B, fraction, 1, ...) as text for people."""
    if unit == "ns":
        return show_duration(value)
    if unit == "B":
        return show_bytes(value)
    if unit == "fraction":
        return f"{_digits(value * 100)} %"
    if unit == "nJ":
        scaled, name = next(
            ((NJ[name], name) for name in ("J", "mJ", "uJ") if value >= NJ[name] * 0.9995), (1, unit)
        )
        return f"{_digits(value / scaled)} {name}"
    if unit == "days" and value >= 2 * DAYS["y"]:
        return "over 100 years" if value > 100 * DAYS["y"] else f"{_digits(value / DAYS['y'])} years"
    return f"{_digits(value)}/s" if unit == "1/s" else f"{_digits(value)} {unit}".removesuffix(" 1").rstrip()


def _digits(value: float) -> str:
    magnitude = abs(value)
    if magnitude >= 1000:
        return f"{value:,.0f}"
    if magnitude >= 100 or value == 0:
        return f"{value:.0f}"
    return f"{value:.1f}" if magnitude >= 10 else f"{value:.2f}"
