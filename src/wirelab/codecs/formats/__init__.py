"""One module for each format: its `FORMAT` declares what the codecs of every language have in common."""

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
    """A format. `sizer` computes the size of a message from the schema; None where only the library can tell."""

    title: str
    traits: Traits
    sizer: Callable[[Schema], Callable[[Any], int]] | None = None


@functools.cache
def formats() -> Mapping[str, Format]:
    """All formats by name."""
    return declared(sys.modules[__name__], "FORMAT")
