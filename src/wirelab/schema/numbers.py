"""Narrowing of whole floats (`5.0`) to integers.

Without `narrow_floats` types are those of the JSON text. With it whole floats become integers, as
in JavaScript, with the size of an integer in every format. A field that also has fractions stays
a float.
"""

from __future__ import annotations

import math
from typing import Any

from msgspec.structs import replace

from wirelab.schema.corpus import Corpus


def ruled(corpus: Corpus, narrow_floats: bool) -> Corpus:
    """The corpus with its whole floats as integers, or unchanged."""
    if not narrow_floats:
        return corpus
    return replace(corpus, messages=tuple(map(_narrowed, corpus.messages)))


def _narrowed(value: Any) -> Any:
    if type(value) is dict:
        return {key: _narrowed(item) for key, item in value.items()}
    if type(value) is list:
        return [_narrowed(item) for item in value]
    return int(value) if type(value) is float and _is_whole(value) else value


def _is_whole(value: float) -> bool:
    """Whether a 64-bit integer equals the float. -0 has no integer."""
    minus_zero = value == 0 and math.copysign(1, value) < 0
    return value.is_integer() and -(2.0**63) <= value < 2.0**63 and not minus_zero
