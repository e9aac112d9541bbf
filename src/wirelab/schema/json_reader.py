"""The fast, strict reader of JSON. It rejects invalid texts without the place or the reason."""

from __future__ import annotations

import json
import math
import re
from typing import Any

MAX_DEPTH = 64
"""Levels of lists and objects; the parsers of some formats stop at 100 or 128."""
_BLANK = " \t\r\n"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class Suspect(Exception):
    """A text is invalid. The exact reader finds the reason."""


def whole(text: str) -> Any:
    """The one JSON value that a text is. Raises Suspect."""
    start = len(text) - len(text.lstrip(_BLANK))
    value, end = part(text, start, MAX_DEPTH)
    if text[end:].strip(_BLANK):
        raise Suspect
    return value


def part(text: str, at: int, depth: int) -> tuple[Any, int]:
    """The JSON value that starts at a position, nested at most `depth` levels, and where it ends.

    Raises Suspect.
    """
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        raise Suspect from None
    if depth_exceeds(value, depth):
        raise Suspect
    if _SURROGATE.search(text, at, end):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise Suspect from None
    return value, end


def depth_exceeds(value: Any, limit: int) -> bool:
    """Whether lists and objects are nested in one another more than `limit` levels."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(limit):
        groups = (node.values() if type(node) is dict else node for node in level)
        level = [child for group in groups for child in group if type(child) is dict or type(child) is list]
        if not level:
            return False
    return True


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("duplicate key")
    return value


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError("beyond 64 bits")
    return value


def _int(text: str) -> int | float:
    if text == "-0":  # an integer has no -0
        return -0.0
    if len(text) > 300 and math.isinf(float(text)):
        raise ValueError("beyond 64 bits")
    return int(text)


def _refuse(text: str) -> Any:
    raise ValueError(text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_float, parse_int=_int, parse_constant=_refuse
)
