"""The C++ codecs, collected from `wirelab.codecs.cpp.formats`."""

from __future__ import annotations

from wirelab.codecs.codec_spec import declared, lacks_types
from wirelab.codecs.cpp import formats
from wirelab.codecs.cpp.declaration import CppCodec, PackUnit
from wirelab.model.schema import Schema
from wirelab.model.study import FORMATS

UNITS: dict[str, PackUnit] = declared(formats, "UNIT", PackUnit, "wirelab.cpp_codecs")
"""The declaration of each header of packs/cpp/codecs."""

NEEDS = {name: unit.need for name, unit in UNITS.items() if unit.codecs}
"""How to compile and link a unit, by unit."""

CPP = tuple(
    sorted(
        (codec for unit in UNITS.values() for codec in unit.codecs),
        key=lambda codec: (*FORMATS, codec.format).index(codec.format),
    )
)
"""All codecs, those of the formats compared by default first."""

MISSING = {name: why for unit in UNITS.values() for name, why in unit.absent.items()}
"""Codecs that a user may expect but that are not available: name -> reason."""


def cpp_codecs(schema: Schema) -> tuple[tuple[CppCodec, ...], dict[str, str]]:
    """The codecs that carry a schema, and the others: name -> reason."""
    reasons = {codec.name: lacks_types(codec, schema) or _unsupported(codec, schema) for codec in CPP}
    fit = tuple(codec for codec in CPP if not reasons[codec.name])
    return fit, {name: why for name, why in reasons.items() if why} | MISSING


def _unsupported(codec: CppCodec, schema: Schema) -> str:
    why = UNITS[codec.unit].unsupported
    return why(schema) if why else ""


__all__ = ["CPP", "MISSING", "NEEDS", "UNITS", "CppCodec", "cpp_codecs"]
