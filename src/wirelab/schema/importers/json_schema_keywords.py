"""What keywords of a JSON Schema say: ranges of integers, kinds of text, items and keys."""

from __future__ import annotations

import math
from typing import Any

from wirelab.model.schema import AnyType, Base64, Decimal, Int, String, Timestamp
from wirelab.schema.importers.json_schema_shapes import Shape, values_of

LOW, HIGH = -(2**63), 2**63 - 1


def integer_type(shape: Shape) -> Int | Decimal:
    """An integer of 64 bits, or a decimal where its range is wider."""
    low, high = range_of(shape)
    fits = low >= LOW and high < 2**64 and (low >= 0 or high <= HIGH)
    return Int(low=low, high=max(low, high)) if fits else Decimal()


def is_open(shape: Shape) -> bool:
    """Whether objects of a shape may have keys beyond the known ones."""
    words = ("additionalProperties", "unevaluatedProperties")
    return all(sub.text.get(word) is not False for sub in shape for word in words)


def says_fields(text: dict[str, Any]) -> bool:
    """Whether a subschema says something about the fields of a record."""
    words = (
        "properties",
        "required",
        "additionalProperties",
        "unevaluatedProperties",
        "patternProperties",
        "title",
    )
    return any(word in text for word in (*words, "if", "dependentSchemas", "dependencies"))


def string_type(shape: Shape) -> AnyType:
    """The type of the strings of a shape."""
    for sub in shape:
        form = sub.text.get("format")
        if form == "date-time":
            return Timestamp()
        if form == "byte" or sub.text.get("contentEncoding") == "base64":
            return Base64()
    return String()


def prefix_of(text: dict[str, Any]) -> Any:
    """The subschemas of items by position; None where there are none."""
    items = text.get("items")
    return items if isinstance(items, list) else text.get("prefixItems")


def rest_of(text: dict[str, Any]) -> Any:
    """The subschema of the items that have no position of their own; None where it is not said."""
    items = text.get("items")
    return text.get("additionalItems") if isinstance(items, list) else items


def bounds_of(texts: list[dict[str, Any]], word: str) -> list[int]:
    """The values of `minItems` or `maxItems`, up to 65,536."""
    return [text[word] for text in texts if type(text.get(word)) is int and 0 <= text[word] <= 2**16]


def range_of(shape: Shape) -> tuple[int, int]:
    """The range of the integers of a shape."""
    low, high = LOW, HIGH
    for sub in shape:
        least, most = (
            limit_of(sub.text, "minimum", math.ceil, 1),
            limit_of(sub.text, "maximum", math.floor, -1),
        )
        allowed = [int(one) for one in values_of(sub.text) or () if type(one) in (int, float)]
        low = max(low, min(allowed)) if allowed else low if least is None else max(low, least)
        if least is not None and least < LOW:
            low = least
        if allowed or most is not None:
            own = max(allowed) if allowed else most or 0
            high = own if high == HIGH else min(high, own)
    return low, high


def limit_of(text: dict[str, Any], word: str, whole: Any, step: int) -> int | None:
    """A bound of an integer: `minimum` or `exclusiveMinimum` (a number, or in draft 4 a flag)."""
    own, strict = text.get(word), text.get(f"exclusive{word.capitalize()}")
    if isinstance(strict, int | float) and not isinstance(strict, bool):
        edge = whole(strict)
        return int(edge + step if edge == strict else edge)
    if not isinstance(own, int | float) or isinstance(own, bool):
        return None
    return int(whole(own) + (step if strict is True and whole(own) == own else 0))


def as_object(value: Any) -> dict[str, Any]:
    """A JSON object, or an empty one in place of another value."""
    return value if isinstance(value, dict) else {}


def texts_of(value: Any) -> list[str]:
    """The texts in a list."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
