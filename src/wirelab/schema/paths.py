"""Paths of values in a message, as text: `trips[2].end`; `$` is the message itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_LONGEST = 80


class Every(Enum):
    """A part of a path that matches every item of a list, or every value of a map."""

    ITEM = "[]"
    VALUE = "{}"


Part = str | int | Every
Place = tuple[Part, ...]
"""A record's name, a field's key and the way inside it; without the two, of the root."""


def floats(value: Any, path: tuple[Part, ...] = ()) -> Iterator[tuple[tuple[Part, ...], float]]:
    """The floats of a message with their paths."""
    if isinstance(value, float):
        yield path, value
    elif type(value) is dict:
        for key, item in value.items():
            yield from floats(item, (*path, key))
    elif type(value) is list:
        for item in value:
            yield from floats(item, (*path, Every.ITEM))


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
