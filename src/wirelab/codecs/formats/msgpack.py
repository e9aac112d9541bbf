"""MessagePack."""

from __future__ import annotations

from wirelab.codecs import sizes_named
from wirelab.codecs.formats import Format
from wirelab.schema.losses import SELF_DESCRIBING

FORMAT = Format("MessagePack", SELF_DESCRIBING, lambda schema: sizes_named.sizer(schema, sizes_named.MSGPACK))
