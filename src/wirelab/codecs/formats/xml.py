"""XML."""

from __future__ import annotations

from wirelab.codecs.formats import Format
from wirelab.schema.losses import SELF_DESCRIBING

FORMAT = Format("XML", SELF_DESCRIBING)
