"""Native records with borrowed strings, which stay in the bytes of the message."""

from __future__ import annotations

import re

from wirelab.codecs.rust import model
from wirelab.codecs.rust.names import identifier
from wirelab.model.schema import AnyType, Map, Ref, Schema, String, walk

TEXT = f"{model.RUNTIME}::Text<'a>"


def module(schema: Schema) -> str:
    """The module of these records; `Message` is that of a message. The schema must have strings."""
    borrowing = _borrowing(schema)
    records = [record for record in schema.records if record.name in borrowing]
    root = _lent(model.path(schema.root, "@"), borrowing)
    parts = [
        f"pub struct Message;\n\nimpl {model.RUNTIME}::View for Message {{\n    type Of<'a> = {root};\n}}\n"
    ]
    for record in records:
        types = [_lent(model.field_path(field, "@"), borrowing) for field in record.fields]
        parts += [model.derives(record), model.reading(record, types, "<'a>")]
    return "\n".join(parts)


def holds_text(schema: Schema) -> bool:
    """Whether messages hold strings, including keys of maps."""
    return _has_text(schema.root, _borrowing(schema))


def _borrowing(schema: Schema) -> frozenset[str]:
    """The records that hold strings, directly or nested. Nested records come first in a schema."""
    found: set[str] = set()
    for record in schema.records:
        if any(_has_text(field.type, found) for field in record.fields):
            found.add(record.name)
    return frozenset(found)


def _has_text(kind: AnyType, borrowing: set[str] | frozenset[str]) -> bool:
    return any(
        isinstance(inner, String | Map) or (isinstance(inner, Ref) and inner.name in borrowing)
        for inner in walk(kind)
    )


def _lent(rust_type: str, borrowing: frozenset[str]) -> str:
    """A native type with borrowed strings. Names of records in it start with `@`."""
    names = {identifier(name) for name in borrowing}

    def record(found: re.Match[str]) -> str:
        return f"{found[1]}<'a>" if found[1] in names else f"super::model::{found[1]}"

    return re.sub(r"@([\w#]+)", record, rust_type.replace(model.STRING, TEXT))
