"""Messages from the pack of one version to the pack of another, one codec in a process."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import msgspec
from msgspec import Struct

from wirelab.codecs.language_runner import run_program
from wirelab.codecs.pack import CodecInfo, Pack
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.schema.numerals import Numeral
from wirelab.system import binaries

LONGEST_S = 60
MOST_CHARACTERS = 200
"""Of an error's text. Some libraries print whole schemas in it."""


class Reading(Struct, frozen=True):
    """A message's bytes, and its JSON value as the reader got it, or why it failed."""

    data: bytes
    value: Any = None
    failed: str = ""

    @staticmethod
    def failure(data: bytes, why: str) -> Reading:
        """A message that was refused, with the beginning of the library's own text on one line."""
        text = " ".join(why.split()) or "no reason given"
        return Reading(data, None, text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}...")


class _Line(Struct, frozen=True):
    """A line of `wirelab-codec exchange`."""

    data: str
    read: msgspec.Raw = msgspec.Raw(b"null")
    failed: str | None = None


def exchange(writer: Pack, reader: Pack, corpus: str, codec: CodecInfo) -> list[Reading] | str:
    """What the reader's pack makes of the messages of a corpus; a reason if its process died."""
    head = [binaries.find("wirelab-codec"), "exchange", reader.path, writer.path, corpus]
    try:
        lines = run_program(head, [codec], (), longest_s=LONGEST_S)
    except (MeasurementFailed, BadInput) as error:
        return error.why
    except subprocess.TimeoutExpired:
        return f"it did not end within {LONGEST_S} s"
    found = [msgspec.json.decode(line, type=_Line) for line in lines]
    return [_reading(bytes.fromhex(line.data), line) for line in found]


def _reading(data: bytes, line: _Line) -> Reading:
    if line.failed is not None:
        return Reading.failure(data, line.failed)
    return Reading(data, json.loads(bytes(line.read), parse_float=Numeral))
