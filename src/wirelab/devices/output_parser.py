"""Parse the output of the harness on a chip: errors, checks and lost digits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from wirelab.devices.catalog import Device
from wirelab.devices.codecs import Sources
from wirelab.devices.elf import Sizes
from wirelab.devices.size_hints import to_blame
from wirelab.model.errors import MeasurementFailed
from wirelab.model.schema import Float


class Line(Struct, frozen=True):
    """The output of the harness for one message."""

    length: int
    decoded: int
    same: int
    same_floats: int
    serialize_stack: int
    deserialize_stack: int
    heap: int
    bytes: str


_LINE = re.compile(r"M (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) ([0-9a-f]*)\r?\n")


def _line(found: tuple[str, ...]) -> Line:
    length, decoded, same, floats, put, get, heap = map(int, found[:-1])
    return Line(length, decoded, same, floats, put, get, heap, found[-1])


def read(chip: Device, output: str, count: int, sources: Sources, sizes: Sizes, arena: int) -> list[Line]:
    """The lines of `count` messages that an image of these sizes printed.

    Raises MeasurementFailed for a fault, an overrun, or wrong values.
    """
    where = f"{sources.codec.name} on {chip.name}"
    if "!F" in output:
        raise MeasurementFailed(where, "the firmware faulted")
    if "!O" in output:
        blame = ", ".join(to_blame(sources.shape, sources.codec.named))
        left = chip.ram - sizes.data - sizes.bss
        raise MeasurementFailed(
            where,
            f"too big: its stack needs more than the {left} B that its data leaves of {chip.ram} B of RAM; largest part: {blame}",
        )
    if "!P" in output:
        raise MeasurementFailed(where, "it uses more than 8192 B of stack, the most that is measured")
    lines = [_line(found) for found in _LINE.findall(output)]
    if len(lines) != count or "!E" not in output:
        raise MeasurementFailed(
            where, "the firmware ended before its result: a fault, a wild jump or a stack overflow"
        )
    for at, line in enumerate(lines, start=1):
        what = f"message {at} of {count}"
        if not line.length:
            raise MeasurementFailed(where, f"serializing {what} failed on the chip{_hint(arena)}")
        if not line.decoded:
            raise MeasurementFailed(where, f"deserializing {what} failed on the chip{_hint(arena)}")
        if not line.same or not (line.same_floats or sources.codec.texts):
            raise MeasurementFailed(where, f"{what} decoded to other values")
    return lines


def _hint(arena: int) -> str:
    """A possible reason for the failure."""
    return f": too big: its document does not fit the {arena} B of RAM left for it" if arena else ""


def notes(chip: Device, messages: list[Any], sources: Sources, lines: list[Line]) -> Iterator[str]:
    """The digits of numbers that are lost. `messages` are those of the lines."""
    if not all(line.same_floats for line in lines):
        worst = max(
            _largest_change(message, json.loads(bytes.fromhex(line.bytes)))
            for message, line in zip(messages, lines, strict=True)
        )
        how = (
            f"written numbers differ by up to {worst:.0e} of their value"
            if worst
            else "only the last ones, when it decodes"
        )
        yield f"float digits are lost: {how}"
    kinds = [m.kind for table in sources.shape.tables.values() for m in table.members]
    if chip.double_bits == 32 and any(isinstance(kind, Float) and kind.bits == 64 for kind in kinds):
        yield "float digits beyond 32 bits are lost: double has 32 bits on this chip"


def _largest_change(before: Any, after: Any) -> float:
    """The largest relative difference of a number in two JSON values of one structure."""
    if isinstance(before, dict):
        return max((_largest_change(value, after[key]) for key, value in before.items()), default=0.0)
    if isinstance(before, list):
        return max((_largest_change(a, b) for a, b in zip(before, after, strict=True)), default=0.0)
    is_number = isinstance(before, float) and before
    return abs(after - before) / abs(before) if is_number else 0.0
