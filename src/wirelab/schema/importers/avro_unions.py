"""A union of several types in an Avro schema: its type here, and the branch of a JSON value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from wirelab.model.schema import AnyType, Base64, Bool, Float, Int, List, Map, Ref, String
from wirelab.schema.importers.hull import hull
from wirelab.schema.paths import Part, kind_of
from wirelab.schema.unions import BadUnion, union

_KINDS: dict[type[AnyType], tuple[str, ...]] = {
    Bool: ("bool",),
    Int: ("int",),
    Float: ("int", "float"),
    String: ("string",),
    Base64: ("string",),
    List: ("list",),
    Map: ("object",),
    Ref: ("object",),
}


_WIDER = "branches of a union that no JSON value tells apart, such as lists, are one wider type"


class Branch(Struct, frozen=True):
    """A branch of a union.

    `tag` is its full name in Avro's JSON encoding, `take` the way to its values.
    """

    tag: str
    kind: AnyType
    take: Callable[[Any, tuple[Part, ...]], Any]


def several(
    branches: Sequence[Branch], notes: dict[str, None]
) -> tuple[AnyType, Callable[[Any, tuple[Part, ...]], Any]]:
    """The union of branches but null, and the way to its values.

    A value that names its branch (`{"string": "x"}`) is of that branch, another one of the first
    branch of its JSON kind. Integers next to floats are floats. Raises BadUnion where no value
    tells two branches apart.
    """
    by_tag = {name: one for one in branches for name in (one.tag.rpartition(".")[2], one.tag)}

    def take(value: Any, at: tuple[Part, ...]) -> Any:
        if isinstance(value, dict) and len(value) == 1 and next(iter(value)) in by_tag:
            ((tag, inner),) = value.items()
            return by_tag[tag].take(inner, at)
        fit = [one for one in branches if value is not None and kind_of(value) in _KINDS[type(one.kind)]]
        return fit[0].take(value, at) if fit else value

    kinds = _distinct([one.kind for one in branches])
    try:
        return union(kinds), take
    except BadUnion:
        notes[_WIDER] = None
        return hull(kinds), take


def _distinct(kinds: Sequence[AnyType]) -> list[AnyType]:
    """Types of which equal ones are one, and so are all integers and all floats."""
    floats = [kind for kind in kinds if isinstance(kind, Float)]
    ints = [kind for kind in kinds if isinstance(kind, Int)]
    number: list[AnyType] = []
    if floats:
        number = [Float(bits=max(kind.bits for kind in floats))]
    elif ints:
        number = [Int(low=min(kind.low for kind in ints), high=max(kind.high for kind in ints))]
    return number + list(dict.fromkeys(kind for kind in kinds if not isinstance(kind, Int | Float)))
