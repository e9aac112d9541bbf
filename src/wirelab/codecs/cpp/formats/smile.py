"""Smile has no library that could be used."""

from __future__ import annotations

from wirelab.codecs.cpp.declaration import PackUnit

UNIT = PackUnit(absent={"smile/none": "Debian has no C or C++ library of Smile"})
