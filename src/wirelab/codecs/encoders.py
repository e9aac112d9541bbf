"""Encoders that take any schema at run time, from maintained Python libraries: no pack is compiled.

JSON (orjson), CBOR (cbor2), MessagePack (ormsgpack) and Avro (fastavro) write as many bytes as the
first codec of the format in a compiled Rust pack. Protobuf (Google's library) writes as many as
`protobuf/protobuf-upb`: prost leaves out default keys and values of maps, Google's library does
not.
"""

from __future__ import annotations

import base64
import io
import json as text_json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wirelab.codecs.message_trees import Convert, message_trees
from wirelab.codecs.positional_names import numbered
from wirelab.model.schema import AnyType, Base64, Float, Int, Ref, Schema, Timestamp
from wirelab.schema.emitters import emit
from wirelab.schema.emitters import protobuf as proto
from wirelab.schema.importers.protobuf_files import compiled
from wirelab.schema.values import timestamp_ns

Encoder = Callable[[Any], bytes]
"""The bytes of a parsed JSON message that fits the schema."""


def json(schema: Schema) -> Encoder:
    """Compact JSON; a 32-bit float in its fewest digits."""
    import orjson  # noqa: PLC0415  (only where it is used)

    tree = message_trees(schema, lambda kind: _numpy_float(kind) or _float(kind))
    return lambda message: orjson.dumps(tree(message), option=orjson.OPT_SERIALIZE_NUMPY)


def cbor(schema: Schema) -> Encoder:
    """CBOR: every number in its shortest form."""
    import cbor2  # noqa: PLC0415

    tree = message_trees(schema, scalar)
    return lambda message: cbor2.dumps(tree(message), canonical=True)


def msgpack(schema: Schema) -> Encoder:
    """MessagePack: floats in 32 or 64 bits as the schema has them."""
    import ormsgpack  # noqa: PLC0415

    tree = message_trees(schema, lambda kind: _numpy_float(kind) or scalar(kind))
    return lambda message: ormsgpack.packb(tree(message), option=ormsgpack.OPT_SERIALIZE_NUMPY)


def avro(schema: Schema) -> Encoder:
    """One Avro datum, as the emitted schema says."""
    import fastavro  # noqa: PLC0415

    parsed = fastavro.parse_schema(text_json.loads(emit(numbered(schema), "avro")))
    tree = message_trees(schema, lambda kind: _signed if isinstance(kind, Int) else scalar(kind), True)

    def encode(message: Any) -> bytes:
        buffer = io.BytesIO()
        fastavro.schemaless_writer(buffer, parsed, tree(message))
        return buffer.getvalue()

    return encode


def protobuf(schema: Schema) -> Encoder:
    """One message of the emitted .proto."""
    from google.protobuf import message_factory  # noqa: PLC0415

    renamed = numbered(schema)
    with tempfile.TemporaryDirectory(prefix="wirelab-schema-") as folder:
        path = Path(folder, "message.proto")
        path.write_text(proto.emit(renamed), encoding="utf-8")
        new = message_factory.GetMessageClass(
            compiled(path).message_types_by_name[proto.tables(renamed).root]
        )
    plan = proto.tables(schema)
    slots = {table.name: table.slots[0].name for table in plan.tables if table.role == "wrapper"}
    wrappers = {kind: slots[name] for kind, name in plan.wrappers.items() if name in slots}
    tree = message_trees(schema, _protobuf_scalar, True, wrappers, given=True)
    is_record = isinstance(schema.root, Ref) and not schema.root.nullable

    def encode(message: Any) -> bytes:
        written = new()
        _fill(written, tree(message) if is_record else {"value": tree(message)})
        return bytes(written.SerializeToString())

    return encode


def _fill(message: Any, values: dict[str, Any]) -> None:
    """Set the fields of a Protobuf message; None is an absent one."""
    for name, value in values.items():
        if isinstance(value, list):
            repeated = getattr(message, name)
            for item in value:
                if isinstance(item, dict):
                    _fill(repeated.add(), item)
                else:
                    repeated.append(item)
        elif isinstance(value, dict):
            _fill_one(getattr(message, name), value)
        elif value is not None:
            setattr(message, name, value)


def _fill_one(field: Any, values: dict[str, Any]) -> None:
    """Set a field that is a message or a map."""
    if hasattr(field, "SetInParent"):
        field.SetInParent()
        _fill(field, values)
        return
    for text, value in values.items():
        key = _key(field, text)
        if isinstance(value, dict):
            _fill(field[key], value)
        else:
            field[key] = value


def _key(field: Any, text: str) -> Any:
    """The key of a map from its text."""
    key = field.GetEntryClass().DESCRIPTOR.fields_by_name["key"]
    if isinstance(key.default_value, bool):
        return text == "true"
    return int(text) if isinstance(key.default_value, int) else text


def _protobuf_scalar(kind: AnyType) -> Convert | None:
    """As `scalar`, and a timestamp of a given .proto in seconds and nanos."""
    if isinstance(kind, Timestamp) and kind.coding:
        return lambda value: dict(
            zip(("seconds", "nanos"), divmod(timestamp_ns(value) or 0, 10**9), strict=True)
        )
    return scalar(kind)


def scalar(kind: AnyType) -> Convert | None:
    """Timestamps as ns since 1970, base64 as bytes, floats as the float of their width."""
    if isinstance(kind, Timestamp):
        return timestamp_ns
    if isinstance(kind, Base64):
        return base64.b64decode
    narrow = _numpy_float(kind)
    if narrow:
        return lambda value: float(narrow(value))
    return _float(kind)


def _float(kind: AnyType) -> Convert | None:
    return float if isinstance(kind, Float) else None


def _numpy_float(kind: AnyType) -> Convert | None:
    """What makes a 32-bit float that orjson and ormsgpack know as one; None for other types."""
    if not isinstance(kind, Float) or kind.bits == 64:
        return None
    import numpy as np  # noqa: PLC0415

    return np.float32


def _signed(value: int) -> int:
    """The signed integer of the same 64 bits."""
    return value if value < 2**63 else value - 2**64
