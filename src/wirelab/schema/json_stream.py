"""Several JSON values in one text without a line for each: concatenated, or a JSON text sequence
(RFC 7464).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from wirelab.schema.json_reader import Suspect

RECORD_SEPARATOR = "\x1e"
_BLANK = " \t\r\n"
_NUL_OR_BLANK = "\0" + _BLANK


class BadStream(Exception):
    """A text that is not such a stream. The error is in the value that begins at `start`."""

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.start = start


def concatenated(text: str, part: Callable[[str, int], tuple[Any, int]]) -> Iterator[tuple[int, Any]]:
    """The concatenated objects and lists of a text, and their positions.

    `part` reads the value at a position. Raises BadStream. Scalars are rejected: `1 2` or
    `truefalse` is more often a mistake than two messages.
    """
    last = at = _skip_blanks(text, 0)
    while at < len(text):
        if text[at] not in "{[":
            raise BadStream(last)
        try:
            value, end = part(text, at)
        except Suspect:
            raise BadStream(at) from None
        yield at, value
        last, at = at, _skip_blanks(text, end)


def sequence(text: str, whole: Callable[[str], Any]) -> Iterator[tuple[int, Any]]:
    """The values of a JSON text sequence, and their positions.

    `whole` reads the value that a text is. Raises BadStream. RFC 7464, section 2.1: several
    separators in a row mean the same as one.
    """
    at = 0
    for piece in text.split(RECORD_SEPARATOR):
        if piece.strip(_BLANK):
            try:
                yield at, whole(piece)
            except Suspect:
                raise BadStream(at) from None
        at += len(piece) + 1


def _skip_blanks(text: str, at: int) -> int:
    """The position behind blanks and NUL bytes, which C programs send behind their strings."""
    while at < len(text) and text[at] in _NUL_OR_BLANK:
        at += 1
    return at
