"""Thrift."""

from __future__ import annotations

from wirelab.codecs.formats import Format
from wirelab.schema.losses import Traits, renamed_keys

FORMAT = Format(
    "Thrift",
    Traits(keys=renamed_keys, tells_null_from_absent=False, carries_uint64=False),
)
