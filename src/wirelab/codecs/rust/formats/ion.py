"""Amazon Ion through ion-rs."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec
from wirelab.model.schema import Int, Schema
from wirelab.schema.lowering import lowered


def _wide_alternative(schema: Schema) -> str:
    """Why a schema cannot be read: ion-rs reads an integer of unknown width as i64."""
    unions = [record for record in lowered(schema).records if record.shape == "union"]
    kinds = [field.type for record in unions for field in record.fields]
    is_wide = any(isinstance(kind, Int) and kind.high >= 2**63 for kind in kinds)
    return "the library reads integers in a union up to 2^63-1 only" if is_wide else ""


MODULE = PackModule(
    codecs=(
        RustCodec(
            "ion",
            "ion-rs",
            "ion-rs",
            "SerdeCodec<ion::IonRs>",
            BOUND,
            {"buffer": "new for each message", "strings": "copied", "symbols": "in each message"},
            self_delimiting=False,
        ),
    ),
    unsupported=_wide_alternative,
)
