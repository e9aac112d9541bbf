"""Sizes before the pack is compiled: computed from schema and messages, without encoding.

Sizes of JSON, CBOR, MessagePack, Protobuf, Avro, BSON, Postcard, XDR and Thrift (compact) are
exact: they equal those of each format's first codec. The other formats have padding, shared
tables or shared keys, and only the library can size them. A preview is labelled as one and never
shown next to measured sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from wirelab.codecs.formats import formats
from wirelab.model.schema import Schema, String
from wirelab.model.study import FORMATS

MAX_MESSAGES = 200


class SizePreview(Struct, frozen=True):
    """Sizes of at most `MAX_MESSAGES` messages, evenly spread over the corpus; empty if pending."""

    format: str
    per_message: tuple[int, ...]

    @property
    def pending(self) -> bool:
        """Whether only the compiled pack can determine the size."""
        return not self.per_message

    @property
    def mean(self) -> float:
        """Mean bytes of a message; 0 if pending."""
        return sum(self.per_message) / len(self.per_message) if self.per_message else 0.0


def preview_sizes(
    messages: Sequence[Any], schema: Schema, asked: Sequence[str] = ()
) -> tuple[SizePreview, ...]:
    """Sizes of parsed JSON messages in the formats or codecs of `asked`; if empty, in all."""
    step = -(-len(messages) // MAX_MESSAGES)
    looked_at = messages[:: max(step, 1)]
    sizers = {name: one.sizer for name, one in formats().items() if one.sizer}
    if isinstance(schema.root, String) and not schema.root.nullable:
        sizers["raw"] = lambda _: lambda message: len(message.encode())
    known = sorted(sizers, key=lambda name: FORMATS.index(name) if name in FORMATS else len(FORMATS))
    wanted = dict.fromkeys(name.partition("/")[0] for name in asked or (*known, *FORMATS))
    return tuple(
        SizePreview(name, tuple(map(sizers[name](schema), looked_at)) if name in sizers else ())
        for name in wanted
    )
