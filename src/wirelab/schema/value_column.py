"""What inference needs to know of a column: all values at one path, added in batches."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from wirelab.schema.columns import MAX_ITEMS, MAX_TUPLES, spread
from wirelab.schema.values import comes_back, is_base64, is_timestamp

MIN_BASE64 = 8
_EXACT = 2**53
_SPECIAL = re.compile(r"[=+/]")


class Texts:
    """What all strings of a column are."""

    __slots__ = ("base64", "come_back", "special", "timestamps")

    def __init__(self) -> None:
        self.timestamps = self.come_back = self.base64 = True
        self.special = False

    def add(self, texts: Sequence[str]) -> None:
        """Add strings."""
        if not (self.timestamps or self.base64):
            return
        distinct = set(texts)
        self.timestamps = self.timestamps and all(map(is_timestamp, distinct))
        self.come_back = self.come_back and self.timestamps and all(map(comes_back, distinct))
        self.base64 = self.base64 and min(map(len, distinct)) >= MIN_BASE64 and all(map(is_base64, distinct))
        self.special = self.special or (self.base64 and any(map(_SPECIAL.search, distinct)))

    def merge(self, other: Texts) -> None:
        """Add the strings of another column."""
        self.timestamps &= other.timestamps
        self.come_back &= other.come_back
        self.base64 &= other.base64
        self.special |= other.special


class Column:
    """The values at one path.

    `types` are in the order of their first values. `inexact` is the first integer that no float
    is. `nonfinite`: a float is NaN or an infinity. `fields` are the columns of the objects' keys,
    `items` that of the lists' items, `positions` those of their items by length and position while
    the lists may be tuples.
    """

    __slots__ = (
        "count",
        "fields",
        "high",
        "inexact",
        "items",
        "low",
        "nonfinite",
        "objects",
        "positions",
        "texts",
        "types",
    )

    def __init__(self) -> None:
        self.count = self.objects = 0
        self.types: dict[type, None] = {}
        self.low = self.high = 0
        self.inexact: int | None = None
        self.nonfinite = False
        self.texts: Texts | None = None
        self.fields: dict[str, Column] = {}
        self.items: Column | None = None
        self.positions: dict[int, list[Column]] | None = None

    def add(self, values: Sequence[Any]) -> None:
        """Add values."""
        self.count += len(values)
        types = dict.fromkeys(map(type, values))
        for one in types:
            adder = _ADDERS.get(one)
            if adder is not None:
                own = values if len(types) == 1 else [value for value in values if type(value) is one]
                adder(self, own)
            self.types[one] = None

    def merge(self, other: Column) -> None:
        """Add the values of another column behind those of this one."""
        self.count += other.count
        if int in other.types:
            self._widen(other.low, other.high)
            self.inexact = other.inexact if self.inexact is None else self.inexact
        self.nonfinite = self.nonfinite or other.nonfinite
        if other.texts is not None:
            self.texts = self.texts or Texts()
            self.texts.merge(other.texts)
        self.merge_objects(other)
        if other.items is not None:
            self._merge_lists(other)
        self.types |= other.types

    def merge_objects(self, other: Column) -> None:
        """Add the objects of another column behind those of this one."""
        self.objects += other.objects
        for key, column in other.fields.items():
            self.fields.setdefault(key, Column()).merge(column)

    def tuples(self) -> tuple[list[Column], ...]:
        """The columns of each tuple that the lists are, shortest first; none where they are lists.

        They are tuples if each length has one kind at each position but null, kinds differ between
        the positions of every length, and there are at most MAX_TUPLES lengths of at most
        MAX_ITEMS.
        """
        found = sorted((self.positions or {}).items())
        kinds = [[column.kinds() for column in columns] for _, columns in found]
        if any(len(frozenset().union(*own)) < 2 for own in kinds):
            return ()
        return tuple(columns for _, columns in found)

    def kinds(self) -> frozenset[str]:
        """The JSON kinds of the values but null; ints and floats are one kind."""
        types = set(self.types) - {type(None)}
        return frozenset("number" if one in (int, float) else one.__name__ for one in types)

    def _add_ints(self, values: Sequence[int]) -> None:
        low, high = min(values), max(values)
        self._widen(low, high)
        if self.inexact is None and (low < -_EXACT or high > _EXACT):
            self.inexact = next((value for value in values if not _is_float(value)), None)

    def _add_floats(self, values: Sequence[float]) -> None:
        self.nonfinite = self.nonfinite or not all(map(math.isfinite, values))

    def _widen(self, low: int, high: int) -> None:
        first = int not in self.types
        self.low, self.high = (low, high) if first else (min(self.low, low), max(self.high, high))

    def _add_texts(self, values: Sequence[str]) -> None:
        self.texts = self.texts or Texts()
        self.texts.add(values)

    def _add_objects(self, values: Sequence[dict[str, Any]]) -> None:
        self.objects += len(values)
        for key, own in spread(values).items():
            column = self.fields.get(key)
            if column is None:
                column = self.fields[key] = Column()
            column.add(own)

    def _add_lists(self, values: Sequence[list[Any]]) -> None:
        if self.items is None:
            self.items, self.positions = Column(), {}
        self.items.add([item for value in values for item in value])
        if self.positions is None:
            return
        for length in set(map(len, values)):
            if not 0 < length <= MAX_ITEMS:
                self.positions = None
                return
            columns = self.positions.setdefault(length, [Column() for _ in range(length)])
            own = zip(*(value for value in values if len(value) == length), strict=True)
            for column, items in zip(columns, own, strict=True):
                column.add(items)
        self._drop_lists()

    def _merge_lists(self, other: Column) -> None:
        if self.items is None:
            self.items, self.positions = Column(), {}
        if other.items is not None:
            self.items.merge(other.items)
        if self.positions is None or other.positions is None:
            self.positions = None
            return
        for length, columns in other.positions.items():
            ours = self.positions.setdefault(length, [Column() for _ in range(length)])
            for column, theirs in zip(ours, columns, strict=True):
                column.merge(theirs)
        self._drop_lists()

    def _drop_lists(self) -> None:
        """Forget positions once the lists cannot be tuples."""
        found = self.positions or {}
        if len(found) > MAX_TUPLES or any(len(one.kinds()) > 1 for own in found.values() for one in own):
            self.positions = None


_ADDERS: dict[type, Any] = {
    int: Column._add_ints,
    float: Column._add_floats,
    str: Column._add_texts,
    dict: Column._add_objects,
    list: Column._add_lists,
}


def _is_float(value: int) -> bool:
    try:
        return float(value) == value
    except OverflowError:
        return False
