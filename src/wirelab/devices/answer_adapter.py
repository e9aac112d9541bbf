"""Device measurements as values for answers and reports, which do not depend on this package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wirelab.devices import codecs, energy, libraries
from wirelab.devices.catalog import Device
from wirelab.devices.device_matrix import DeviceMatrix, MatrixRequest, measure_matrix
from wirelab.devices.elf import Sizes
from wirelab.devices.result import Measured
from wirelab.model.device import DeviceRun, OnDevice, Radio
from wirelab.model.schema import Schema


def runs(found: DeviceMatrix, wish: MatrixRequest) -> tuple[DeviceRun, ...]:
    """The results of a matrix, one per device."""
    return tuple(_run(found, wish, chip) for chip in found.devices)


def one_device(
    name: str,
    schema: Schema,
    corpus: list[Any],
    device: str,
    link: Radio,
    battery_mwh: float | None,
    directories: Mapping[str, Path],
    cache: Path | None = None,
) -> DeviceRun:
    """Every codec on one device, for an answer that also ranks by other metrics.

    Raises BadInput.
    """
    wish = MatrixRequest(devices=(device,), radios=(link,), battery_mwh=battery_mwh)
    found = libraries.find(directories, cache)
    (run,) = runs(measure_matrix(name, schema, corpus, found, wish, cache), wish)
    return run


def _run(found: DeviceMatrix, wish: MatrixRequest, chip: Device) -> DeviceRun:
    own = [row for row in found.rows if row.device == chip.name]
    first = next((row for row in own if row.messages), None)
    sizes = first.baseline if first else Sizes(0, 0, 0)
    return DeviceRun(
        chip.name,
        chip.title,
        chip.counts,
        chip.stack,
        chip.energy.nj_per_cycle,
        chip.energy.source,
        tuple(_row(row, chip) for row in own),
        found.radios,
        found.flips[chip.name],
        found.sizes_only,
        len(found.messages),
        first.compiler if first else "",
        wish.optimise,
        (sizes.text, sizes.data, sizes.bss),
        chip.note,
        wish.overhead,
        wish.per_second,
        wish.battery_mwh,
    )


def _row(row: Measured, chip: Device) -> OnDevice:
    codec = codecs.CODECS[row.codec]
    if not row.messages:
        return OnDevice(codec.format, row.codec, row.version, row.verdict)
    return OnDevice(
        codec.format,
        row.codec,
        row.version,
        row.verdict,
        row.mean("serialize"),
        row.mean("deserialize"),
        row.band("serialize"),
        row.band("deserialize"),
        row.mean("size"),
        row.sizes.text,
        row.sizes.data,
        row.sizes.bss + row.heap,
        row.stack,
        row.ram,
        energy.cycles(row, chip),
        energy.compute_nj(row, chip),
        row.notes,
    )
