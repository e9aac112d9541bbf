"""CBOR through Jackson."""

from __future__ import annotations

from wirelab.codecs.java.declaration import KEYS, JavaFormat, jackson

FORMAT = JavaFormat(codecs=(jackson("cbor", "jackson-dataformat-cbor", KEYS),))
