"""ASN.1 in unaligned packed encoding."""

from __future__ import annotations

from wirelab.codecs.formats import Format
from wirelab.schema.losses import POSITIONAL

FORMAT = Format("ASN.1 in unaligned packed encoding", POSITIONAL)
