"""JSON Schema 2020-12: closed objects, ranges of integers, `date-time` and base64 as annotations."""

from __future__ import annotations

import json
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
    String,
    Timestamp,
    Tuple,
    Union,
)
from wirelab.schema.values import NONFINITE

_SCALARS: dict[type, dict[str, str]] = {
    Bool: {"type": "boolean"},
    Float: {"type": "number"},
    Decimal: {"type": "number"},
    String: {"type": "string"},
    Timestamp: {"type": "string", "format": "date-time"},
    Base64: {"type": "string", "contentEncoding": "base64"},
    model.Any: {},
}


def emit(schema: Schema) -> str:
    """The schema as a .schema.json file."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    records = {record.name: _record(record) for record in schema.records}
    return json.dumps(head | _type(schema.root) | {"$defs": records}, indent=2, ensure_ascii=False) + "\n"


def _type(kind: AnyType) -> dict[str, Any]:
    plain = _plain(kind)
    if not kind.nullable:
        return plain
    if "anyOf" in plain:
        return {"anyOf": [*plain["anyOf"], {"type": "null"}]}
    if "$ref" in plain:
        return {"anyOf": [plain, {"type": "null"}]}
    return plain | {"type": [plain["type"], "null"]}


def _plain(kind: AnyType) -> dict[str, Any]:  # noqa: PLR0911  (one return per type reads best)
    if isinstance(kind, List):
        return {"type": "array", "items": _type(kind.items)}
    if isinstance(kind, Map):
        return {"type": "object", "additionalProperties": _type(kind.values)}
    if isinstance(kind, Tuple):
        items, count = list(map(_type, kind.items)), len(kind.items)
        return {"type": "array", "prefixItems": items, "items": False, "minItems": count}
    if isinstance(kind, Union):
        return {"anyOf": list(map(_type, kind.alternatives))}
    if isinstance(kind, Ref):
        return {"$ref": f"#/$defs/{kind.name}"}
    if isinstance(kind, Float) and kind.nonfinite:
        return {"anyOf": [{"type": "number"}, {"enum": list(NONFINITE)}]}
    if isinstance(kind, Int):
        return {"type": "integer", "minimum": kind.low, "maximum": kind.high}
    return dict(_SCALARS[type(kind)])


def _record(record: Record) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {field.key: _type(field.type) for field in record.fields},
        "required": [field.key for field in record.fields if not field.optional],
        "additionalProperties": False,
    }
