"""The exact reader of JSON: it finds the first error of a text, with its place.

It never recurses, and passes every valid part to the fast reader.
"""

from __future__ import annotations

import json
import math
import re

from msgspec import Struct

from wirelab.schema.json_reader import MAX_DEPTH, Suspect, part
from wirelab.schema.paths import Part, show

_BLANK = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+")
BARE = r"[-+]?[A-Za-z_][A-Za-z0-9_.+/-]*+|-?[0-9.][0-9A-Za-z.+-]*+"
"""A number or a word without quotes."""
_WORD = re.compile(BARE)
_LITERALS = {"true", "false", "null"}
_ENDLESS = {sign + word for sign in ("", "-", "+") for word in ("nan", "inf", "infinity")}
_PYTHON = {"True": "true", "False": "false", "None": "null"}


class Problem(Struct, frozen=True):
    """An error of a text: the line (from 1), the path, the cause and the remedy."""

    line: int
    path: str
    why: str
    next_step: str


class _Wrong(Exception):
    def __init__(self, why: str, next_step: str) -> None:
        super().__init__(why)
        self.why, self.next_step = why, next_step


def is_word(token: str) -> bool:
    """Whether a BARE token is a word, not a number or a sign."""
    return token[:1].isalpha() or token[:1] == "_"


def find_problem(text: str, lenient: bool = False) -> Problem | None:
    """The first error of a JSON text that should be one value, or None.

    `lenient` leaves out what wirelab.schema.lenient_json reads.
    """
    scanner = _Scanner(text, lenient)
    try:
        scanner.run()
    except _Wrong as wrong:
        line = text.count("\n", 0, scanner.at) + 1
        return Problem(line, show(scanner.path()), wrong.why, wrong.next_step)
    return None


class _Frame:
    """An open object or list: the current key or index, and the keys so far."""

    def __init__(self, is_object: bool) -> None:
        self.is_object = is_object
        self.keys: set[str] = set()
        self.key: str | None = None
        self.index = 0


class _Scanner:
    def __init__(self, text: str, lenient: bool) -> None:
        self.text, self.at, self.lenient = text, 0, lenient
        self.frames: list[_Frame] = []

    def path(self) -> list[Part]:
        parts: list[Part] = []
        for frame in self.frames:
            if not frame.is_object:
                parts.append(frame.index)
            elif frame.key is not None:
                parts.append(frame.key)
        return parts

    def run(self) -> None:
        self.value()
        while self.frames:
            self.after_value()
        if self.peek():
            if self.text[self.at :].rstrip(" \t\r\n") == ",":
                self.object_to("a comma follows the message", "leave it out")
                return
            raise _Wrong(
                "more text follows the end of the message", "put one message per line in a .jsonl file"
            )

    def peek(self) -> str:
        match = _BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.text[self.at : self.at + 1]

    def value(self) -> None:
        """Read a whole scalar, list or object; of a faulty list or object, the part up to the first
        value.
        """
        while True:
            sign = self.peek()
            if sign not in ("{", "["):
                self.scalar(sign)
                return
            if self.skip():
                return
            if len(self.frames) == MAX_DEPTH:
                raise _Wrong(f"nested deeper than {MAX_DEPTH} levels", "flatten the message")
            self.at += 1
            frame = _Frame(sign == "{")
            self.frames.append(frame)
            if self.peek() == ("}" if frame.is_object else "]"):
                self.at += 1
                self.frames.pop()
                return
            if frame.is_object:
                self.key(frame)

    def skip(self) -> bool:
        """Skip a valid list or object."""
        try:
            _, self.at = part(self.text, self.at, MAX_DEPTH - len(self.frames))
        except Suspect:
            return False
        return True

    def after_value(self) -> None:
        frame = self.frames[-1]
        sign, closing = self.peek(), "}" if frame.is_object else "]"
        if sign == closing:
            self.at += 1
            self.frames.pop()
            return
        self.expect(",", f"expected ',' or '{closing}'")
        if self.peek() == closing:
            self.object_to(f"a comma is before '{closing}'", "leave it out")
            self.at += 1
            self.frames.pop()
            return
        frame.index += 1
        if frame.is_object:
            frame.key = None
            self.key(frame)
        self.value()

    def key(self, frame: _Frame) -> None:
        if self.peek() != '"':
            raise self.unexpected("expected a key in double quotes")
        key = self.string()
        frame.key = key
        if key in frame.keys:
            self.object_to("this key is a duplicate in its object", "keep one of the two")
        frame.keys.add(key)
        self.expect(":", "expected ':' after the key")

    def scalar(self, sign: str) -> None:
        if sign == '"':
            self.string()
            return
        word = _WORD.match(self.text, self.at)
        token = word[0] if word else ""
        if token.lower() in _ENDLESS:
            self.object_to(f"{token} is not a JSON number", "leave the key out or write null")
        elif token in _PYTHON:
            self.object_to(f"{token} is not JSON", f"write {_PYTHON[token]}")
        elif is_word(token) and token not in _LITERALS:
            self.object_to(f"{token} is not JSON", f'write text in double quotes: "{token}"')
        elif _NUMBER.fullmatch(token):
            self.number(token)
        elif token not in _LITERALS:
            raise self.unexpected("expected a value")
        self.at += len(token)

    def object_to(self, why: str, next_step: str) -> None:
        """Raise an error that `--lenient` does not know."""
        if not self.lenient:
            raise _Wrong(why, f"{next_step}, or give --lenient")

    def number(self, token: str) -> None:
        if not math.isfinite(float(token)):
            raise _Wrong("this number is larger than any 64-bit float", "write it as a string")

    def string(self) -> str:
        match = _STRING.match(self.text, self.at)
        if match is None:
            raise self.broken_string()
        raw: str = json.loads(match[0])
        try:
            raw.encode()
        except UnicodeEncodeError:
            raise _Wrong("a string holds half of a surrogate pair", "write the whole character") from None
        self.at = match.end()
        return raw

    def broken_string(self) -> _Wrong:
        end = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+').match(
            self.text, self.at
        )
        self.at = end.end() if end else self.at
        if self.at >= len(self.text):
            return _Wrong("the text ends inside a string", "the file was cut off: get the whole of it")
        if self.text[self.at] == "\\":
            return _Wrong("a string holds an escape JSON does not know", "write it as \\uXXXX")
        return _Wrong("a string holds a raw control character", "write it as \\uXXXX")

    def expect(self, sign: str, why: str) -> None:
        if self.peek() != sign:
            raise self.unexpected(why)
        self.at += 1

    def unexpected(self, why: str) -> _Wrong:
        self.peek()
        if self.at >= len(self.text):
            return _Wrong(f"the text ends here: {why}", "the file was cut off: get the whole of it")
        return _Wrong(f"{why}, found {json.dumps(self.text[self.at : self.at + 12])}", "correct the JSON")
