"""Sizes before the pack is compiled: computed from the schema and the messages, nothing encoded.

JSON, CBOR, MessagePack, Protobuf and Avro come out to the byte; FlatBuffers' padding and shared tables are left to
the real library. A preview is shown as such, never beside measured sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from wirelab.codecs import sizes_named, sizes_positional
from wirelab.model.schema import Schema, String

MAX_MESSAGES = 200


class SizePreview(Struct, frozen=True):
    """Bytes of the messages looked at, at most `MAX_MESSAGES` evenly spread; none where the format is pending."""

    format: str
    per_message: tuple[int, ...]

    @property
    def pending(self) -> bool:
        """Whether only the compiled pack can tell."""
        return not self.per_message

    @property
    def mean(self) -> float:
        """Mean bytes of a message; 0 if pending."""
        return sum(self.per_message) / len(self.per_message) if self.per_message else 0.0


def preview_sizes(messages: Sequence[Any], schema: Schema) -> tuple[SizePreview, ...]:
    """The size of parsed JSON messages in every format that can be computed."""
    step = -(-len(messages) // MAX_MESSAGES)
    looked_at = messages[:: max(step, 1)]
    sizers: dict[str, Callable[[Any], int] | None] = {
        "json": sizes_named.sizer(schema, sizes_named.JSON),
        "cbor": sizes_named.sizer(schema, sizes_named.CBOR),
        "msgpack": sizes_named.sizer(schema, sizes_named.MSGPACK),
        "protobuf": sizes_positional.protobuf(schema),
        "flatbuffers": None,
        "avro": sizes_positional.avro(schema),
    }
    if isinstance(schema.root, String) and not schema.root.nullable:
        sizers["raw"] = lambda message: len(message.encode())
    return tuple(
        SizePreview(name, tuple(map(sizer, looked_at)) if sizer else ()) for name, sizer in sizers.items()
    )
