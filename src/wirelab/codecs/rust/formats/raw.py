"""The bytes of one string, unchanged."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec
from wirelab.model.schema import Schema, String


def _is_text(schema: Schema) -> bool:
    """Whether a message is one string that is never null."""
    return isinstance(schema.root, String) and not schema.root.nullable


MODULE = PackModule(
    codecs=(
        RustCodec("raw", "none", "", "raw::Raw", BOUND, {"bytes": "as they are"}, self_delimiting=False),
    ),
    carries=_is_text,
)
