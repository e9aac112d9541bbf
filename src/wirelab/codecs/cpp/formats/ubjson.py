"""UBJSON has no library that could be used."""

from __future__ import annotations

from wirelab.codecs.cpp.declaration import PackUnit

UNIT = PackUnit(
    absent={
        "ubjson/none": "Debian has one library, nlohmann's JSON, which writes UBJSON from a DOM of its own only"
    }
)
