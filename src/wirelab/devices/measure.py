"""One codec on one device: generated, built, run, checked; sizes against a baseline image."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from wirelab.devices import build, codecs, cycles
from wirelab.devices.catalog import Device
from wirelab.devices.codecs import Codec, Sources
from wirelab.devices.elf import Sizes
from wirelab.devices.libraries import HOW, Libraries
from wirelab.devices.shape import Member, Shape, whole
from wirelab.devices.simulate import RUN_S, Ran, simulate
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.schema import Base64, Float, Int, Ref, Schema, String, Timestamp
from wirelab.model.trial import VALID, State, Verdict

MESSAGES = 5
TEST_DATA = 4096
"""At most so many bytes of messages go into an image."""


class PerMessage(Struct, frozen=True):
    """One message on one device. Counts are in what the device counts; `*_cycles` are modelled bands (low, high)."""

    index: int
    bytes: str
    serialize: int
    deserialize: int
    serialize_stack: int
    deserialize_stack: int
    serialize_cycles: tuple[int, int] | None = None
    deserialize_cycles: tuple[int, int] | None = None

    @property
    def size(self) -> int:
        """Bytes of the serialized message."""
        return len(self.bytes) // 2


class Measured(Struct, frozen=True):
    """A codec on a device. `sizes` are attributable to the codec: the baseline image is subtracted.

    bss holds the message object and its buffer (`object_bytes`, `buffer_bytes`); `heap` is what its arena had in use at most.
    """

    device: str
    codec: str
    version: str
    counts: str
    verdict: Verdict
    compiler: str = ""
    optimise: str = "Os"
    messages: tuple[PerMessage, ...] = ()
    sizes: Sizes = Sizes(0, 0, 0)
    baseline: Sizes = Sizes(0, 0, 0)
    heap: int = 0
    notes: tuple[str, ...] = ()

    @property
    def stack(self) -> int:
        """The deepest stack of both directions and all messages, in bytes."""
        return max((max(m.serialize_stack, m.deserialize_stack) for m in self.messages), default=0)

    @property
    def ram(self) -> int:
        """data + bss + arena in use + stack."""
        return self.sizes.data + self.sizes.bss + self.heap + self.stack

    def mean(self, what: str) -> float:
        """The mean of `serialize`, `deserialize` or `size` over the messages."""
        return sum(getattr(m, what) for m in self.messages) / len(self.messages)


def choose_messages(corpus: list[Any], limit: int = MESSAGES) -> list[int]:
    """Up to `limit` messages by size: the smallest, the largest and those evenly between them."""
    order = sorted(range(len(corpus)), key=lambda i: (len(json.dumps(corpus[i], separators=(",", ":"))), i))
    if len(order) <= limit:
        return sorted(order)
    return [order[round(i * (len(order) - 1) / (limit - 1))] for i in range(limit)]


def measure(
    chip: Device,
    codec: Codec,
    schema: Schema,
    corpus: list[Any],
    chosen: list[int],
    libraries: Libraries,
    optimise: str = "Os",
    cache: Path | None = None,
    seconds: float = RUN_S,
) -> Measured:
    """Everything about a codec on a device. What cannot be measured is a verdict with its reason, never an exception."""
    version = libraries[codec.library].version if codec.library in libraries else "RFC 4506"
    common = {"device": chip.name, "codec": codec.name, "version": version, "counts": chip.counts, "optimise": optimise}
    if codec.library not in ("wirelab", *libraries):
        return Measured(**common, verdict=Verdict(State.SKIPPED, HOW[codec.library]))  # type: ignore[arg-type]
    where = cache or build.default_cache()
    where.mkdir(parents=True, exist_ok=True)
    try:
        import shutil; folder=tempfile.mkdtemp(dir="/tmp/dbg"); 
        if True:
            sources = codecs.generate(codec, chip, schema, corpus, chosen, libraries, Path(folder))
            return _measured(chip, sources, chosen, optimise, where, seconds, common)
    except BadInput as error:
        return Measured(**common, verdict=Verdict(State.SKIPPED, error.sentence))  # type: ignore[arg-type]
    except MeasurementFailed as error:
        return Measured(**common, verdict=Verdict(State.FAILED, error.sentence))  # type: ignore[arg-type]


def _measured(
    chip: Device, sources: Sources, chosen: list[int], optimise: str, cache: Path, seconds: float, common: dict[str, Any]
) -> Measured:
    folder = sources.folder
    device = build.device_objects(chip, optimise, cache)
    library = build.kept_part(chip, sources.library, optimise, cache) if sources.library.files else []
    test = build.compile_part(chip, sources.test, optimise, folder)
    stub = build.compile_part(chip, sources.stub, optimise, folder)
    generated = build.compile_part(chip, sources.generated, optimise, folder)
    try:
        baseline = build.link(chip, [*device, *test, *stub], folder / "baseline.elf")
        image = build.link(chip, [*device, *test, *generated, *library], folder / "image.elf")
    except build.TooBig as error:
        blame = ", ".join(to_blame(sources.shape))
        reason = f"too big: {error.memory} exceeded by {error.excess} B; most room goes to {blame}"
        return Measured(**common, verdict=Verdict(State.FAILED, reason))
    ran = simulate(chip, image, len(chosen), cache, seconds)
    lines = _result_lines(chip, ran.output, len(chosen), sources)
    model = cycles.model(chip, image) if chip.disassemble else None
    rows = tuple(_message(index, line, ran, at, model) for at, (index, line) in enumerate(zip(chosen, lines, strict=True)))
    heap = max(line.heap for line in lines)
    sizes = image.sizes - baseline.sizes
    if heap:
        sizes = Sizes(sizes.text, sizes.data, sizes.bss - codecs.arena(chip))
    return Measured(
        **common,
        verdict=VALID,
        compiler=build.compiler_version(chip),
        messages=rows,
        sizes=sizes,
        baseline=baseline.sizes,
        heap=heap,
        notes=tuple(_notes(sources, chip, lines)),
    )



class _Line(Struct, frozen=True):
    """What the harness prints for one message."""

    length: int
    decoded: int
    same: int
    same_floats: int
    serialize_stack: int
    deserialize_stack: int
    heap: int
    bytes: str


_LINE = re.compile(r"M (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) (\d+) ([0-9a-f]*)\r?\n")


def _result_lines(chip: Device, output: str, count: int, sources: Sources) -> list[_Line]:
    """What the harness printed. Raises MeasurementFailed for a fault, an overrun, or values that came back wrong."""
    where = f"{sources.codec.name} on {chip.name}"
    if "!F" in output:
        raise MeasurementFailed(where, "the firmware faulted")
    if "!O" in output:
        raise MeasurementFailed(where, f"the stack ran into the data: {chip.ram} B of RAM are not enough")
    lines = [_Line(*map(int, found[:-1]), found[-1]) for found in _LINE.findall(output)]
    if len(lines) != count or "!E" not in output:
        raise MeasurementFailed(where, "the firmware ended before its result: a fault or a stray jump")
    for at, line in enumerate(lines, start=1):
        what = f"message {at} of {count}"
        if not line.length:
            raise MeasurementFailed(where, f"serializing {what} failed on the chip{_hint(sources)}")
        if not line.decoded:
            raise MeasurementFailed(where, f"deserializing {what} failed on the chip{_hint(sources)}")
        if not line.same or not (line.same_floats or sources.codec.texts):
            raise MeasurementFailed(where, f"{what} came back with other values")
    return lines


def _hint(sources: Sources) -> str:
    return ": its document does not fit the arena" if sources.codec.library == "arduinojson" else ""


def _message(index: int, line: _Line, ran: Ran, at: int, model: cycles.Model | None) -> PerMessage:
    """Marks come in pairs: an empty one, then serialize and deserialize of each message."""
    empty, put, get = ran.spans[0], ran.spans[1 + 2 * at], ran.spans[2 + 2 * at]
    return PerMessage(
        index,
        line.bytes,
        put.count - empty.count,
        get.count - empty.count,
        put.stack or line.serialize_stack,
        get.stack or line.deserialize_stack,
        model.band(put.trace, empty.trace) if model else None,
        model.band(get.trace, empty.trace) if model else None,
    )


def _notes(sources: Sources, chip: Device, lines: list[_Line]) -> Iterator[str]:
    if not all(line.same_floats for line in lines):
        yield "float digits are lost: the library writes and reads fewer than it was given"
    kinds = [m.kind for table in sources.shape.tables.values() for m in table.members]
    if chip.double_bits == 32 and any(isinstance(kind, Float) and kind.bits == 64 for kind in kinds):
        yield "float digits beyond 32 bits are lost: double has 32 bits on this chip"


def to_blame(shape: Shape, most: int = 3) -> list[str]:
    """The fields that take most room in the message object, with their bytes."""
    sizes: dict[str, int] = {}
    fields: dict[str, list[tuple[int, str]]] = {}
    for table in shape.tables.values():
        own = []
        for member in table.members:
            inner = fields.get(member.kind.name, []) if isinstance(member.kind, Ref) else []
            one = sizes[member.kind.name] if isinstance(member.kind, Ref) else _room(member)
            many = max(member.count, 1) if member.is_list else 1
            own.append((one * many, _described(member)))
            own += [(size * many, f"{member.key}.{text}") for size, text in inner]
        sizes[table.name] = sum(size for size, text in own if "." not in text.split(" (")[0]) or 1
        fields[table.name] = own
    ranked = sorted(fields[shape.root], reverse=True)[:most]
    return [f"{text}: {size} B" for size, text in ranked]


def _room(member: Member) -> int:
    kind = member.kind
    if isinstance(kind, String | Base64):
        return member.size + 2
    if isinstance(kind, Float):
        return kind.bits // 8
    if isinstance(kind, Int | Timestamp):
        return 8 if whole(kind) in ("u64", "i64") else 4
    return 1


def _described(member: Member) -> str:
    parts = [f"up to {member.count} items"] if member.is_list else []
    if isinstance(member.kind, String | Base64):
        parts.append(f"text of up to {member.size} B")
    return f"{member.key} ({', '.join(parts)})" if parts else member.key
