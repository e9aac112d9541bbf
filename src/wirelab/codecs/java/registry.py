"""The Java codecs, collected from `wirelab.codecs.java.formats`."""

from __future__ import annotations

from wirelab.codecs.codec_spec import CodecSpec, declared, lacks_types
from wirelab.codecs.java import formats
from wirelab.codecs.java.declaration import JavaFormat
from wirelab.model.schema import Schema
from wirelab.model.study import FORMATS

DECLARED: dict[str, JavaFormat] = declared(formats, "FORMAT", JavaFormat, "wirelab.java_codecs")
"""The declaration of each format."""

JAVA = tuple(
    sorted(
        (codec for one in DECLARED.values() for codec in one.codecs),
        key=lambda codec: (*FORMATS, codec.format).index(codec.format),
    )
)
"""All codecs, those of the formats compared by default first."""

MISSING = {name: why for one in DECLARED.values() for name, why in one.absent.items()}
"""Codecs that other languages have and Java does not: name -> reason."""


def java_codecs(schema: Schema) -> tuple[tuple[CodecSpec, ...], dict[str, str]]:
    """The codecs that support a schema, and the others: name -> reason."""
    reasons = {codec.name: _unsupported(codec, schema) for codec in JAVA}
    fit = tuple(codec for codec in JAVA if not reasons[codec.name])
    return fit, {name: why for name, why in reasons.items() if why} | MISSING


def _unsupported(codec: CodecSpec, schema: Schema) -> str:
    """The reason why a codec does not support a schema, "" if it does."""
    unsupported = DECLARED[codec.format].unsupported
    return lacks_types(codec, schema) or (unsupported(schema) if unsupported else "")
