"""XML through quick-xml."""

from __future__ import annotations

from wirelab.codecs.rust.declaration import BOUND, PackModule, RustCodec
from wirelab.codecs.rust.names import literal
from wirelab.model.schema import Ref, Schema
from wirelab.schema.lowering import is_object


def _root(schema: Schema) -> str:
    kind = schema.root
    root = kind.name if isinstance(kind, Ref) and is_object(schema) else "message"
    return f"/// What a message is called.\npub const ROOT: &str = {literal(root)};\n"


MODULE = PackModule(
    codecs=(
        RustCodec(
            "xml",
            "quick-xml",
            "quick-xml",
            "SerdeCodec<xml::QuickXml>",
            BOUND,
            {
                "buffer": "reused",
                "strings": "copied",
                "text": "compact",
                "null": "xsi:nil",
                "illegal names": "base64",
            },
        ),
    ),
    additions=_root,
)
