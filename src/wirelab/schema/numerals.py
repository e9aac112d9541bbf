"""Numbers whose text matters: the messages of a corpus with the digits of their numbers as written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from msgspec.structs import replace

from wirelab.model import schema as model
from wirelab.model.schema import Schema
from wirelab.schema.corpus import Corpus
from wirelab.schema.paths import floats, show
from wirelab.schema.places import places

_BETWEEN = re.compile(r"[\s\0\x1e]*")
"""Between messages: blanks, the NUL of C strings, the separator of JSON text sequences."""
_SUSPECT = re.compile(rb"\.[0-9]*0[\s,}\]]|[0-9][eE][-+0-9]|[0-9.]{18}")
"""What a float does not give back as it is: trailing zeros, exponents, many digits; `.0` too."""


class Numeral(float):
    """A number that is not an integer, with the text in which it was written."""

    text: str

    def __new__(cls, text: str) -> Numeral:
        """The number in a JSON number literal."""
        made = super().__new__(cls, text)
        made.text = text
        return made


def has_decimal(schema: Schema) -> bool:
    """Whether any value of a message is a decimal."""
    return any(isinstance(place.kind, model.Decimal) for place in places(schema))


def with_numerals(corpus: Corpus) -> Corpus:
    """The corpus with its floats as `Numeral`, or unchanged if it was not read from JSON text."""
    try:
        written = list(_messages(corpus.source.decode("utf-8-sig")))
    except (ValueError, RecursionError):
        return corpus
    if len(written) != len(corpus.messages):
        return corpus
    return replace(corpus, messages=tuple(map(_overlaid, corpus.messages, written)))


def exact(corpus: Corpus, schema: Schema) -> Corpus:
    """The corpus with the digits of its numbers, if the schema has decimals."""
    return with_numerals(corpus) if has_decimal(schema) else corpus


def unkept_digits(corpus: Corpus, schema: Schema) -> tuple[str, ...]:
    """Notes on floats whose text a 64-bit float does not give back: lost digits, and other
    spellings of the same number. There are none for a schema with decimals.
    """
    if has_decimal(schema) or not _SUSPECT.search(corpus.source):
        return ()
    lost: list[str] = []
    respelt: list[str] = []
    shorter = 0
    for message in with_numerals(corpus).messages:
        for path, number in floats(message):
            if not isinstance(number, Numeral):
                continue
            shown = repr(float(number))
            if shown == number.text:
                continue
            shorter += len(number.text) - len(shown)
            same = Decimal(number.text) in (Decimal(shown), Decimal(float(number)))
            group = respelt if same else lost
            group.append(f"{number.text} at {show(path)} comes back as {shown}")
    remedy = "`decimal` in a --schema keeps the digits"
    notes = []
    if lost:
        notes.append(f"digits beyond a 64-bit float are lost: {lost[0]}{_more(lost)}; {remedy}")
    if respelt:
        size = f"; JSON is {shorter:,} bytes smaller than was sent" if shorter > 0 else ""
        notes.append(
            f"numbers keep their value, not their spelling: {respelt[0]}{_more(respelt)}{size}; {remedy}"
        )
    return tuple(notes)


def encode(value: Any) -> str:
    """Compact JSON in which a `Numeral` has its digits, in the form of a decimal (`1.2E+2`)."""
    if isinstance(value, Numeral):
        return str(Decimal(value.text))
    if type(value) is dict:
        return "{" + ",".join(f"{_plain(key)}:{encode(item)}" for key, item in value.items()) + "}"
    if type(value) is list:
        return "[" + ",".join(map(encode, value)) + "]"
    return _plain(value)


def _messages(text: str) -> Iterator[Any]:
    at = _end(text, 0)
    while at < len(text):
        value, at = _DECODER.raw_decode(text, at)
        yield value
        at = _end(text, at)


def _end(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return found.end() if found else at


def _int(text: str) -> int | Numeral:
    return Numeral(text) if text == "-0" else int(text)


def _overlaid(value: Any, written: Any) -> Any:
    """A message with the numerals of its text where it has the same floats."""
    if type(value) is float and isinstance(written, Numeral) and value == written:
        return written
    if type(value) is dict and type(written) is dict:
        return {key: _overlaid(item, written.get(key)) for key, item in value.items()}
    if type(value) is list and type(written) is list and len(value) == len(written):
        return list(map(_overlaid, value, written))
    return value


def _more(found: list[str]) -> str:
    return f" (and {len(found) - 1:,} more)" if len(found) > 1 else ""


_plain = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
_DECODER = json.JSONDecoder(parse_float=Numeral, parse_int=_int)
