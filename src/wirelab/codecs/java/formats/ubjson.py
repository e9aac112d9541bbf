"""UBJSON: no maintained library."""

from __future__ import annotations

from wirelab.codecs.java.declaration import JavaFormat

FORMAT = JavaFormat(
    absent={
        "ubjson/none": "the last release of a UBJSON library for Java (com.dev-smart:ubjson 0.1.8) is from 2018",
    },
)
