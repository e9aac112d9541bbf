"""Avro through the official library."""

from __future__ import annotations

from wirelab.codecs.codec_spec import CodecSpec
from wirelab.codecs.java.declaration import MADE, POPULATED, JavaFormat
from wirelab.codecs.java.object_models import avro_sources
from wirelab.schema.emitters import avro

FORMAT = JavaFormat(
    codecs=(
        CodecSpec(
            "avro",
            "avro-java",
            "avro",
            "new wirelab.pack.av.AvroCodec()",
            POPULATED,
            {
                **MADE,
                "framing": "single datum, schema known to both sides",
                "custom coders": "off, the default",
            },
            unions=True,
            recursion=True,
            free_types=True,
        ),
    ),
    sources=avro_sources,
    unsupported=avro.indistinct,
)
