"""Sizes before the pack is compiled: computed from the schema and the messages, nothing encoded.

JSON, CBOR, MessagePack, Protobuf, Avro, BSON, Postcard, XDR and Thrift (compact) come out to the byte, as the first codec of each writes them; padding,
shared tables and shared keys of the others are left to the real library. A preview is shown as such, never beside measured sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from wirelab.codecs import sizes_named, sizes_positional, sizes_records, sizes_thrift
from wirelab.model.schema import Schema, String
from wirelab.model.study import FORMATS

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


SIZERS: dict[str, Callable[[Schema], Callable[[Any], int]]] = {
    "json": lambda schema: sizes_named.sizer(schema, sizes_named.JSON),
    "cbor": lambda schema: sizes_named.sizer(schema, sizes_named.CBOR),
    "msgpack": lambda schema: sizes_named.sizer(schema, sizes_named.MSGPACK),
    "protobuf": sizes_positional.protobuf,
    "avro": sizes_positional.avro,
    "bson": sizes_records.bson,
    "postcard": sizes_records.postcard,
    "xdr": sizes_records.xdr,
    "thrift": sizes_thrift.thrift,
}


def preview_sizes(
    messages: Sequence[Any], schema: Schema, asked: Sequence[str] = ()
) -> tuple[SizePreview, ...]:
    """The size of parsed JSON messages in the formats `asked` for (formats or codecs); without any, in all that can be computed."""
    step = -(-len(messages) // MAX_MESSAGES)
    looked_at = messages[:: max(step, 1)]
    sizers = dict(SIZERS)
    if isinstance(schema.root, String) and not schema.root.nullable:
        sizers["raw"] = lambda _: lambda message: len(message.encode())
    formats = dict.fromkeys(name.partition("/")[0] for name in asked or (*sizers, *FORMATS))
    return tuple(
        SizePreview(name, tuple(map(sizers[name](schema), looked_at)) if name in sizers else ())
        for name in formats
    )
