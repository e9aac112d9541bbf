"""Protobuf."""

from __future__ import annotations

from wirelab.codecs import encoders
from wirelab.codecs.formats import Format
from wirelab.schema.emitters.protobuf import kept_keys
from wirelab.schema.losses import Traits

FORMAT = Format(
    "Protobuf",
    Traits(keys=kept_keys, tells_null_from_absent=False, carries_empty=False),
    encoders.protobuf,
)
