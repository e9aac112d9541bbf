"""Avro with the writer's schema at the reader, as a schema registry or a file's header gives it.

The Avro specification, "Schema Resolution", says how a reader with another schema gets its fields.
The codecs in the packs do not know the writer's schema. fastavro resolves their bytes here.
"""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from wirelab.codecs.evolution.exchange import Reading
from wirelab.model.schema import Schema
from wirelab.schema.emitters import emit

NAME = "avro/fastavro[schema=writer]"


def resolved(messages: Sequence[bytes], writer: Schema, reader: Schema) -> list[Reading]:
    """What a reader that has both schemas gets of Avro datums, by the names of the .avsc."""
    import fastavro  # noqa: PLC0415  (only where it is used)

    written, wanted = (fastavro.parse_schema(json.loads(emit(schema, "avro"))) for schema in (writer, reader))
    found = []
    for data in messages:
        try:
            value = fastavro.schemaless_reader(io.BytesIO(data), written, wanted)
        except Exception as error:
            found.append(Reading.failure(data, f"{type(error).__name__}: {error}"))
        else:
            found.append(Reading(data, _plain(value)))
    return found


def named(schema: Schema) -> Schema:
    """The schema with names for keys, as messages have them here."""
    records = tuple(
        replace(record, fields=tuple(replace(field, key=field.name) for field in record.fields))
        for record in schema.records
    )
    return replace(schema, records=records)


def _plain(value: Any) -> Any:
    """The value as JSON has it."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return list(map(_plain, value))
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value if isinstance(value, str | int | float) or value is None else str(value)
