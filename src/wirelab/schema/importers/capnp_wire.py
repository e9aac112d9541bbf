"""A reader of Cap'n Proto messages by offsets, for the request that the compiler writes.

Pointers are those of "Encoding Spec" on capnproto.org: structs, lists, far pointers, segments.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

_STRUCT, _LIST, _FAR = 0, 1, 2
_COMPOSITE = 7
MAX_STRUCTS = 2_000_000
"""Structs read of one message: more are a loop."""


class BadMessage(ValueError):
    """Bytes that are not the message expected."""


class Message:
    """The segments of one message (stream framing)."""

    def __init__(self, data: bytes) -> None:
        count = int.from_bytes(data[:4], "little") + 1
        start = (4 + 4 * count + 7) // 8 * 8
        if not data or start > len(data):
            raise BadMessage("no segment table")
        self.segments: list[bytes] = []
        self.left = MAX_STRUCTS
        for index in range(count):
            size = 8 * int.from_bytes(data[4 + 4 * index : 8 + 4 * index], "little")
            self.segments.append(data[start : start + size])
            start += size

    def root(self) -> View:
        found = self.struct(0, 0)
        if found is None:
            raise BadMessage("no root")
        return found

    def word(self, segment: int, at: int) -> int:
        if not 0 <= segment < len(self.segments) or not 0 <= 8 * at <= len(self.segments[segment]) - 8:
            raise BadMessage("a pointer leads out of the message")
        return int.from_bytes(self.segments[segment][8 * at : 8 * at + 8], "little")

    def followed(self, segment: int, at: int) -> tuple[int, int, int]:
        """A pointer without far pointers: its word, and the segment and word that it leads to."""
        pointer = self.word(segment, at)
        if pointer & 3 == _FAR:
            landing, segment = pointer >> 3 & 0x1FFFFFFF, pointer >> 32
            if pointer & 4:
                target = self.word(segment, landing)
                return self.word(segment, landing + 1), target >> 32, target >> 3 & 0x1FFFFFFF
            pointer, at = self.word(segment, landing), landing
        return pointer, segment, at + 1 + _signed(pointer >> 2 & 0x3FFFFFFF)

    def struct(self, segment: int, at: int) -> View | None:
        pointer, segment, start = self.followed(segment, at)
        if not pointer:
            return None
        if pointer & 3 != _STRUCT:
            raise BadMessage("not a struct")
        return self.view(segment, start, pointer >> 32 & 0xFFFF, pointer >> 48)

    def view(self, segment: int, start: int, data: int, pointers: int) -> View:
        self.left -= 1
        if self.left < 0:
            raise BadMessage("it contains itself")
        return View(self, segment, start, data, pointers)


class View(Struct, frozen=True):
    """A struct: its words of data, then its pointers."""

    message: Message
    segment: int
    start: int
    words: int
    pointers: int

    def bits(self, at: int, size: int) -> int:
        """The unsigned integer at a bit of the data; 0 beyond them."""
        if at + size > 64 * self.words:
            return 0
        return self.message.word(self.segment, self.start + at // 64) >> at % 64 & ((1 << size) - 1)

    def struct(self, index: int) -> View | None:
        """The struct that a pointer leads to."""
        return (
            self.message.struct(self.segment, self.start + self.words + index)
            if index < self.pointers
            else None
        )

    def text(self, index: int) -> str:
        """The text that a pointer leads to."""
        if index >= self.pointers:
            return ""
        pointer, segment, start = self.message.followed(self.segment, self.start + self.words + index)
        size = pointer >> 35
        data = self.message.segments[segment][8 * start : 8 * start + size] if pointer else b""
        return data.rstrip(b"\0").decode("utf-8", "replace")

    def structs(self, index: int) -> Iterator[View]:
        """The structs of the list that a pointer leads to."""
        if index >= self.pointers:
            return
        pointer, segment, start = self.message.followed(self.segment, self.start + self.words + index)
        if not pointer:
            return
        if pointer & 3 != _LIST or pointer >> 32 & 7 != _COMPOSITE:
            raise BadMessage("not a list of structs")
        tag = self.message.word(segment, start)
        words, pointers = tag >> 32 & 0xFFFF, tag >> 48
        for item in range(tag >> 2 & 0x3FFFFFFF):
            yield self.message.view(segment, start + 1 + item * (words + pointers), words, pointers)


def _signed(value: int) -> int:
    return value - (1 << 30) if value >> 29 else value
