"""The messages under test as Python values."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from msgspec import Struct

from wirelab.model.errors import BadInput

MAX_MESSAGES = 4_000_000
MAX_CONTAINERS = 10_000_000
"""Lists and objects in all messages."""


class Corpus(Struct, frozen=True):
    """Messages as JSON values (int and float as written), their lines, and the bytes of the file.

    `lines` has the line on which each message begins (0 where its file is one message); empty if no
    message has one. `files` has the first message and the name of each file, if there are several.
    `notes` are about input that is not plain JSON or JSON Lines.
    """

    messages: Sequence[Any]
    source: bytes
    name: str = "payload"
    lines: Sequence[int] = ()
    notes: tuple[str, ...] = ()
    files: tuple[tuple[int, str], ...] = ()

    def where(self, index: int) -> str:
        """The place of message `index` (from 0) for people: file, line, number of the message."""
        line = self.lines[index] if self.lines else 0
        if self.files:
            at = bisect_right(self.files, index, key=lambda file: file[0]) - 1
            first, name = self.files[at]
            return f"{name}, line {line} (message {index - first + 1})" if line else name
        if line:
            return f"{self.name}, line {line} (message {index + 1})"
        return f"{self.name}, message {index + 1}" if len(self.messages) > 1 else self.name


def joined(parts: Sequence[Corpus], name: str) -> Corpus:
    """The messages of several files as one corpus. Raises BadInput."""
    messages = tuple(message for part in parts for message in part.messages)
    if len(messages) > MAX_MESSAGES:
        raise BadInput(name, f"more than {MAX_MESSAGES:,} messages", "take a sample of some thousand")
    starts = accumulate((len(part.messages) for part in parts), initial=0)
    lines = tuple(line for part in parts for line in (part.lines or (0,) * len(part.messages)))
    counted = Counter(note for part in parts for note in part.notes)
    notes = tuple(f"{note} ({count:,} files)" for note, count in counted.items())
    files = tuple(zip(starts, (part.name for part in parts), strict=False))
    return Corpus(messages, b"", name, lines, (f"read from {len(parts):,} files", *notes), files)
