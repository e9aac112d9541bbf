"""Payload files: JSON (one message; a list is one message that is a list) or JSON Lines (a corpus).

JSON text sequences, concatenated messages, a byte order mark, and NUL bytes after messages are read
with a note.

The files are not trusted: size, depth and counts are bounded, and every error names file, line
and path.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wirelab.model.errors import BadInput
from wirelab.model.schema import Schema
from wirelab.schema import json_reader
from wirelab.schema.corpus import Corpus
from wirelab.schema.json_diagnostics import find_problem
from wirelab.schema.json_reader import Suspect
from wirelab.schema.json_stream import RECORD_SEPARATOR, BadStream, concatenated, sequence

__all__ = ["Corpus", "normalised", "parse", "read"]

MAX_BYTES = 256 * 2**20
MAX_MESSAGES = 1_000_000
MAX_CONTAINERS = 10_000_000
_LINE_SUFFIXES = (".jsonl", ".ndjson")
_BLANK = " \t\r\n"
_NUL_OR_BLANK = "\0" + _BLANK
_BOM_NOTE = "a byte order mark before the first message is left out"
_NUL_NOTE = "a NUL byte after a message is left out"
_SEQUENCE_NOTE = "read as a JSON text sequence (RFC 7464)"
_CONCATENATED_NOTE = "read as messages one after another, without a line for each"


def read(path: str | Path) -> Corpus:
    """The corpus in a file. Raises BadInput."""
    return parse(data_of(Path(path)), str(path))


def data_of(path: Path) -> bytes:
    """The bytes of a payload file. Raises BadInput."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise _too_large(str(path))
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise BadInput(str(path), "no such file", "give the path of a JSON or JSON Lines file") from None
    except OSError as error:
        raise BadInput(str(path), f"cannot be read: {error.strerror}", "give a readable file") from None
    if len(data) > MAX_BYTES:
        raise _too_large(str(path))
    return data


def parse(data: bytes, name: str = "payload") -> Corpus:
    """The corpus in the bytes of a file called `name`. Raises BadInput."""
    text = _text(data, name)
    if not text.strip(_NUL_OR_BLANK + RECORD_SEPARATOR):
        raise BadInput(name, "the file is empty", "give a file with at least one JSON message")
    marks = (_BOM_NOTE,) if data.startswith(codecs.BOM_UTF8) else ()
    if RECORD_SEPARATOR in text:  # JSON itself allows this character nowhere: RFC 8259, section 7
        return _stream(sequence(text), text, data, name, (*marks, _SEQUENCE_NOTE))
    if name.endswith(_LINE_SUFFIXES):
        return _lines(text, data, name, marks)
    bare = text.rstrip(_NUL_OR_BLANK)
    notes = (*marks, _NUL_NOTE) if "\0" in text[len(bare) :] else marks
    try:
        return Corpus((json_reader.whole(bare),), data, name, notes=notes)
    except Suspect:
        if _is_json_lines(text):
            return _lines(text, data, name, marks)
    return _stream(concatenated(bare), bare, data, name, (*notes, _CONCATENATED_NOTE))


def normalised(corpus: Corpus, schema: Schema) -> bytes:
    """The corpus as a codec pack loads it: JSON Lines, compact, in the schema's types and order of
    fields.

    An integer in a float field gets its `.0`. A 32-bit float has its shortest digits. Timestamps
    and base64 stay strings, and keys do not change. Raises BadInput if a message contradicts the
    schema.
    """
    from wirelab.schema.check import typed_messages  # noqa: PLC0415  (check needs Corpus)

    dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
    return b"".join(dump(message).encode() + b"\n" for message in typed_messages(corpus, schema))


def _too_large(name: str) -> BadInput:
    return BadInput(
        name,
        f"larger than {MAX_BYTES // 2**20} MiB",
        "take a sample of some thousand messages, for instance with `head -n 2000`",
    )


def _text(data: bytes, name: str) -> str:
    if len(data) > MAX_BYTES:
        raise _too_large(name)
    if data.count(b"[") + data.count(b"{") > MAX_CONTAINERS:
        raise BadInput(name, f"more than {MAX_CONTAINERS:,} lists and objects", "take a smaller sample")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        why = f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8"
        raise BadInput(f"{name}, line {line}", why, "convert the file to UTF-8") from None


def _is_json_lines(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip(_NUL_OR_BLANK)]
    if len(lines) < 2:
        return False
    try:
        json_reader.whole(lines[0].rstrip(_NUL_OR_BLANK))
    except Suspect:
        return False
    return True


def _stream(
    found: Iterator[tuple[int, Any]], text: str, data: bytes, name: str, notes: tuple[str, ...]
) -> Corpus:
    messages: list[Any] = []
    numbers: list[int] = []
    line = 1
    counted = 0
    try:
        for start, value in found:
            if len(messages) == MAX_MESSAGES:
                raise _too_many(name)
            line += text.count("\n", counted, start)
            counted = start
            messages.append(value)
            numbers.append(line)
    except BadStream as error:
        first = text.count("\n", 0, error.start) + 1
        raise _explain(text[error.start :].split(RECORD_SEPARATOR, maxsplit=1)[0], name, first) from None
    return Corpus(tuple(messages), data, name, tuple(numbers), notes)


def _lines(text: str, data: bytes, name: str, notes: tuple[str, ...]) -> Corpus:
    messages: list[Any] = []
    numbers: list[int] = []
    has_nul = False
    for number, ended in enumerate(text.split("\n"), start=1):
        line = ended.rstrip(_NUL_OR_BLANK)
        if not line.strip(_BLANK):
            continue
        has_nul = has_nul or "\0" in ended[len(line) :]
        if len(messages) == MAX_MESSAGES:
            raise _too_many(name)
        try:
            messages.append(json_reader.whole(line))
        except Suspect:
            raise _explain(line, name, first_line=number) from None
        numbers.append(number)
    notes += (_NUL_NOTE,) if has_nul else ()
    return Corpus(tuple(messages), data, name, tuple(numbers), notes)


def _too_many(name: str) -> BadInput:
    return BadInput(name, f"more than {MAX_MESSAGES:,} messages", "take a sample of some thousand")


def _explain(text: str, name: str, first_line: int) -> BadInput:
    problem = find_problem(text)
    if problem is None:
        return BadInput(f"{name}, line {first_line}", "not JSON", "correct the JSON")
    line = first_line + problem.line - 1
    return BadInput(f"{name}, line {line}, at {problem.path}", problem.why, problem.next_step)
