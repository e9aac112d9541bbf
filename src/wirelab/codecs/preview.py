"""Sizes before the pack is compiled: messages are encoded by Python libraries.

Only some formats have such a library. A preview is labelled as one and never shown next to measured
sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from wirelab.codecs.encoders import Encoder
from wirelab.codecs.formats import formats
from wirelab.model.codec_id import CodecId
from wirelab.model.schema import Schema, String
from wirelab.model.study import FORMATS
from wirelab.schema.lowering import free_type, mixed_type

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
    needs_pack = mixed_type(schema) or free_type(schema)
    encoders = {name: one.encoder for name, one in formats().items() if one.encoder and not needs_pack}
    if isinstance(schema.root, String) and not schema.root.nullable:
        encoders["raw"] = lambda _: str.encode
    known = sorted(encoders, key=lambda name: FORMATS.index(name) if name in FORMATS else len(FORMATS))
    wanted = dict.fromkeys(CodecId.parse(name).format for name in asked or (*known, *FORMATS))
    return tuple(
        SizePreview(name, _sizes(encoders[name](schema), looked_at) if name in encoders else ())
        for name in wanted
    )


def _sizes(encode: Encoder, messages: Sequence[Any]) -> tuple[int, ...]:
    return tuple(len(encode(message)) for message in messages)
