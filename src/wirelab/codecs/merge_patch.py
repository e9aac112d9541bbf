"""JSON Merge Patch (RFC 7396) from each message to the next, sized in formats that carry keys.

A patch holds the fields that changed, and null for removed ones. Messages that hold null
themselves thus have no patch. Formats whose readers have a schema cannot carry a patch, because
required fields cannot be omitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from wirelab.codecs import encoders
from wirelab.model.codec_id import CodecId
from wirelab.model.schema import Ref, Schema
from wirelab.schema.lowering import free_type, mixed_type

METHOD = "merge-patch"
FORMATS = {"json": encoders.json, "cbor": encoders.cbor, "msgpack": encoders.msgpack}


def merge_patch(before: Any, after: Any) -> Any:
    """The patch that turns `before` into `after` (RFC 7396, section 1)."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return after
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        if key not in before or before[key] != value:
            patch[key] = merge_patch(before.get(key), value)
    return patch


def obstacle(codec: str, schema: Schema, messages: Sequence[Any], whole: Sequence[int]) -> str:
    """Why a codec (`format/library`) has no merge patch for these messages; "" if it has one.

    `whole` are the sizes of the messages that the codec encoded.
    """
    id_ = CodecId.parse(codec)
    if id_.format not in FORMATS:
        return "a patch omits fields that the format's schema requires"
    if not isinstance(schema.root, Ref):
        return "a patch needs messages that are objects"
    if unfit := mixed_type(schema) or free_type(schema):
        return f"patches have no such type: {unfit}"
    if any(map(_holds_null, messages)):
        return "RFC 7396 cannot tell null from absent, and messages hold null"
    encode = FORMATS[id_.format](schema)
    if [len(encode(message)) for message in messages] != list(whole):
        return f"patches are encoded by a Python library, and {id_.library} encodes differently"
    return "" if len(messages) > 1 else "there is no previous message"


def patch_sizes(form: str, schema: Schema, messages: Sequence[Any]) -> list[int]:
    """Bytes of each message's patch against the previous message, from the second message on."""
    encode = FORMATS[form](schema)
    return [len(encode(merge_patch(*pair))) for pair in pairwise(messages)]


def _holds_null(value: Any) -> bool:
    """Whether an object holds null. Lists do not count: a patch replaces them whole."""
    if not isinstance(value, dict):
        return False
    return any(item is None or _holds_null(item) for item in value.values())
