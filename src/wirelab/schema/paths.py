"""Paths of values in a message, as text: `trips[2].end`; `$` is the message itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from enum import Enum

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_LONGEST = 80


class Every(Enum):
    """A part of a path that matches every item of a list, or every value of a map."""

    ITEM = "[]"
    VALUE = "{}"


Part = str | int | Every


def show(parts: Iterable[Part]) -> str:
    """A path as text: keys with dots (quoted if needed), `[2]` an item, `[]` and `{}` any item or
    value.
    """
    text = "".join(map(_part, parts)).removeprefix(".") or "$"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _part(part: Part) -> str:
    if isinstance(part, Every):
        return part.value
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if _PLAIN.fullmatch(part) else f"[{json.dumps(part)}]"


def excerpt(value: object) -> str:
    """A value as JSON, truncated to fit a sentence."""
    if value and isinstance(value, dict | list):
        return "{...}" if isinstance(value, dict) else "[...]"
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def kind_of(value: object) -> str:
    """The JSON kind of a Python value, in the words of the schema text."""
    names: dict[type, str] = {
        type(None): "null",
        bool: "bool",
        int: "int",
        float: "float",
        str: "string",
        list: "list",
        dict: "object",
    }
    # Numbers and strings may be of types of our own, which keep more than the value.
    ours = next((kind for kind in (str, float) if isinstance(value, kind)), type(value))
    return names[ours]
