"""BSON."""

from __future__ import annotations

from wirelab.codecs.formats import Format
from wirelab.schema.losses import Traits

FORMAT = Format("BSON", Traits(carries_uint64=False))
