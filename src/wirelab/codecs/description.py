"""What a pack says of itself, in whatever language it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from wirelab.codecs.generator import schema_hash
from wirelab.codecs.pack import CodecInfo, Description
from wirelab.codecs.registry import CodecSpec
from wirelab.model.schema import Schema

ABI = 1


def describe(
    language: str, schema: Schema, codecs: Sequence[CodecSpec], versions: Mapping[str, str], toolchain: str
) -> str:
    """What `wl_describe` answers for a pack with these codecs; `versions` are those of their packages."""
    infos = tuple(_info(schema, codec, versions.get(codec.package, "")) for codec in codecs)
    made = Description(ABI, language, schema_hash(schema), toolchain, infos)
    return msgspec.json.encode(made).decode()


def _info(schema: Schema, codec: CodecSpec, version: str) -> CodecInfo:
    from wirelab.schema.losses import FORMATS, losses  # noqa: PLC0415

    return CodecInfo(
        codec.name,
        codec.format,
        codec.library,
        version,
        codec.phases,
        codec.options,
        losses(schema, codec.format) if codec.format in FORMATS else (),
        codec.self_delimiting,
    )
