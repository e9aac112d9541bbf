"""YAML through Jackson."""

from __future__ import annotations

from wirelab.codecs.java.declaration import TEXT, JavaFormat, jackson

FORMAT = JavaFormat(codecs=(jackson("yaml", "jackson-dataformat-yaml", TEXT),))
