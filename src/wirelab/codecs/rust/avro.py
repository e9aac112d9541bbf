"""Avro: the emitted schema, with JSON keys as field names.

The library finds fields by their serde names. Avro does not encode names, so the bytes are those
of the emitted schema.
"""

from __future__ import annotations

import json
from typing import Any

from wirelab.model.schema import Schema
from wirelab.schema.emitters import avro


def schema_json(schema: Schema) -> str:
    """The schema for serde_avro_fast."""
    return json.dumps(_keyed(json.loads(avro.emit(schema))), ensure_ascii=False)


def _keyed(node: Any) -> Any:
    if isinstance(node, list):
        return [_keyed(item) for item in node]
    if not isinstance(node, dict):
        return node
    changed = {key: _keyed(value) for key, value in node.items() if key != "json"}
    return changed | {"name": node["json"]} if "json" in node else changed
