"""One module for each format: `FORMAT` declares what its codecs of all languages have in common."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from wirelab.codecs.codec_spec import declared
from wirelab.model.schema import Schema
from wirelab.schema.losses import Traits


class Format(Struct, frozen=True):
    """A format. `sizer` computes a message's size from the schema; None if only the library can."""

    title: str
    traits: Traits
    sizer: Callable[[Schema], Callable[[Any], int]] | None = None


@functools.cache
def formats() -> Mapping[str, Format]:
    """All formats by name."""
    return declared(sys.modules[__name__], "FORMAT")
