"""XDR."""

from __future__ import annotations

from wirelab.codecs.formats import Format
from wirelab.schema.losses import POSITIONAL

FORMAT = Format("XDR", POSITIONAL)
