"""The messages of a large JSON Lines file: parsed when they are asked for, so that memory holds the
text alone.
"""

from __future__ import annotations

import random
import re
from array import array
from collections.abc import Iterator, Sequence
from typing import Any, overload

import msgspec

from wirelab.schema import json_reader
from wirelab.schema.json_reader import MAX_DEPTH

SAMPLE, SAMPLE_BYTES = 20_000, 32 * 2**20
_decode = msgspec.json.Decoder().decode
BATCH, BATCH_BYTES = 1000, 4 * 2**20
"""A batch ends with that many messages, or with a message that begins behind so many bytes."""
_OBJECT = ord("{")
_MINUS_ZERO = re.compile(rb"-0(?![0-9.eE])")
_NOT_EXACT = (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError)


class LineMessages(Sequence[Any]):
    """Messages by the places of their lines in the text.

    msgspec reads them, several times as fast as the strict reader. `_strict` are the lines on which
    the two could differ: see `is_exact`.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._begins, self._ends = array("Q"), array("Q")
        self._strict: set[int] = set()

    def add(self, begin: int, end: int) -> None:
        """Add the message between two bytes of the text."""
        self._begins.append(begin)
        self._ends.append(end)

    def check(self, first: int) -> None:
        """Find the lines from number `first` on that need the strict reader. Raises Suspect."""
        lines = [self.line(index) for index in range(first, len(self))]
        if is_exact(lines):
            return
        for index, line in enumerate(lines, start=first):
            if not is_exact([line]):
                json_reader.whole(line.decode())
                self._strict.add(index)

    def batches(self) -> Iterator[list[Any]]:
        """The messages in parts that memory holds."""
        first = 0
        for last in range(1, len(self) + 1):
            if last == len(self) or self.is_batch(first, last):
                yield self[first:last]
                first = last

    def is_batch(self, first: int, last: int) -> bool:
        """Whether the messages from `first` to before `last` fill a batch."""
        return last - first >= BATCH or self._begins[last - 1] - self._begins[first] >= BATCH_BYTES

    def are_objects(self) -> bool:
        """Whether every message is an object, by the first signs of the lines."""
        return all(self._data[begin] == _OBJECT for begin in self._begins)

    def sample(self) -> list[Any]:
        """SAMPLE messages in order, or fewer that have SAMPLE_BYTES, at places without a period."""
        mean = max(1, len(self._data) // max(1, len(self)))
        count = min(len(self), SAMPLE, max(2, SAMPLE_BYTES // mean))
        return [self[index] for index in sorted(random.Random(1).sample(range(len(self)), count))]

    def line(self, index: int) -> bytes:
        """The text of a message."""
        return self._data[self._begins[index] : self._ends[index]]

    def __len__(self) -> int:
        return len(self._begins)

    def __iter__(self) -> Iterator[Any]:
        return map(self._at, range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        whole = range(len(self))[index]
        return list(map(self._at, whole)) if isinstance(whole, range) else self._at(whole)

    def _at(self, index: int) -> Any:
        line = self._data[self._begins[index] : self._ends[index]]
        return json_reader.whole(line.decode()) if index in self._strict else _decode(line)


def is_exact(lines: Sequence[bytes]) -> bool:
    """Whether msgspec certainly reads the lines as the strict reader does.

    msgspec refuses what the strict reader does but equal keys and deep nesting, and makes -0 an
    integer. Keys are counted in the text, where each is followed by a colon or a blank, and in the
    values.
    """
    try:
        level = list(map(_decode, lines))
    except _NOT_EXACT:
        return False
    keys = 0
    for _ in range(MAX_DEPTH + 1):
        objects = [value for value in level if type(value) is dict]
        lists = [value for value in level if type(value) is list]
        if not objects and not lists:
            text = b"\n".join(lines)
            return keys == _most_keys(text) and not _MINUS_ZERO.search(text)
        keys += sum(map(len, objects))
        level = [item for value in objects for item in value.values()]
        level += [item for value in lists for item in value]
    return False


def _most_keys(text: bytes) -> int:
    """The number of keys in JSON, or more. A key ends with a quote before a colon or a blank.

    An escaped quote ends none, if the backslash before it is not itself escaped.
    """
    found = 0
    for sign in (b":", b" ", b"\t", b"\r", b"\n"):
        found += text.count(b'"' + sign) - text.count(b'\\"' + sign) + text.count(b'\\\\"' + sign)
    return found


def types_of(messages: Sequence[Any]) -> set[type]:
    """The types of messages, without parsing where all are objects."""
    if isinstance(messages, LineMessages) and messages.are_objects():
        return {dict}
    return set(map(type, messages))
