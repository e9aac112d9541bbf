"""rkyv."""

from __future__ import annotations

from wirelab.codecs.codec_spec import without
from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec
from wirelab.codecs.rust.model import fold
from wirelab.codecs.rust.names import identifier
from wirelab.model.schema import Any, Schema

_BOUNDS = """#[rkyv(serialize_bounds(__S: ::rkyv::ser::Writer + ::rkyv::ser::Allocator, __S::Error: ::rkyv::rancor::Source))]
#[rkyv(deserialize_bounds(__D::Error: ::rkyv::rancor::Source))]
#[rkyv(bytecheck(bounds(__C: ::rkyv::validation::ArchiveContext, __C::Error: ::rkyv::rancor::Source)))]
"""


def _folds_of_archived(schema: Schema) -> str:
    return "\n".join(fold(record, f"Archived{identifier(record.name)}") for record in schema.records)


MODULE = PackModule(
    codecs=(
        RustCodec(
            "rkyv",
            "rkyv",
            "rkyv",
            "rkyv::Rkyv",
            ("encode", "access", "access_validated", *BOUND[1:]),
            {"buffer": "reused", "strings": "read in place", "decode": "validated"},
            self_delimiting=False,
        ),
    ),
    cyclic=(_BOUNDS, "#[rkyv(omit_bounds)] "),
    derives="::rkyv::Archive, ::rkyv::Serialize, ::rkyv::Deserialize",
    additions=_folds_of_archived,
    unsupported=without(Any, "the library has no values of any type"),
)
