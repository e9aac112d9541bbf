"""Smile through Jackson."""

from __future__ import annotations

from wirelab.codecs.java.declaration import KEYS, JavaFormat, jackson

FORMAT = JavaFormat(
    codecs=(
        jackson("smile", "jackson-dataformat-smile", {**KEYS, "shared names": "yes", "shared values": "no"}),
    )
)
