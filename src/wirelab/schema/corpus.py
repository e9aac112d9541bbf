"""The messages under test as Python values."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Corpus(Struct, frozen=True):
    """Messages as JSON values (int and float as written), where each stood, and the bytes they came from.

    `lines` is the line on which each message begins; empty where the file is one message. `notes`
    say what was read although it is not plain JSON or JSON Lines.
    """

    messages: tuple[Any, ...]
    source: bytes
    name: str = "payload"
    lines: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()

    def where(self, index: int) -> str:
        """Message `index` (from 0) as people find it: the file, the line, the number of the message."""
        if not self.lines:
            return self.name
        return f"{self.name}, line {self.lines[index]} (message {index + 1})"
