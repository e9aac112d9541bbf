"""Unions: their canonical order, and the types that JSON values do not distinguish."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from wirelab.model.schema import (
    Any,
    AnyType,
    Base64,
    Bool,
    Decimal,
    Float,
    Int,
    List,
    Map,
    Ref,
    String,
    Timestamp,
    Tuple,
    Union,
)

MAX_ALTERNATIVES = 1000
_ORDER: tuple[type[AnyType], ...] = (
    Bool,
    Int,
    Float,
    Decimal,
    Timestamp,
    Base64,
    String,
    Tuple,
    List,
    Ref,
    Map,
)
_NUMBERS, _TEXTS = (Int, Float), (Timestamp, Base64, String)


class BadUnion(ValueError):
    """Types that do not form a union. The message is the reason."""


def union(alternatives: Iterable[AnyType]) -> AnyType:
    """The union of types, in canonical order; a single type is itself. Raises BadUnion.

    Nested unions become one, and null among the alternatives makes the union nullable. `any` takes
    every other alternative.
    """
    alternatives = list(alternatives)
    if any(isinstance(kind, Any) for kind in alternatives):
        return alternatives[0] if len(alternatives) == 1 else Any()
    flat: list[AnyType] = []
    nullable = False
    for kind in alternatives:
        nullable = nullable or kind.nullable
        plain = msgspec.structs.replace(kind, nullable=False)
        flat += plain.alternatives if isinstance(plain, Union) else [plain]
    if len(flat) > MAX_ALTERNATIVES:
        raise BadUnion(f"a union has at most {MAX_ALTERNATIVES:,} alternatives")
    found = ordered(flat)
    _check(found)
    whole = found[0] if len(found) == 1 else Union(alternatives=found)
    return msgspec.structs.replace(whole, nullable=nullable)


def ordered(alternatives: Iterable[AnyType]) -> tuple[AnyType, ...]:
    """Alternatives by kind: bool, int, float, timestamp, base64, string, tuples, list, records,
    map.

    The order decides between two alternatives that fit a value: the narrower one is first.
    Tuples are in the order of their length, records in the order given.
    """

    def place(kind: AnyType) -> tuple[int, int]:
        return _ORDER.index(type(kind)), len(kind.items) if isinstance(kind, Tuple) else 0

    return tuple(sorted(alternatives, key=place))


def _check(alternatives: tuple[AnyType, ...]) -> None:
    """Check that a reader can distinguish the alternatives. Raises BadUnion."""
    seen: set[object] = set()
    for kind in alternatives:
        group = _group(kind)
        if group in seen:
            raise BadUnion(
                f"two alternatives are {_NAMES[type(kind)]}, and no value tells which of them it is"
            )
        seen.add(group)
    if len(alternatives) > 1 and any(isinstance(kind, Decimal) for kind in alternatives):
        raise BadUnion("a union has no decimal: write any, or decimal alone")
    if sum(isinstance(kind, _NUMBERS) for kind in alternatives) > 1:
        raise BadUnion("a float takes whole numbers too: write float alone")


def _group(kind: AnyType) -> object:
    """Equal for two alternatives of which only one can be in a union."""
    if isinstance(kind, Tuple):
        return Tuple, len(kind.items)
    return (Ref, kind.name) if isinstance(kind, Ref) else type(kind)


_NAMES: dict[type[AnyType], str] = {
    Bool: "bool",
    Int: "int",
    Float: "float",
    Decimal: "decimal",
    Timestamp: "timestamp",
    Base64: "base64",
    String: "string",
    Tuple: "tuples of one length",
    List: "lists",
    Ref: "the same record",
    Map: "maps",
}
