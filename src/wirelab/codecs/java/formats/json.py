"""JSON through Jackson, from annotated objects and from a tree."""

from __future__ import annotations

from wirelab.codecs.codec_spec import CodecSpec
from wirelab.codecs.java.declaration import BOUND, DOM, TEXT, JavaFormat, jackson

FORMAT = JavaFormat(
    codecs=(
        jackson("json", "jackson-databind", {**TEXT, "text": "compact"}),
        CodecSpec(
            "json",
            "jackson-dom",
            "jackson-databind",
            "",
            tuple(phase for phase in BOUND if phase != "decode"),
            {**DOM, "text": "compact"},
            unions=True,
            recursion=True,
            free_types=True,
        ),
    ),
)
