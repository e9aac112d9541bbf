"""YAML."""

from __future__ import annotations

from wirelab.codecs.formats import Format
from wirelab.schema.losses import SELF_DESCRIBING

FORMAT = Format("YAML", SELF_DESCRIBING)
