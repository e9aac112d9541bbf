"""CBOR."""

from __future__ import annotations

from wirelab.codecs import encoders
from wirelab.codecs.formats import Format
from wirelab.schema.losses import SELF_DESCRIBING

FORMAT = Format("CBOR", SELF_DESCRIBING, encoders.cbor)
