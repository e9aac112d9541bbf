"""Avro."""

from __future__ import annotations

from wirelab.codecs import encoders
from wirelab.codecs.formats import Format
from wirelab.schema.losses import Traits

FORMAT = Format("Avro", Traits(tells_null_from_absent=False, carries_uint64=False), encoders.avro)
