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
from wirelab.devices.blame import to_blame
from wirelab.devices.catalog import Device
from wirelab.devices.codecs import Codec, Sources
from wirelab.devices.elf import Image, Sizes
from wirelab.devices.libraries import HOW, Libraries
from wirelab.devices.result import Measured, PerMessage
from wirelab.devices.simulate import RUN_S, Ran, simulate
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.schema import Float, Schema
from wirelab.model.trial import VALID, State, Verdict

MESSAGES = 5
TEST_DATA = 4096
"""At most so many bytes of messages go into an image."""


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
    common = {
        "device": chip.name,
        "codec": codec.name,
        "version": version,
        "counts": chip.counts,
        "optimise": optimise,
    }
    if codec.library not in ("wirelab", *libraries):
        return Measured(**common, verdict=Verdict(State.SKIPPED, HOW[codec.library]))  # type: ignore[arg-type]
    where = cache or build.default_cache()
    where.mkdir(parents=True, exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=where, prefix=".work-") as folder:
            built = _build(chip, codec, schema, corpus, chosen, libraries, optimise, where, Path(folder))
            return _measured(chip, built, chosen, where, seconds, common)
    except _DoesNotFit as error:
        return Measured(**common, verdict=Verdict(State.FAILED, str(error)))  # type: ignore[arg-type]
    except BadInput as error:
        return Measured(**common, verdict=Verdict(State.SKIPPED, error.sentence))  # type: ignore[arg-type]
    except MeasurementFailed as error:
        return Measured(**common, verdict=Verdict(State.FAILED, error.sentence))  # type: ignore[arg-type]


class _DoesNotFit(Exception):
    """A codec that does not fit the device, in words."""


class _Built(Struct, frozen=True):
    sources: Sources
    baseline: Image
    image: Image
    arena: int


def _build(
    chip: Device,
    codec: Codec,
    schema: Schema,
    corpus: list[Any],
    chosen: list[int],
    libraries: Libraries,
    optimise: str,
    cache: Path,
    folder: Path,
) -> _Built:
    """Both images. A document's arena is the largest that fits. Raises _DoesNotFit."""
    device = build.device_objects(chip, optimise, cache)
    arenas = codecs.ARENAS if codec.library == "arduinojson" else (0,)
    for arena in arenas:
        sources = codecs.generate(codec, chip, schema, corpus, chosen, libraries, folder, arena)
        library = build.kept_part(chip, sources.library, optimise, cache) if sources.library.files else []
        parts = (sources.test, sources.stub, sources.generated)
        test, stub, generated = (build.compile_part(chip, part, optimise, folder) for part in parts)
        try:
            baseline = build.link(chip, [*device, *test, *stub], folder / "baseline.elf")
            image = build.link(chip, [*device, *test, *generated, *library], folder / "image.elf")
        except build.TooBig as error:
            if error.memory == "flash" or arena == arenas[-1]:
                blame = ", ".join(to_blame(sources.shape, sources.codec.named))
                raise _DoesNotFit(f"too big: {error}; most room goes to {blame}") from None
            continue
        return _Built(sources, baseline, image, arena)
    raise AssertionError


def _measured(
    chip: Device, built: _Built, chosen: list[int], cache: Path, seconds: float, common: dict[str, Any]
) -> Measured:
    ran = simulate(chip, built.image, len(chosen), cache, seconds)
    lines = _result_lines(chip, ran.output, len(chosen), built)
    model = cycles.model(chip, built.image) if chip.disassemble else None
    rows = tuple(
        _message(index, line, ran, at, model)
        for at, (index, line) in enumerate(zip(chosen, lines, strict=True))
    )
    own = built.image.sizes - built.baseline.sizes
    return Measured(
        **common,
        verdict=VALID,
        compiler=build.compiler_version(chip),
        messages=rows,
        sizes=Sizes(own.text, own.data, own.bss - built.arena),
        baseline=built.baseline.sizes,
        heap=max(line.heap for line in lines),
        notes=tuple(_notes(built.sources, chip, lines)),
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


def _line(found: tuple[str, ...]) -> _Line:
    length, decoded, same, floats, put, get, heap = map(int, found[:-1])
    return _Line(length, decoded, same, floats, put, get, heap, found[-1])


def _result_lines(chip: Device, output: str, count: int, built: _Built) -> list[_Line]:
    """What the harness printed. Raises MeasurementFailed for a fault, an overrun, or values that came back wrong."""
    sources = built.sources
    where = f"{sources.codec.name} on {chip.name}"
    if "!F" in output:
        raise MeasurementFailed(where, "the firmware faulted")
    if "!O" in output:
        blame = ", ".join(to_blame(sources.shape, sources.codec.named))
        raise MeasurementFailed(
            where, f"too big: its stack ran into its data in {chip.ram} B of RAM; most room goes to {blame}"
        )
    lines = [_line(found) for found in _LINE.findall(output)]
    if len(lines) != count or "!E" not in output:
        raise MeasurementFailed(where, "the firmware ended before its result: a fault or a stray jump")
    for at, line in enumerate(lines, start=1):
        what = f"message {at} of {count}"
        if not line.length:
            raise MeasurementFailed(where, f"serializing {what} failed on the chip{_hint(built)}")
        if not line.decoded:
            raise MeasurementFailed(where, f"deserializing {what} failed on the chip{_hint(built)}")
        if not line.same or not (line.same_floats or sources.codec.texts):
            raise MeasurementFailed(where, f"{what} came back with other values")
    return lines


def _hint(built: _Built) -> str:
    """Why it may have failed."""
    return (
        f": too big: its document does not fit the {built.arena} B of RAM left for it" if built.arena else ""
    )


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
