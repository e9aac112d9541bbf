"""One module for each format: `FORMAT` declares what its codecs of all languages have in common."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping

from msgspec import Struct

from wirelab.codecs.codec_spec import declared
from wirelab.codecs.encoders import Encoder
from wirelab.model.schema import Schema
from wirelab.schema.losses import Traits


class Format(Struct, frozen=True):
    """A format.

    `encoder` makes an encoder of any schema; None if only a compiled pack can encode.
    """

    title: str
    traits: Traits
    encoder: Callable[[Schema], Encoder] | None = None


@functools.cache
def formats() -> Mapping[str, Format]:
    """All formats by name."""
    return declared(sys.modules[__name__], "FORMAT", Format, "wirelab.formats")
