"""From a schema to the sources of its Java pack."""

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
    """The sources of a pack with these codecs, by path; the compilers of the formats add theirs."""
    arms = {codec.name: codec.source for codec in codecs if codec.source}
    made = model.sources(schema, arms)
    for name in dict.fromkeys(codec.format for codec in codecs):
        if name in _MODULES:
            made |= _MODULES[name](schema)
    return made
