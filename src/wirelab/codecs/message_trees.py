"""Parsed JSON messages as the trees that encoding libraries take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wirelab.model.schema import AnyType, Field, List, Map, Record, Ref, Schema
from wirelab.schema.emitters.common import canonical

Convert = Callable[[Any], Any]
Scalar = Callable[[AnyType], Convert | None]
"""The conversion of values of a scalar type; None: values are unchanged."""
_NO_WRAPPERS: Mapping[AnyType, str] = {}


def message_trees(
    schema: Schema,
    scalar: Scalar,
    numbered: bool = False,
    wrappers: Mapping[AnyType, str] = _NO_WRAPPERS,
    given: bool = False,
) -> Convert:
    """The function from a message to its tree. Null stays None; absent keys stay absent.

    `numbered`: fields have the keys of a numbered schema (f0, f1 ...), else their JSON keys.
    `wrappers` (canonical type to the name of a field): items of lists and maps that are in a
    message of one field. `given`: so are fields of the coding `wrapped`.
    """
    return _Trees(schema, scalar, numbered, wrappers, given).value(schema.root)


class _Trees:
    def __init__(
        self, schema: Schema, scalar: Scalar, numbered: bool, wrappers: Mapping[AnyType, str], given: bool
    ) -> None:
        self.scalar, self.numbered, self.wrappers, self.given = scalar, numbered, wrappers, given
        self.records: dict[str, Convert] = {}
        for record in schema.records:
            self.records[record.name] = self.record(record)

    def value(self, kind: AnyType) -> Convert:
        plain = self.plain(kind)
        return lambda value: None if value is None else plain(value)

    def plain(self, kind: AnyType) -> Convert:
        if isinstance(kind, Ref):
            return self.of_record(kind.name)
        if isinstance(kind, List):
            item = self.item(kind.items)
            return lambda value: [item(one) for one in value]
        if isinstance(kind, Map):
            item = self.item(kind.values)
            return lambda value: {key: item(one) for key, one in value.items()}
        return self.scalar(kind) or (lambda value: value)

    def of_record(self, name: str) -> Convert:
        """The function of a record, which a recursive one gets only when it is called."""
        records = self.records
        return records.get(name) or (lambda value: records[name](value))  # noqa: PLW0108  (read late)

    def record(self, record: Record) -> Convert:
        fields = {
            field.key: (f"f{index}" if self.numbered else field.key, self.field(field))
            for index, field in enumerate(record.fields)
        }

        def convert(value: Any) -> Any:
            tree = {}
            for key, one in value.items():
                name, convert_field = fields[key]
                tree[name] = convert_field(one)
            return tree

        return convert

    def field(self, field: Field) -> Convert:
        """A field's value, in a message of its own if a given .proto has it so."""
        value = self.value(field.type)
        if field.coding != "wrapped" or not self.given:
            return value
        return lambda one: None if one is None else {"value": value(one)}

    def item(self, kind: AnyType) -> Convert:
        """An item of a list or a value of a map."""
        value, name = self.value(kind), self.wrappers.get(canonical(kind))
        return value if name is None else lambda one: {name: value(one)}
