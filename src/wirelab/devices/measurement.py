"""Measure one codec on one device: generate, build, run, check.

Sizes are relative to a baseline image.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from wirelab.devices import build, codecs, cycles, output_parser
from wirelab.devices.catalog import Device
from wirelab.devices.codecs import Codec, Sources
from wirelab.devices.elf import Image, Sizes
from wirelab.devices.libraries import HOW, Libraries
from wirelab.devices.result import Measured, PerMessage
from wirelab.devices.simulation import RUN_S, Ran, simulate
from wirelab.devices.size_hints import to_blame
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.reason import Reason
from wirelab.model.schema import Schema
from wirelab.model.trial import VALID, State, Verdict

MESSAGES = 5
STALE_S = 3600.0


def choose_messages(corpus: list[Any], limit: int = MESSAGES) -> list[int]:
    """Up to `limit` messages, evenly spread over the order of size, smallest and largest included."""
    order = sorted(range(len(corpus)), key=lambda i: (len(json.dumps(corpus[i], separators=(",", ":"))), i))
    if len(order) <= limit:
        return sorted(order)
    return [order[round(i * (len(order) - 1) / (limit - 1))] for i in range(limit)]


class Job(Struct, frozen=True):
    """A measurement: a codec on a device for a corpus (typed by the schema), of which `chosen` are
    run.
    """

    chip: Device
    codec: Codec
    schema: Schema
    corpus: list[Any]
    chosen: list[int]
    libraries: Libraries
    optimise: str = "Os"
    seconds: float = RUN_S

    def fails(self, verdict: Verdict) -> Measured:
        """The row of a job without figures."""
        return Measured(
            self.chip.name,
            self.codec.name,
            self.version,
            self.chip.counts,
            verdict,
            optimise=self.optimise,
        )

    @property
    def version(self) -> str:
        """The version of the library; for our own codecs the name of the standard."""
        library = self.libraries.get(self.codec.library)
        return library.version if library else "RFC 4506" if self.codec.library == "wirelab" else ""


def measure(job: Job, cache: Path | None = None) -> Measured:
    """Measure a codec on a device. A failure is a verdict with its reason, never an exception.

    An image that does not fit with all messages is built with the largest one only.
    """
    if job.codec.library not in ("wirelab", *job.libraries):
        return job.fails(Verdict(State.SKIPPED, Reason.message(HOW[job.codec.library])))
    where = cache or build.default_cache()
    where.mkdir(parents=True, exist_ok=True)
    _sweep(where)
    try:
        try:
            return _first_that_fits(job, where)
        except _DoesNotFit:
            if len(job.chosen) == 1:
                raise
            return _first_that_fits(replace(job, chosen=job.chosen[-1:]), where)
    except BadInput as error:
        return job.fails(Verdict(State.SKIPPED, Reason.of(error)))
    except MeasurementFailed as error:
        return job.fails(Verdict(State.FAILED, Reason.of(error)))


def _sweep(cache: Path) -> None:
    """Remove the files of builds that were killed."""
    for folder in cache.glob(".work-*"):
        try:
            if time.time() - folder.stat().st_mtime > STALE_S:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue


class _DoesNotFit(MeasurementFailed):
    """A codec that does not fit the device."""


def _first_that_fits(job: Job, cache: Path) -> Measured:
    """The image with the largest arena that fits. Raises _DoesNotFit."""
    arenas = [0]
    if job.codec.library == "arduinojson":
        arenas = [size for size in codecs.ARENAS if size <= job.chip.ram // 2]
    for arena in arenas:
        try:
            with tempfile.TemporaryDirectory(dir=cache, prefix=".work-") as folder:
                return _measured(job, _build(job, arena, cache, Path(folder)), cache)
        except _DoesNotFit:
            if arena == arenas[-1]:
                raise
    raise AssertionError


class _Built(Struct, frozen=True):
    sources: Sources
    baseline: Image
    image: Image
    arena: int


def _build(job: Job, arena: int, cache: Path, folder: Path) -> _Built:
    """Both images. Raises _DoesNotFit."""
    chip, optimise = job.chip, job.optimise
    sources = codecs.generate(
        job.codec, chip, job.schema, job.corpus, job.chosen, job.libraries, folder, arena
    )
    device = build.device_objects(chip, optimise, cache)
    library = build.kept_part(chip, sources.library, optimise, cache) if sources.library.files else []
    parts = (sources.test, sources.stub, sources.generated)
    try:
        test, stub, generated = (build.compile_part(chip, part, optimise, folder) for part in parts)
        baseline = build.link(chip, [*device, *test, *stub], folder / "baseline.elf")
        image = build.link(chip, [*device, *test, *generated, *library], folder / "image.elf")
    except build.TooBig as error:
        raise _does_not_fit(str(error), sources) from None
    return _Built(sources, baseline, image, arena)


def _does_not_fit(why: str, sources: Sources) -> _DoesNotFit:
    blame = ", ".join(to_blame(sources.shape, sources.codec.named))
    return _DoesNotFit(f"too big: {why}; largest part: {blame}")


def _measured(job: Job, built: _Built, cache: Path) -> Measured:
    chip, chosen = job.chip, job.chosen
    ran = simulate(chip, built.image, len(chosen), cache, job.seconds)
    lines = output_parser.read(chip, ran.output, len(chosen), built.sources, built.image.sizes, built.arena)
    model = cycles.model(chip, built.image) if chip.disassemble else None
    rows = tuple(
        _message(index, line, ran, at, model)
        for at, (index, line) in enumerate(zip(chosen, lines, strict=True))
    )
    own = built.image.sizes - built.baseline.sizes
    return replace(
        job.fails(VALID),
        compiler=build.compiler_version(chip),
        messages=rows,
        sizes=Sizes(own.text, own.data, own.bss - built.arena),
        baseline=built.baseline.sizes,
        heap=max(line.heap for line in lines),
        notes=tuple(output_parser.notes(chip, [job.corpus[index] for index in chosen], built.sources, lines)),
    )


def _message(
    index: int, line: output_parser.Line, ran: Ran, at: int, model: cycles.Model | None
) -> PerMessage:
    """Marks come in pairs: an empty pair, then serialize and deserialize of each message."""
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
