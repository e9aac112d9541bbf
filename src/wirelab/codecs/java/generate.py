"""Generates the sources of a Java pack from a schema."""

from __future__ import annotations

from wirelab.codecs.java import capnp, flatbuffers, model, object_models, xdr
from wirelab.codecs.registry import CodecSpec
from wirelab.model.schema import Schema

_MODULES = {
    "protobuf": object_models.protobuf_sources,
    "flatbuffers": flatbuffers.sources,
    "avro": object_models.avro_sources,
    "thrift": object_models.thrift_sources,
    "xdr": xdr.sources,
    "capnp": capnp.sources,
}


def generate(schema: Schema, codecs: tuple[CodecSpec, ...]) -> dict[str, str]:
    """The sources of a pack with these codecs, by path. The formats' compilers add theirs."""
    arms = {codec.name: codec.source for codec in codecs if codec.source}
    generated = model.sources(schema, arms)
    for name in dict.fromkeys(codec.format for codec in codecs):
        if name in _MODULES:
            generated |= _MODULES[name](schema)
    return generated
