"""Which alternative of a union a message's value is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wirelab.model import schema as model
from wirelab.model.schema import (
    AnyType,
    Base64,
    Bool,
    Decimal,
    Float,
    Int,
    List,
    Map,
    Record,
    Ref,
    Schema,
    Timestamp,
)
from wirelab.schema.values import is_base64, is_timestamp


def alternative(schema: Schema, union: Record, value: Any) -> int:
    """The position of the first alternative that fits a value. `schema` is lowered.

    Raises ValueError if none does, which a message that fits the schema never causes.
    """
    for index, field in enumerate(union.fields):
        if _fits(schema, field.type, value):
            return index
    raise ValueError(f"{value!r} fits no alternative of {union.name}")


def _fits(schema: Schema, kind: AnyType, value: Any) -> bool:
    if isinstance(kind, model.Any):
        return True
    if value is None:
        return kind.nullable
    if isinstance(kind, Ref):
        return _fits_record(schema, schema.record(kind.name), value)
    if isinstance(kind, List):
        return isinstance(value, list) and all(_fits(schema, kind.items, item) for item in value)
    if isinstance(kind, Map):
        return isinstance(value, dict) and all(_fits(schema, kind.values, item) for item in value.values())
    return _fits_scalar(kind, value)


def _fits_scalar(kind: AnyType, value: Any) -> bool:
    if isinstance(kind, Int):
        return type(value) is int and kind.low <= value <= kind.high
    if isinstance(kind, Decimal):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(kind, Float | Bool):
        return type(value) is (float if isinstance(kind, Float) else bool)
    tests: dict[type, Callable[[str], bool]] = {Timestamp: is_timestamp, Base64: is_base64}
    test = tests.get(type(kind))
    return isinstance(value, str) and (test is None or test(value))


def _fits_record(schema: Schema, record: Record, value: Any) -> bool:
    if record.shape == "union":
        return any(_fits(schema, field.type, value) for field in record.fields)
    if record.shape == "tuple":
        if not isinstance(value, list) or len(value) != len(record.fields):
            return False
        pairs = zip(record.fields, value, strict=True)
        return all(_fits(schema, field.type, item) for field, item in pairs)
    if not isinstance(value, dict) or value.keys() - {field.key for field in record.fields}:
        return False
    return all(
        _fits(schema, field.type, value[field.key]) if field.key in value else field.optional
        for field in record.fields
    )
