"""XDR."""

from __future__ import annotations

from wirelab.codecs import sizes_records
from wirelab.codecs.formats import Format
from wirelab.schema.losses import POSITIONAL

FORMAT = Format("XDR", POSITIONAL, sizes_records.xdr)
