"""Deltas that a format allows: JSON Merge Patch (RFC 7396) against the message before, sized in formats that carry keys.

A patch holds the fields that changed, and null for those that went away; so it cannot carry messages that hold null themselves.
Formats whose readers have a schema cannot carry it: in them a field that must be there cannot be left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from wirelab.codecs import sizes_named
from wirelab.model.schema import Record, Ref, Schema

METHOD = "merge-patch"
FORMATS: dict[str, sizes_named.Format] = {
    "json": sizes_named.JSON,
    "cbor": sizes_named.CBOR,
    "msgpack": sizes_named.MSGPACK,
}


def merge_patch(before: Any, after: Any) -> Any:
    """The patch that makes `after` of `before` (RFC 7396, section 1)."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        if key not in before or before[key] != value:
            patch[key] = merge_patch(before.get(key), value)
    return patch


def obstacle(codec: str, schema: Schema, messages: Sequence[Any], whole: Sequence[int]) -> str:
    """Why a codec (`format/library`) has no merge patch for these messages, of which it makes so many bytes; "" where it has."""
    form, _, library = codec.partition("/")
    if form not in FORMATS:
        return "a patch leaves out fields that the format's schema asks for"
    if not isinstance(schema.root, Ref):
        return "a patch takes messages that are objects"
    if any(map(_holds_null, messages)):
        return "RFC 7396 cannot tell null from absent, and messages hold null"
    if list(map(sizes_named.sizer(schema, FORMATS[form]), messages)) != list(whole):
        return f"patches are computed, and {library} writes otherwise than what computes them"
    return "" if len(messages) > 1 else "there is no message before"


def patch_sizes(form: str, schema: Schema, messages: Sequence[Any]) -> list[int]:
    """Bytes of each message's patch against the one before, from the second message on."""
    size = sizes_named.sizer(_patches(schema), FORMATS[form])
    return [size(merge_patch(*pair)) for pair in pairwise(messages)]


def _patches(schema: Schema) -> Schema:
    """The schema of patches: every field may be absent or null."""
    records = tuple(
        Record(
            record.name,
            tuple(
                replace(field, optional=True, type=replace(field.type, nullable=True))
                for field in record.fields
            ),
        )
        for record in schema.records
    )
    return Schema(schema.root, records)


def _holds_null(value: Any) -> bool:
    """Whether an object holds null; lists are replaced whole, with what is in them."""
    if not isinstance(value, dict):
        return False
    return any(item is None or _holds_null(item) for item in value.values())
