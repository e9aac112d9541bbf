"""Differences between a message as written and as read by a reader of another schema."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from msgspec import Struct

from wirelab.model.evolution import DifferenceKind
from wirelab.schema.numerals import Numeral
from wirelab.schema.paths import Every, Part, excerpt, show

FLOAT32_DIGITS = 2.0**-23
EPOCH = "1970-01-01T00:00:00Z"

Path = tuple[Part, ...]


class Difference(Struct, frozen=True):
    """A value of one message that was not read as written."""

    path: str
    kind: DifferenceKind
    written: str
    read: str


class _Absent:
    """No such key."""


_ABSENT = _Absent()


def differences(expected: Any, read: Any) -> Iterator[Difference]:
    """What a reader did not get of what it could.

    `expected` has the keys that its schema has. Null, an empty list and an empty map equal an
    absent key: formats that do not distinguish them lose that without a change of the schema too.
    """
    return _differences(expected, read, ())


def values(message: Any) -> int:
    """The number of scalar values in a message; null is none."""
    if isinstance(message, dict):
        return sum(map(values, message.values()))
    if isinstance(message, list):
        return sum(map(values, message))
    return message is not None


def kept_values(written: Any, read: Any) -> int:
    """The number of scalar values that were read as written, at the same place."""
    if isinstance(written, dict) and isinstance(read, dict):
        return sum(kept_values(one, read[key]) for key, one in written.items() if key in read)
    if isinstance(written, list) and isinstance(read, list):
        return sum(map(kept_values, written, read))
    scalars = not isinstance(written, dict | list) and not isinstance(read, dict | list)
    return scalars and written is not None and _equal(written, read)


def _differences(one: Any, other: Any, path: Path) -> Iterator[Difference]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys((*one, *other)):
            yield from _differences(one.get(key, _ABSENT), other.get(key, _ABSENT), (*path, key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for inner, read in zip(one, other, strict=True):
            yield from _differences(inner, read, (*path, Every.ITEM))
    elif _is_nothing(one) and _is_nothing(other):
        return
    elif _is_nothing(one):
        kind: DifferenceKind = "default" if _is_default(other) else "misread"
        yield Difference(show(path), kind, "absent", excerpt(other))
    elif _is_nothing(other):
        yield Difference(show(path), "missing", excerpt(one), "absent")
    elif not _equal(one, other):
        kind = "rounded" if _is_rounded(one, other) else "misread"
        yield Difference(show(path), kind, excerpt(one), excerpt(other))


def _is_nothing(value: Any) -> bool:
    return value is _ABSENT or value is None or value in ([], {})


def _is_default(value: Any) -> bool:
    """Whether a value, or every value in it, is what formats give for one that was not written."""
    if isinstance(value, dict):
        return all(map(_is_default, value.values()))
    return value is None or value in (0, "", [], EPOCH)


def _equal(one: Any, other: Any) -> bool:
    """Whether two values are equal; true is 1 and false is 0, as formats carry them.

    Digits that no float has count: 1.50 is not 1.5.
    """
    if isinstance(one, str) != isinstance(other, str):
        return False
    if isinstance(one, Numeral) and isinstance(other, Numeral) and one.text != other.text:
        has_zeros = _ends_in_zeros(one) or _ends_in_zeros(other)
        if has_zeros or Decimal(one.text) != Decimal(other.text):
            return False
    return bool(one == other) and (one != 0 or math.copysign(1, one) == math.copysign(1, other))


def _ends_in_zeros(number: Numeral) -> bool:
    """Whether it has zeros that no float is written with, as 1.50."""
    fraction = number.text.partition(".")[2]
    return len(fraction) > 1 and fraction.endswith("0")


def _is_rounded(one: Any, other: Any) -> bool:
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    return numbers and math.isclose(one, other, rel_tol=FLOAT32_DIGITS)
