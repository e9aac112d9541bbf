"""Objects as columns: all values of a key. Distinguishes maps (keys are data) from records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wirelab.schema.paths import Every, Part, kind_of

MIN_DATA_KEYS = 3
"""An object with at least this many keys that all look like data is a map."""
MANY_KEYS = 32
RARE = 0.2
"""With MANY_KEYS keys or more, objects are maps if a key is in this share of them or less."""
_DATA_KEY = re.compile(
    r"-?[0-9]+(?:[.:][0-9]+)*"  # numbers, versions, addresses
    r"|[0-9]{4}-[0-9]{2}(?:-[0-9]{2}(?:[T ].*)?)?"  # dates and times
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"  # UUIDs
    r"|(?=.*[0-9])[0-9a-fA-F]{8,}"  # hexadecimal identifiers
)


def spread(objects: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    """key -> its values, keys in order of first appearance."""
    columns: dict[str, list[Any]] = {}
    for value in objects:
        for key, item in value.items():
            column = columns.get(key)
            if column is None:
                columns[key] = [item]
            else:
                column.append(item)
    return columns


def is_map(columns: Mapping[str, Sequence[Any]], objects: int) -> bool:
    """Whether objects with these columns are maps: see `are_map`."""
    types = {type(item) for column in columns.values() for item in column}
    return are_map({key: len(column) for key, column in columns.items()}, types, objects)


def are_map(counts: Mapping[str, int], types: set[type], objects: int) -> bool:
    """Whether objects with these keys are maps: the keys are data, and all values are of one kind.

    `counts` has the number of each key's values, `types` the types of all. Keys are data if there
    are at least MIN_DATA_KEYS and each is a number, date, UUID or hexadecimal identifier; or if
    there are at least MANY_KEYS and an object has RARE of them or less on average.
    """
    if len(counts) < MIN_DATA_KEYS:
        return False
    by_look = all(map(is_data_key, counts))
    by_number = len(counts) >= MANY_KEYS and sum(counts.values()) <= RARE * objects * len(counts)
    kinds = types - {type(None)}
    return (by_look or by_number) and (len(kinds) <= 1 or kinds == {int, float})


def is_data_key(key: str) -> bool:
    """Whether a key looks like data: a number, date, UUID or hexadecimal identifier."""
    return _DATA_KEY.fullmatch(key) is not None


def first_of_kind(messages: Sequence[Any], path: tuple[Part, ...]) -> list[tuple[int, Any]]:
    """For each JSON kind but null that occurs at a path: the first message with it (from 0), and
    the value.
    """
    found: dict[str, tuple[int, Any]] = {}
    for index, message in enumerate(messages):
        for value in values_at(message, path):
            if value is not None:
                found.setdefault(kind_of(value), (index, value))
    return list(found.values())


def values_at(value: Any, path: tuple[Part, ...]) -> list[Any]:
    """All values at a path in one message."""
    values = [value]
    for part in path:
        following: list[Any] = []
        for one in values:
            if isinstance(one, list) and part is Every.ITEM:
                following += one
            elif isinstance(one, dict):
                following += one.values() if part is Every.VALUE else [one[part]] if part in one else []
        values = following
    return values


MAX_TUPLES = 4
"""Lists of more lengths are lists, not tuples."""
MAX_ITEMS = 16
"""Longer lists are lists, not tuples."""
