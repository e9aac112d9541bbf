"""The narrowest type that takes every value of several types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from msgspec.structs import replace

from wirelab.model.schema import Any, AnyType, Decimal, Float, Int, List, Map, Tuple, Union
from wirelab.schema.unions import union

_Kind = TypeVar("_Kind", bound=AnyType)


def hull(kinds: Iterable[AnyType]) -> AnyType:
    """The union of types, where those that no JSON value tells apart are one wider type.

    Integers have the range of all of them, and next to floats they are floats. Next to a decimal,
    numbers are decimals, and other types any. Lists have the hull of their items, maps of
    their values, tuples of one length of each item. Raises BadUnion if
    there are too many alternatives, or no 64-bit integer holds a range.
    """
    flat: list[AnyType] = []
    nullable = False
    for kind in kinds:
        nullable = nullable or kind.nullable
        plain = replace(kind, nullable=False)
        flat += plain.alternatives if isinstance(plain, Union) else [plain]
    flat = list(dict.fromkeys(flat))
    if any(isinstance(kind, Any) for kind in flat):
        return Any()
    if any(isinstance(kind, Decimal) for kind in flat):
        numbers = (Int, Float, Decimal)
        flat = [Decimal()] if all(isinstance(kind, numbers) for kind in flat) else [Any()]
    if len(flat) > 1:
        flat = [*_numbers(flat), *_lists(flat), *_tuples(flat), *_maps(flat), *_others(flat)]
    return replace(union(flat), nullable=nullable)


def _of(kind: type[_Kind], kinds: list[AnyType]) -> list[_Kind]:
    return [one for one in kinds if isinstance(one, kind)]


def _numbers(kinds: list[AnyType]) -> list[AnyType]:
    floats, ints = _of(Float, kinds), _of(Int, kinds)
    if floats:
        bits = 64 if ints else max(one.bits for one in floats)
        return [Float(bits=bits, nonfinite=any(one.nonfinite for one in floats))]
    if not ints:
        return []
    low, high = min(one.low for one in ints), max(one.high for one in ints)
    return [Int(low=low, high=high)] if low >= 0 or high < 2**63 else [Float()]


def _lists(kinds: list[AnyType]) -> list[AnyType]:
    lists = _of(List, kinds)
    return [List(items=hull(one.items for one in lists))] if lists else []


def _maps(kinds: list[AnyType]) -> list[AnyType]:
    maps = _of(Map, kinds)
    return [Map(values=hull(one.values for one in maps))] if maps else []


def _tuples(kinds: list[AnyType]) -> list[AnyType]:
    by_length: dict[int, list[Tuple]] = {}
    for one in _of(Tuple, kinds):
        by_length.setdefault(len(one.items), []).append(one)
    return [
        Tuple(items=tuple(hull(column) for column in zip(*(one.items for one in same), strict=True)))
        for same in by_length.values()
    ]


def _others(kinds: list[AnyType]) -> list[AnyType]:
    return [one for one in kinds if not isinstance(one, Int | Float | List | Map | Tuple)]
