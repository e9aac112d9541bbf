"""Avro has no library that could be used."""

from __future__ import annotations

from wirelab.codecs.cpp.declaration import PackUnit

UNIT = PackUnit(absent={"avro/avro-cpp": "Debian has Avro's C library, and no package of the C++ one"})
