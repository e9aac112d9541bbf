"""The published JSON Schema of study files: `python -m wirelab.studies.study_schema >
docs/reference/study.schema.json`.

A study with an instrument of its own has keys of that instrument, which this schema does not know.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import msgspec

from wirelab.model.study import Study, options
from wirelab.studies.claims import Claim
from wirelab.studies.study_file import TEXTS, TIME_BUDGET, Chart, Deviation

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
# A number is accepted in place of its text: `loss = 0`.
LEVEL: Schema = {"type": ["string", "number"]}
LEVELS: Schema = {"anyOf": [LEVEL, {"type": "array", "items": LEVEL}]}
TABLES = (("deviation", Deviation), ("figure", Chart), ("claim", Claim))
NUMBERS_AS_TEXT = ("count", "warmup", "duration", "battery")


def study_schema() -> str:
    """The schema (JSON Schema 2020-12) of a study file, as in docs/."""
    generated, components = msgspec.json.schema_components(
        [kind for _, kind in TABLES], ref_template="#/$defs/{name}"
    )
    study = {name: _key(field) for name, field in _fields().items()}
    quick = _table({**study, TIME_BUDGET: TEXT})
    part = _table({**study, "quick": {"anyOf": [{"const": False}, _table(study)]}}, ["name"])
    for definition in components.values():
        definition["additionalProperties"] = False
    claim = components["Claim"]
    claim["properties"]["quick"] = _table(dict(claim["properties"]))
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A wirelab study file",
        **_table(
            {
                **study,
                **dict.fromkeys(TEXTS, TEXT),
                TIME_BUDGET: TEXT,
                "quick": quick,
                "spacing": {"type": "object", "additionalProperties": _table(study)},
                "part": {"type": "array", "items": part},
                **{
                    name: {"type": "array", "items": one}
                    for (name, _), one in zip(TABLES, generated, strict=True)
                },
            }
        ),
        "$defs": components,
    }
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def _fields() -> dict[str, msgspec.structs.FieldInfo]:
    return {field.name: field for field in msgspec.structs.fields(Study)}


def _key(field: msgspec.structs.FieldInfo) -> Schema:
    """A key of the study: a factor takes one level or a list of levels."""
    default = field.default
    if isinstance(default, bool):
        kind: Schema = {"type": "boolean"}
    elif isinstance(default, int):
        kind = {"type": "integer"}
    elif isinstance(default, tuple):
        kind = LEVELS
    elif isinstance(default, str):
        kind = LEVEL if field.name in NUMBERS_AS_TEXT else TEXT
    else:
        kind = {"type": "object", "additionalProperties": TEXT}
    found = {"description": options()[field.name].help, **kind}
    return found if default is msgspec.NODEFAULT else {**found, "default": msgspec.to_builtins(default)}


def _table(properties: Schema, required: Sequence[str] = ()) -> Schema:
    more = {"required": list(required)} if required else {}
    return {"type": "object", "properties": properties, **more, "additionalProperties": False}


if __name__ == "__main__":
    sys.stdout.write(study_schema())
