"""A schema without unions and tuples: each is a record of that shape, as generated code and most
schema languages name it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec.structs import replace

from wirelab.model.schema import (
    Any,
    AnyType,
    Base64,
    Bool,
    Decimal,
    Field,
    Float,
    Int,
    List,
    Map,
    Record,
    Ref,
    Schema,
    String,
    Timestamp,
    Tuple,
    Union,
)
from wirelab.schema.names import field_name, folded, record_name
from wirelab.schema.paths import show
from wirelab.schema.places import places
from wirelab.schema.types import show_type

_NAMES: dict[type[AnyType], str] = {
    Bool: "bool_value",
    Int: "int_value",
    Float: "float_value",
    Decimal: "decimal_value",
    Timestamp: "timestamp_value",
    Base64: "bytes_value",
    String: "string_value",
    List: "list_value",
    Map: "map_value",
}


def lowered(schema: Schema) -> Schema:
    """The schema with a record for each union and tuple; the schema itself if it has none.

    A record is named after the record and field where its type is first written, an alternative
    after its type (`int_value`), an item after its position (`item_1`).
    """
    return _Lowering(schema).schema() if mixed_type(schema) else schema


def is_object(schema: Schema) -> bool:
    """Whether a message of a lowered schema has keys, null aside."""
    root = schema.root
    return isinstance(root, Map) or (isinstance(root, Ref) and schema.record(root.name).shape == "object")


def first_place(schema: Schema, holds: Callable[[AnyType], bool]) -> str:
    """The first type of a schema for which a test holds and its path, as people write them; "" if
    there is none.
    """
    found = (place for place in places(schema, every_record=True) if holds(place.kind))
    return next((f"{show_type(place.kind)} at {show(place.path)}" for place in found), "")


def mixed_type(schema: Schema) -> str:
    """The first union or tuple of a schema and its path; "" if there is none."""
    return first_place(schema, lambda kind: isinstance(kind, Union | Tuple))


def free_type(schema: Schema) -> str:
    """The first `any` or `decimal` of a schema and its path; "" if there is none."""
    return first_place(schema, lambda kind: isinstance(kind, Any | Decimal))


def nonfinite_type(schema: Schema) -> str:
    """The first float of a schema that may be NaN or an infinity, and its path; "" if there is
    none.
    """
    return first_place(schema, lambda kind: isinstance(kind, Float) and kind.nonfinite)


class _Lowering:
    def __init__(self, schema: Schema) -> None:
        self.given = schema
        self.taken = {folded(record.name) for record in schema.records}
        self.records: list[Record] = []

    def schema(self) -> Schema:
        for record in self.given.records:
            fields = tuple(
                replace(field, type=self.type(field.type, f"{record.name} {field.name}"))
                for field in record.fields
            )
            self.records.append(replace(record, fields=fields))
        root = self.given.root
        name = "Message" if isinstance(root, Union | Tuple) else "Message item"
        return Schema(self.type(root, name), tuple(self.records))

    def type(self, kind: AnyType, name: str) -> AnyType:
        """A type that names records only; `name` is what a record for it would be called."""
        if isinstance(kind, List):
            return replace(kind, items=self.type(kind.items, name))
        if isinstance(kind, Map):
            return replace(kind, values=self.type(kind.values, name))
        if not isinstance(kind, Union | Tuple):
            return kind
        made = record_name(name, self.taken)
        self.taken.add(folded(made))
        if isinstance(kind, Union):
            fields = [(self._alternative(one, kind), one) for one in kind.alternatives]
        else:
            fields = [(f"item_{index + 1}", item) for index, item in enumerate(kind.items)]
        shape: Literal["union", "tuple"] = "union" if isinstance(kind, Union) else "tuple"
        record = Record(made, self.fields(fields, name), shape)
        self.records.append(record)
        return Ref(nullable=kind.nullable, name=made)

    def fields(self, wishes: list[tuple[str, AnyType]], name: str) -> tuple[Field, ...]:
        taken: set[str] = set()
        made: list[Field] = []
        for wish, kind in wishes:
            own = field_name(wish, taken)
            taken.add(folded(own))
            made.append(Field(own, own, self.type(kind, f"{name} {wish.removesuffix('_value')}")))
        return tuple(made)

    def _alternative(self, kind: AnyType, union: Union) -> str:
        """What an alternative is called: after its type; tuples after their length where there are
        several.
        """
        if isinstance(kind, Ref):
            return f"{kind.name}_value"
        if isinstance(kind, Tuple):
            several = sum(isinstance(one, Tuple) for one in union.alternatives) > 1
            return f"tuple_{len(kind.items)}_value" if several else "tuple_value"
        return _NAMES[type(kind)]
