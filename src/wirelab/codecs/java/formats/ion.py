"""Ion through Jackson."""

from __future__ import annotations

from wirelab.codecs.java.declaration import KEYS, JavaFormat, jackson

FORMAT = JavaFormat(codecs=(jackson("ion", "jackson-dataformat-ion", {**KEYS, "encoding": "binary"}),))
