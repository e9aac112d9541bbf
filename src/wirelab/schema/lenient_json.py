"""The lenient reader of JSON (`--lenient`): common text that is not JSON is read, with a note.

- `nan`, `inf` and `infinity`, with any sign and case, are these numbers.
- `True`, `False` and `None` are Python's words for true, false and null.
- Other bare words are text. A line that starts like no JSON value is text in whole.
- A comma before a closing bracket or after a message is left out.
- The last of equal keys wins, as in most parsers.
- A file that is not UTF-8 is decoded as Windows-1252: see wirelab.schema.json_corpus.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any

from wirelab.schema.json_diagnostics import BARE, is_word
from wirelab.schema.json_reader import MAX_DEPTH, Suspect, part

_BLANK = re.compile(r"[ \t\r\n]*")
_WORD = re.compile(BARE)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+")
_PYTHON = {"True": True, "False": False, "None": None, "true": True, "false": False, "null": None}

ENDLESS = "nan or inf read as these numbers"
WORD = "bare words read as text"
COMMA = "commas without a following value left out"
DUPLICATE = "duplicate keys: the last one counts"
PYTHON = "True, False or None read as true, false or null"


class LenientReader:
    """Reads texts, and counts in `oddities` what was not JSON in them."""

    def __init__(self) -> None:
        self.oddities: Counter[str] = Counter()

    def notes(self) -> tuple[str, ...]:
        """What was read that is not JSON."""
        return tuple(f"{what}: {count:,} times (--lenient)" for what, count in self.oddities.items())

    def whole(self, text: str) -> Any:
        """The one value that a text is. Raises Suspect."""
        before = self.oddities.copy()
        begin = _skip(text, 0)
        text = text.rstrip(" \t\r\n")
        try:
            value, end = self.part(text, begin)
        except Suspect:
            end = -1
        if end == len(text):
            return value
        if end >= 0 and text[end:].strip() == ",":
            self.oddities[COMMA] += 1
            return value
        if text[begin : begin + 1] in ("{", "[", '"', "") or _is_number(text[begin:]):
            raise Suspect
        _check_text(text)
        self.oddities = before + Counter({WORD: 1})
        return text[begin:]

    def part(self, text: str, at: int) -> tuple[Any, int]:
        """The value that starts at a position, and where it ends. Raises Suspect."""
        before = self.oddities.copy()
        try:
            return part(text, at, MAX_DEPTH)
        except Suspect:
            pass
        try:
            return self._value(text, at, MAX_DEPTH)
        except (Suspect, ValueError):
            self.oddities = before
            raise Suspect from None

    def _value(self, text: str, at: int, depth: int) -> tuple[Any, int]:
        sign = text[at : at + 1]
        if sign in ("{", "["):
            if depth == 0:
                raise Suspect
            return (self._object if sign == "{" else self._list)(text, at + 1, depth - 1)
        if sign == '"':
            return part(text, at, 1)
        match = _WORD.match(text, at)
        if match is None:
            raise Suspect
        return self._scalar(match[0]), match.end()

    def _scalar(self, word: str) -> Any:
        if _NUMBER.fullmatch(word):
            return part(word, 0, 1)[0]
        if word in _PYTHON:
            if word[0].isupper():
                self.oddities[PYTHON] += 1
            return _PYTHON[word]
        if word.lstrip("+-").lower() in ("nan", "inf", "infinity"):
            self.oddities[ENDLESS] += 1
            return float(word)
        if not is_word(word):
            raise Suspect
        self.oddities[WORD] += 1
        return word

    def _list(self, text: str, at: int, depth: int) -> tuple[Any, int]:
        items: list[Any] = []
        at = _skip(text, at)
        while text[at : at + 1] != "]":
            value, at = self._value(text, at, depth)
            items.append(value)
            at = self._separator(text, at, "]")
        return items, at + 1

    def _object(self, text: str, at: int, depth: int) -> tuple[Any, int]:
        found: dict[str, Any] = {}
        at = _skip(text, at)
        while text[at : at + 1] != "}":
            if text[at : at + 1] != '"':
                raise Suspect
            key, at = part(text, at, 1)
            at = _skip(text, at)
            if text[at : at + 1] != ":":
                raise Suspect
            value, at = self._value(text, _skip(text, at + 1), depth)
            if key in found:
                self.oddities[DUPLICATE] += 1
            found[key] = value
            at = self._separator(text, at, "}")
        return found, at + 1

    def _separator(self, text: str, at: int, closing: str) -> int:
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
            if text[at : at + 1] == closing:
                self.oddities[COMMA] += 1
            return at
        if text[at : at + 1] != closing:
            raise Suspect
        return at


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _is_number(word: str) -> bool:
    try:
        return word[:2].lower() == "0x" or math.isfinite(float(word))
    except ValueError:
        return False


def _check_text(text: str) -> None:
    """Raises Suspect for control characters: the text is binary, or cut off."""
    if any(sign < " " and sign != "\t" for sign in text):
        raise Suspect
