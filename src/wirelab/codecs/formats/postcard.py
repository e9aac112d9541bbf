"""Postcard."""

from __future__ import annotations

from wirelab.codecs.formats import Format
from wirelab.schema.losses import NATIVE

FORMAT = Format("Postcard", NATIVE)
