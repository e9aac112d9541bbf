"""Generates the sources of a Java pack from a schema."""

from __future__ import annotations

from wirelab.codecs.codec_spec import CodecSpec
from wirelab.codecs.java import model
from wirelab.codecs.java.registry import DECLARED
from wirelab.model.schema import Schema
from wirelab.schema.lowering import lowered


def generate(schema: Schema, codecs: tuple[CodecSpec, ...]) -> dict[str, str]:
    """The sources of a pack with these codecs, by path. The formats' compilers add theirs."""
    schema = lowered(schema)
    arms = {codec.name: codec.source for codec in codecs if codec.source}
    generated = model.sources(schema, arms)
    for name in dict.fromkeys(codec.format for codec in codecs):
        if (write := DECLARED[name].sources) is not None:
            generated |= write(schema)
    return generated
