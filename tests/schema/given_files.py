"""A given schema and messages, written to files and read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from wirelab.codecs.preview import preview_sizes
from wirelab.model.errors import BadInput
from wirelab.schema.check import typed_messages
from wirelab.schema.importers import read
from wirelab.schema.importers.book import Given
from wirelab.schema.text import dump
from wirelab.schema.types import show_type


def given(folder: Path, schema: str, text: str, *messages: Any) -> Given:
    (folder / schema).write_text(text, encoding="utf-8")
    lines = "\n".join(map(json.dumps, messages))
    (folder / "payload.jsonl").write_text(lines, encoding="utf-8")
    return read.read(str(folder / "payload.jsonl"), str(folder / schema))


def only(folder: Path, schema: str, text: str) -> str:
    """The types of a schema without messages, as text from its root on."""
    (folder / schema).write_text(text, encoding="utf-8")
    return dump(read.schema(str(folder / schema)).schema).partition("root")[2]


def types(found: Given, record: str) -> dict[str, str]:
    """The types of a record's fields by key, as in a schema file."""
    fields = found.schema.record(record).fields
    return {field.key: show_type(field.type) + "?" * field.optional for field in fields}


def typed(found: Given) -> list[Any]:
    return list(typed_messages(found.messages, found.schema))


def size(found: Given, form: str) -> list[int]:
    messages = typed(found)
    return next(list(p.per_message) for p in preview_sizes(messages, found.schema) if p.format == form)


def refusal(folder: Path, schema: str, text: str, *messages: Any) -> str:
    with pytest.raises(BadInput) as caught:
        checked(folder, schema, text, *messages)
    return caught.value.sentence.replace(f"{folder}/", "")


def checked(folder: Path, schema: str, text: str, *messages: Any) -> None:
    typed(given(folder, schema, text, *messages))


WORDS = st.sampled_from(
    """
    type name fields items values symbols record array map enum fixed null int string object properties required
    additionalProperties patternProperties anyOf oneOf allOf $ref # #/$defs/a $defs a const minimum exclusiveMinimum
    integer number title namespace format logicalType json default prefixItems boolean bytes long decimal precision
    scale aliases then if $id id $schema http://json-schema.org/draft-07/schema# nullable maxItems definitions
    """.split()  # noqa: SIM905
)
HOSTILE = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=25,
)
"""JSON of the words of schemas, as schemas and as messages."""
