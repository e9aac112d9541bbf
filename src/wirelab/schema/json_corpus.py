"""The corpus of a JSON text: one message, JSON Lines, a JSON text sequence, or concatenated
messages.

A byte order mark and NUL bytes after messages are left out, with a note.
"""

from __future__ import annotations

import codecs
from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Protocol

from wirelab.model.errors import BadInput
from wirelab.schema import json_reader
from wirelab.schema.corpus import MAX_CONTAINERS, MAX_MESSAGES, Corpus
from wirelab.schema.json_diagnostics import find_problem
from wirelab.schema.json_reader import MAX_DEPTH, Suspect
from wirelab.schema.json_stream import RECORD_SEPARATOR, BadStream, concatenated, sequence
from wirelab.schema.lenient_json import LenientReader
from wirelab.schema.line_messages import LineMessages

LARGE = 8 * 2**20
"""Bytes above which messages are parsed when they are asked for."""
_LINE_SUFFIXES = (".jsonl", ".ndjson")
_BLANK = " \t\r\n"
_NUL_OR_BLANK = "\0" + _BLANK
_BOM_NOTE = "a byte order mark before the first message is left out"
_NUL_NOTE = "a NUL byte after a message is left out"
_SEQUENCE_NOTE = "read as a JSON text sequence (RFC 7464)"
_CONCATENATED_NOTE = "read as messages one after another, without a line for each"

_LIST_NOTE = ("read as one message, a list of", "objects; `jq -c '.[]' FILE` makes each a message")


class Reader(Protocol):
    """Reads one JSON value. Both functions raise Suspect."""

    def whole(self, text: str) -> Any:
        """The value that a text is."""

    def part(self, text: str, at: int) -> tuple[Any, int]:
        """The value that starts at a position, and where it ends."""

    def notes(self) -> tuple[str, ...]:
        """What was read that is not JSON."""


class StrictReader:
    """Reads JSON as RFC 8259 says, without duplicate keys."""

    def whole(self, text: str) -> Any:
        """The value that a text is."""
        return json_reader.whole(text)

    def part(self, text: str, at: int) -> tuple[Any, int]:
        """The value that starts at a position, and where it ends."""
        return json_reader.part(text, at, MAX_DEPTH)

    def notes(self) -> tuple[str, ...]:
        """None."""
        return ()


def parse(data: bytes, name: str, form: str = "", lenient: bool = False) -> Corpus:
    """The corpus in the bytes of a JSON file called `name`.

    `form` is `json`, `jsonl`, `json-seq`, or empty: known by name and content. Raises BadInput.
    """
    return _Parser(data, name, LenientReader() if lenient else StrictReader()).corpus(form)


class _Parser:
    def __init__(self, data: bytes, name: str, reader: Reader) -> None:
        self.data, self.name, self.reader = data, name, reader
        self.notes: list[str] = [_BOM_NOTE] if data.startswith(codecs.BOM_UTF8) else []

    @cached_property
    def text(self) -> str:
        """The decoded file."""
        data = self.data
        if data.count(b"[") + data.count(b"{") > MAX_CONTAINERS:
            many = f"more than {MAX_CONTAINERS:,} lists and objects"
            raise BadInput(self.name, many, "take a smaller sample")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            if isinstance(self.reader, LenientReader):
                self.notes.append("not UTF-8: decoded as Windows-1252 (--lenient)")
                return data.decode("cp1252", errors="replace")
            line = data.count(b"\n", 0, error.start) + 1
            why = f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8"
            step = "convert the file to UTF-8, name its format with --input-format, or give --lenient"
            raise BadInput(f"{self.name}, line {line}", why, step) from None

    def corpus(self, form: str) -> Corpus:
        by_lines = form == "jsonl" or (not form and self.name.endswith(_LINE_SUFFIXES))
        if by_lines and len(self.data) > LARGE and RECORD_SEPARATOR.encode() not in self.data:
            return self.large()
        text = self.text
        if not text.strip(_NUL_OR_BLANK + RECORD_SEPARATOR):
            raise BadInput(self.name, "the file is empty", "give a file with at least one message")
        # JSON itself allows the separator nowhere: RFC 8259, section 7
        if form == "json-seq" or (not form and RECORD_SEPARATOR in text):
            return self.stream(sequence(text, self.reader.whole), _SEQUENCE_NOTE)
        if by_lines:
            return self.lines()
        bare = text.rstrip(_NUL_OR_BLANK)
        has_nul = "\0" in text[len(bare) :]
        try:
            messages: tuple[Any, ...] = (self.one(bare),)
        except Suspect:
            if form == "json":
                raise self.explain(bare, 1) from None
            if self.is_lines():
                return self.large() if len(self.data) > LARGE else self.lines()
            self.notes += [_NUL_NOTE] if "\0" in text else []
            self.text = bare
            return self.stream(concatenated(bare, self.reader.part), _CONCATENATED_NOTE)
        self.notes += [_NUL_NOTE] if has_nul else []
        items = messages[0]
        if isinstance(items, list) and len(items) > 1 and all(isinstance(item, dict) for item in items):
            self.notes.append(f"{_LIST_NOTE[0]} {len(items):,} {_LIST_NOTE[1]}")
        return self.found(messages, ())

    def one(self, bare: str) -> Any:
        """The one message of the file. Lines of bare words are not one. Raises Suspect."""
        if bare.lstrip(_BLANK)[:1] not in ("{", "[", '"') and "\n" in bare.strip(_BLANK):
            return StrictReader().whole(bare)
        return self.reader.whole(bare)

    def is_lines(self) -> bool:
        lines = [line for line in self.text.split("\n") if line.strip(_NUL_OR_BLANK)]
        if len(lines) < 2:
            return False
        try:
            type(self.reader)().whole(lines[0].rstrip(_NUL_OR_BLANK))
        except Suspect:
            return False
        return True

    def found(self, messages: tuple[Any, ...], lines: tuple[int, ...]) -> Corpus:
        return Corpus(messages, self.data, self.name, lines, (*self.notes, *self.reader.notes()))

    def stream(self, found: Iterator[tuple[int, Any]], note: str) -> Corpus:
        text = self.text
        messages: list[Any] = []
        numbers: list[int] = []
        line = 1
        counted = 0
        try:
            for start, value in found:
                self.check_count(messages)
                line += text.count("\n", counted, start)
                counted = start
                messages.append(value)
                numbers.append(line)
        except BadStream as error:
            first = text.count("\n", 0, error.start) + 1
            raise self.explain(text[error.start :].split(RECORD_SEPARATOR, maxsplit=1)[0], first) from None
        self.notes.append(note)
        return self.found(tuple(messages), tuple(numbers))

    def lines(self) -> Corpus:
        messages: list[Any] = []
        numbers: list[int] = []
        has_nul = False
        for number, ended in enumerate(self.text.split("\n"), start=1):
            line = ended.rstrip(_NUL_OR_BLANK)
            has_nul = has_nul or "\0" in ended[len(line) :]
            if not line.strip(_BLANK):
                continue
            self.check_count(messages)
            try:
                messages.append(self.reader.whole(line))
            except Suspect:
                spread = None if messages else self.spread()
                if spread is not None:
                    return spread
                raise self.explain(line, number) from None
            numbers.append(number)
        self.notes += [_NUL_NOTE] if has_nul else []
        return self.found(tuple(messages), tuple(numbers))

    def spread(self) -> Corpus | None:
        """The corpus of a file whose messages take several lines each; None where it is none."""
        try:
            found = list(concatenated(self.text.rstrip(_NUL_OR_BLANK), self.reader.part))
        except BadStream:
            return None
        return self.stream(iter(found), _CONCATENATED_NOTE)

    def large(self) -> Corpus:
        """The corpus of a large file of lines, whose messages are parsed when they are asked for.

        A file that is not plain JSON Lines is read as a small one.
        """
        data, messages, numbers = self.data, LineMessages(self.data), array("Q")
        begin = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
        number = checked = 0
        nuls = False
        while begin < len(data):
            number += 1
            end = data.find(b"\n", begin)
            end = len(data) if end < 0 else end
            ended = data[begin:end]
            line = ended.rstrip(b"\0 \t\r")
            nuls = nuls or b"\0" in ended[len(line) :]
            if line.strip():
                self.check_count(messages)
                messages.add(begin, begin + len(line))
                numbers.append(number)
            begin = end + 1
            try:
                if begin >= len(data) or (
                    len(messages) > checked and messages.is_batch(checked, len(messages))
                ):
                    messages.check(checked)
                    checked = len(messages)
            except (Suspect, UnicodeDecodeError):
                return self.lines()
        self.__dict__.pop("text", None)
        if not messages:
            raise BadInput(self.name, "the file is empty", "give a file with at least one message")
        self.notes += [_NUL_NOTE] if nuls else []
        return Corpus(messages, data, self.name, numbers, (*self.notes, *self.reader.notes()))

    def check_count(self, messages: Sequence[Any]) -> None:
        if len(messages) == MAX_MESSAGES:
            raise BadInput(
                self.name, f"more than {MAX_MESSAGES:,} messages", "take a sample of some thousand"
            )

    def explain(self, text: str, first_line: int) -> BadInput:
        problem = find_problem(text, lenient=isinstance(self.reader, LenientReader))
        if problem is None:
            return BadInput(f"{self.name}, line {first_line}", "not JSON", "correct the JSON")
        line = first_line + problem.line - 1
        return BadInput(f"{self.name}, line {line}, at {problem.path}", problem.why, problem.next_step)
