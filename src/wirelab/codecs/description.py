"""The description of a pack, for all languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from wirelab.codecs.codec_spec import CodecSpec
from wirelab.codecs.formats import formats
from wirelab.codecs.generator import schema_hash
from wirelab.codecs.pack import CodecInfo, Description
from wirelab.model.schema import Schema
from wirelab.schema.losses import losses, nonfinite_losses

ABI = 1


def describe(
    language: str, schema: Schema, codecs: Sequence[CodecSpec], versions: Mapping[str, str], toolchain: str
) -> str:
    """The answer of `wl_describe` for a pack with these codecs. `versions` are by package."""
    infos = tuple(_info(schema, codec, versions.get(codec.package, "")) for codec in codecs)
    made = Description(ABI, language, schema_hash(schema), toolchain, infos)
    return msgspec.json.encode(made).decode()


def _info(schema: Schema, codec: CodecSpec, version: str) -> CodecInfo:
    declared = formats().get(codec.format)
    found = losses(schema, declared.traits) if declared else ()
    if codec.nonfinite == "null":
        found += nonfinite_losses(schema)
    return CodecInfo(
        codec.name,
        codec.format,
        codec.library,
        version,
        codec.phases,
        codec.options,
        found,
        codec.self_delimiting,
    )
