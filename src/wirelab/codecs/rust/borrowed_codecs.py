"""Messages whose strings lie in the bytes they were read from: the native records that hold strings once more, with a lifetime."""

from __future__ import annotations

import re

from wirelab.codecs.rust import model
from wirelab.codecs.rust.names import identifier
from wirelab.model.schema import AnyType, Map, Ref, Schema, String, walk

TEXT = f"{model.RUNTIME}::Text<'a>"


def module(schema: Schema) -> str:
    """The module of those records; `Message` names the type of one message. The schema must hold strings."""
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
    """Whether messages hold strings, keys of maps among them."""
    return _has_text(schema.root, _borrowing(schema))


def _borrowing(schema: Schema) -> frozenset[str]:
    """The records that hold strings, themselves or further in; those further in come first in a schema."""
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
    """A native type with its strings lent; records stand in it behind `@`."""
    names = {identifier(name) for name in borrowing}

    def record(found: re.Match[str]) -> str:
        return f"{found[1]}<'a>" if found[1] in names else f"super::model::{found[1]}"

    return re.sub(r"@([\w#]+)", record, rust_type.replace(model.STRING, TEXT))
