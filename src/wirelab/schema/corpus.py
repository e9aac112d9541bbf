"""The messages under test as Python values."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

MAX_MESSAGES = 1_000_000
MAX_CONTAINERS = 10_000_000
"""Lists and objects in all messages."""


class Corpus(Struct, frozen=True):
    """Messages as JSON values (int and float as written), their lines, and the bytes of the file.

    `lines` has the line on which each message begins; empty if the file is one message. `notes` are
    about input that is not plain JSON or JSON Lines.
    """

    messages: tuple[Any, ...]
    source: bytes
    name: str = "payload"
    lines: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()

    def where(self, index: int) -> str:
        """The place of message `index` (from 0) for people: file, line, number of the message."""
        if not self.lines:
            return self.name
        return f"{self.name}, line {self.lines[index]} (message {index + 1})"
