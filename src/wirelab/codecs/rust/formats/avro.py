"""Avro through serde_avro_fast."""

from __future__ import annotations

from wirelab.codecs.rust import avro
from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec
from wirelab.model.schema import Schema
from wirelab.schema.emitters import avro as emitted


def _sources(schema: Schema) -> dict[str, str]:
    return {"schema.avsc": avro.schema_json(schema)}


MODULE = PackModule(
    codecs=(
        RustCodec(
            "avro",
            "serde_avro_fast",
            "serde_avro_fast",
            "SerdeCodec<avro::SerdeAvroFast>",
            BOUND,
            {"buffer": "reused", "strings": "copied", "framing": "single datum, schema known to both sides"},
            lends=True,
        ),
    ),
    sources=_sources,
    unsupported=emitted.indistinct,
)
