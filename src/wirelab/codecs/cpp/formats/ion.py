"""Amazon Ion has no library that could be used."""

from __future__ import annotations

from wirelab.codecs.cpp.declaration import PackUnit

UNIT = PackUnit(absent={"ion/none": "Debian has no package of Amazon's C library"})
