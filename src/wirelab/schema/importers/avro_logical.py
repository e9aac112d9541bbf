"""Values of Avro's logical types: times and decimals that messages write as people read them.

Messages may write a logical type as its underlying type, or as text: RFC 3339 for times, digits
for decimals. Both give the underlying value, so that the bytes are Avro's.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

from wirelab.schema.values import timestamp_ns

_DIGITS = re.compile(r"-?[0-9]{1,400}(?:\.[0-9]{1,400})?")
_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?")
_UNITS = {"millis": 10**6, "micros": 10**3, "nanos": 1}
NOTE = "logical types are carried as their underlying types"


def logical_value(text: dict[str, Any]) -> Callable[[Any], Any] | None:
    """The way from a value of a logical type to its underlying one; None where it is the same.

    It returns a value that it does not know as it is.
    """
    name, kind = text.get("logicalType"), text.get("type")
    if not isinstance(name, str):
        return None
    family, _, unit = name.rpartition("-")
    if kind == "long" and family in ("timestamp", "local-timestamp") and unit in _UNITS:
        return lambda value: _ticks(_utc(value), value, _UNITS[unit])
    if kind in ("int", "long") and family == "time" and unit in _UNITS:
        return lambda value: _ticks(_of_day(value), value, _UNITS[unit])
    if kind == "int" and name == "date":
        return _days
    if kind in ("bytes", "fixed") and name == "decimal":
        scale = text.get("scale", 0)
        size = text.get("size", 0) if kind == "fixed" else 0
        if type(scale) is int and type(size) is int and 0 <= scale <= 400 and 0 <= size <= 400:
            return lambda value: _unscaled(value, scale, size)
    return None


def _ticks(ns: int | None, value: Any, unit: int) -> Any:
    return value if ns is None or ns % unit else ns // unit


def _utc(value: Any) -> int | None:
    if not isinstance(value, str):
        return None
    found = timestamp_ns(value)
    return timestamp_ns(f"{value}Z") if found is None else found


def _of_day(value: Any) -> int | None:
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    seconds = (int(match[1]) * 60 + int(match[2])) * 60 + int(match[3])
    return seconds * 10**9 + int((match[4] or "").ljust(9, "0"))


def _days(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return (date.fromisoformat(value) - date(1970, 1, 1)).days
    except ValueError:
        return value


def _unscaled(value: Any, scale: int, size: int) -> Any:
    """A decimal as the base64 of its unscaled integer, big-endian two's complement."""
    shown = str(value) if type(value) is int else repr(value) if isinstance(value, float) else value
    if not isinstance(shown, str) or not (_DIGITS.fullmatch(shown) or isinstance(value, float)):
        return value
    scaled = Decimal(shown).scaleb(scale) if len(shown) < 28 else Decimal(f"{shown}E{scale}")
    whole = int(scaled)
    if whole != scaled:
        return value
    needed = (whole if whole >= 0 else -whole - 1).bit_length() // 8 + 1
    if size and needed > size:
        return value
    return base64.b64encode(whole.to_bytes(size or needed, "big", signed=True)).decode()
