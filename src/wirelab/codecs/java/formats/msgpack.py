"""MessagePack through Jackson."""

from __future__ import annotations

from wirelab.codecs.java.declaration import KEYS, JavaFormat, jackson

FORMAT = JavaFormat(codecs=(jackson("msgpack", "jackson-dataformat-msgpack", KEYS),))
