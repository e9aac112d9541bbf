"""The shape of a message: the paths in it, with the JSON kind of each value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from wirelab.schema.columns import MANY_KEYS, is_data_key

Trait = tuple[str, str]
Shape = frozenset[Trait]
"""Pairs of a path and a JSON kind; the length is the kind of a list at the top."""

DEEPEST = 8
MOST_ITEMS = 16
MOST_STRUCTURES = 10_000
_KINDS = {bool: "bool", int: "number", float: "number", str: "string", list: "list", dict: "object"}


def shape(message: Any) -> Shape:
    """The shape of a message.

    Keys that are data have one path. Null has the path of its key alone. Of a list in a message the
    first items count.
    """
    found: set[Trait] = set()
    if isinstance(message, list):
        found.add(("", str(len(message))))
        for index, item in enumerate(message[:MOST_ITEMS]):
            _add(item, f"[{index}]", DEEPEST, found)
    else:
        _add(message, "", DEEPEST, found)
    return frozenset(found)


def shapes_of(messages: Iterable[Any]) -> list[Shape]:
    """The shape of each message. Messages of one structure are looked at once."""
    known: dict[object, Shape] = {}
    equal: dict[Shape, Shape] = {}
    found = []
    for message in messages:
        structure = (len(message) if isinstance(message, list) else 0, _structure(message))
        own = known.get(structure)
        if own is None:
            own = shape(message)
            own = equal.setdefault(own, own)
            if len(known) < MOST_STRUCTURES:
                known[structure] = own
        found.append(own)
    return found


def _structure(value: Any) -> object:
    """Equal for values of equal shape but for the length of the list at the top."""
    if type(value) is dict:
        items = [_structure(one) if type(one) in (dict, list) else type(one) for one in value.values()]
        return (*value, None, *items)
    if type(value) is list:
        return tuple(
            [_structure(one) if type(one) in (dict, list) else type(one) for one in value[:MOST_ITEMS]]
        )
    return type(value)


def _add(value: Any, path: str, depth: int, found: set[Trait]) -> None:
    if value is None:
        return
    found.add((path, _KINDS.get(type(value), "string")))
    if depth == 0:
        return
    if isinstance(value, dict):
        data = len(value) >= MANY_KEYS
        for key, item in value.items():
            _add(item, f"{path}{{}}" if data or is_data_key(key) else f"{path}.{key}", depth - 1, found)
    elif isinstance(value, list):
        for item in value[:MOST_ITEMS]:
            _add(item, f"{path}[]", depth - 1, found)


def absences(shapes: Iterable[Shape], counts: Sequence[int]) -> int:
    """How many traits messages lack of those that any of them has; `counts` are messages by shape."""
    shapes = list(shapes)
    whole = len(frozenset().union(*shapes))
    return sum((whole - len(one)) * count for one, count in zip(shapes, counts, strict=True))
