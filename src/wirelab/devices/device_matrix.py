"""Measure a payload on all requested devices with all requested codecs."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from msgspec import Struct

from wirelab.codecs.formats import formats
from wirelab.devices import catalog, codecs, energy
from wirelab.devices.catalog import Device
from wirelab.devices.libraries import Libraries
from wirelab.devices.measurement import Job, choose_messages, measure
from wirelab.devices.result import Measured
from wirelab.model.device import Flip, Radio, SizeOnly, battery_days
from wirelab.model.errors import BadInput
from wirelab.model.origin import Origin
from wirelab.model.reason import Reason
from wirelab.model.schema import Schema
from wirelab.model.trial import State, Verdict
from wirelab.schema.lowering import free_type, mixed_type

AT_ONCE = 2
"""Concurrent processes. More do not help on two cores, and no figure depends on time."""
Progress = Callable[[int, int], None]


class Cost(Struct, frozen=True):
    """Energy of one message with one radio, in nJ, and battery life in days if a rate is given."""

    radio: str
    nj: float
    nj_low: float
    nj_high: float
    battery_days: float | None = None


class DeviceMatrix(Struct, frozen=True):
    """The result. `rows` by device, then codec; `costs` parallel to them; `flips` by device."""

    payload: str
    messages: tuple[int, ...]
    devices: tuple[Device, ...]
    rows: tuple[Measured, ...]
    costs: tuple[tuple[Cost, ...], ...]
    radios: tuple[Radio, ...]
    flips: dict[str, tuple[Flip, ...]]
    sizes_only: tuple[SizeOnly, ...]
    overhead: float = 0.0
    origin: Origin | None = None


class MatrixRequest(Struct, frozen=True):
    """The request of a user.

    Empty tuples mean all. `per_second` and `battery_mwh` need each other.
    """

    devices: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    radios: tuple[Radio, ...] = ()
    optimise: str = "Os"
    overhead: float = 0.0
    per_second: float | None = None
    battery_mwh: float | None = None


def measure_matrix(
    name: str,
    schema: Schema,
    corpus: list[Any],
    libraries: Libraries,
    wish: MatrixRequest,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> DeviceMatrix:
    """Measure a payload (messages typed by the schema). Raises BadInput for unknown names."""
    chips = [catalog.device(d) for d in wish.devices] if wish.devices else list(catalog.devices().values())
    chosen_codecs = codecs.choose(wish.formats)
    if not corpus:
        raise BadInput(name, "no messages", "give a payload with at least one message")
    chosen = choose_messages(corpus)
    jobs = [
        Job(chip, codec, schema, corpus, chosen, libraries, wish.optimise)
        for chip in chips
        for codec in chosen_codecs
    ]
    done = 0

    def one(job: Job) -> Measured:
        nonlocal done
        row = checked(job, cache)
        done += 1
        if progress is not None:
            progress(done, len(jobs))
        return row

    with ThreadPoolExecutor(AT_ONCE) as pool:
        rows = list(pool.map(one, jobs))
    by_name = {chip.name: chip for chip in chips}
    return DeviceMatrix(
        name,
        tuple(chosen),
        tuple(chips),
        tuple(rows),
        tuple(
            tuple(_cost(row, by_name[row.device], link, wish) for link in wish.radios if row.messages)
            for row in rows
        ),
        wish.radios,
        {
            chip.name: tuple(energy.flips([row for row in rows if row.device == chip.name], chip))
            for chip in chips
        },
        tuple(
            _size_only(name, schema, corpus, chosen)
            for name in codecs.SIZE_ONLY
            if not wish.formats or name in wish.formats
        ),
        wish.overhead,
    )


def checked(job: Job, cache: Path | None) -> Measured:
    """`measure`, or a skipped row that names the missing tool."""
    lacking = catalog.missing_tools(job.chip)
    return job.fails(Verdict(State.SKIPPED, Reason.of(lacking))) if lacking else measure(job, cache)


def _cost(row: Measured, chip: Device, link: Radio, wish: MatrixRequest) -> Cost:
    compute, size = energy.compute_nj(row, chip), row.mean("size") + wish.overhead
    nj = energy.message_nj(row, chip, link, wish.overhead)
    days = None
    if wish.per_second and wish.battery_mwh:
        days = battery_days(nj, wish.per_second, wish.battery_mwh)
    return Cost(link.name, nj, compute + size * link.low, compute + size * link.high, days)


def _size_only(name: str, schema: Schema, corpus: list[Any], chosen: list[int]) -> SizeOnly:
    encoder, reason = formats()[name].encoder, codecs.SIZE_ONLY[name]
    if encoder is None or mixed_type(schema) or free_type(schema):
        return SizeOnly(name, None, reason)
    encode = encoder(schema)
    return SizeOnly(name, sum(len(encode(corpus[index])) for index in chosen) / len(chosen), reason)
