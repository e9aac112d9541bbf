"""Raw bytes as messages that no format looks into: a line of hexadecimal digits or base64 each."""

from __future__ import annotations

import base64
from collections.abc import Callable

from wirelab.model.errors import BadInput
from wirelab.schema.corpus import MAX_MESSAGES, Corpus
from wirelab.schema.typed_text import ByteText


def read_hex(text: str, name: str) -> Corpus:
    """A message per line of hexadecimal digits; `0x`, blanks and colons between bytes are left out.

    Raises BadInput.
    """
    return _lines(text, name, _from_hex, "hexadecimal digits")


def read_base64(text: str, name: str) -> Corpus:
    """A message per line of base64 (RFC 4648), standard or for URLs, padded or not.

    Raises BadInput.
    """
    return _lines(text, name, _from_base64, "base64")


def _lines(text: str, name: str, decode: Callable[[str], bytes], what: str) -> Corpus:
    messages: list[ByteText] = []
    numbers: list[int] = []
    for number, line in enumerate(text.split("\n"), start=1):
        word = line.strip(" \t\r\0")
        if not word:
            continue
        if len(messages) == MAX_MESSAGES:
            raise BadInput(name, f"more than {MAX_MESSAGES:,} messages", "take a sample of some thousand")
        try:
            messages.append(ByteText.of(decode(word)))
        except ValueError:
            why = f"not {what}: {word[:24]!r}"
            raise BadInput(f"{name}, line {number}", why, "correct the line, or leave it out") from None
        numbers.append(number)
    if not messages:
        raise BadInput(name, "the file is empty", "give a file with at least one line")
    note = f"read as bytes: a line of {what} for each message"
    return Corpus(tuple(messages), text.encode(), name, tuple(numbers), (note,))


def _from_hex(word: str) -> bytes:
    return bytes.fromhex(word.removeprefix("0x").removeprefix("0X").replace(":", " "))


def _from_base64(word: str) -> bytes:
    standard = word.replace("-", "+").replace("_", "/").rstrip("=")
    return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
