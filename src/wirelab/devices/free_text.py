"""`any` and `decimal` as the text in which a format with a schema carries them, spelt as in packs."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from wirelab.schema.numerals import Numeral


def decimal_text(value: float) -> str:
    """A number in the form of the General Decimal Arithmetic specification (`1.2E+2`)."""
    return str(Decimal(value.text if isinstance(value, Numeral) else repr(value)))


def any_text(value: Any) -> str:
    """Compact JSON."""
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{_plain(key)}:{any_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(any_text, value)) + "]"
    return _plain(value)


def _float(value: float) -> str:
    """The fewest digits that round-trip; in full from 1e-5 on and below 1e16, as serde_json has it."""
    shortest = Decimal(float.__repr__(value))
    power = shortest.adjusted()
    if shortest and not -5 <= power <= 15:
        sign, digits, _ = shortest.normalize().as_tuple()
        first, *rest = map(str, digits)
        return f"{'-' * sign}{first}{'.' * bool(rest)}{''.join(rest)}e{power:+d}"
    text = format(shortest, "f")
    return text if "." in text else f"{text}.0"


_plain = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
