"""The instrument of friesel2021: the objects on the paper's four devices and RISC-V."""

from __future__ import annotations

import json
import statistics
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from wirelab.devices import catalog, codecs, device_matrix, energy
from wirelab.devices.libraries import Libraries
from wirelab.devices.measurement import Job
from wirelab.devices.result import Measured
from wirelab.model.schema import AnyType, Field, Float, List, Map, Record, Schema
from wirelab.schema import payload
from wirelab.schema.check import typed_messages
from wirelab.schema.inference import infer
from wirelab.studies import claims
from wirelab.studies.published_tables import InstrumentResult
from wirelab.studies.study_file import texts
from wirelab.studies.toml_reader import read_table
from wirelab_reproductions.friesel2021 import sizes as object_sizes
from wirelab_reproductions.friesel2021.sizes import Object
from wirelab_reproductions.friesel2021.tables import tables

OBJECTS = Path(__file__).resolve().with_name("objects")


class Cell(Struct, frozen=True):
    """Medians over the objects for one codec on one device; `of` objects of `out_of` were measured.

    For stm32f4, `serialize` and `deserialize` are the middle of the modelled band of cycles.
    `bytes` is the mean of an object.
    """

    device: str
    codec: str
    counted: str
    of: int
    out_of: int
    serialize: float | None = None
    deserialize: float | None = None
    text: float | None = None
    ram: float | None = None
    bytes: float | None = None
    why: str = ""


def objects(folder: Path = OBJECTS) -> list[Object]:
    """The objects, in the order of their names, floats of 32 bits. Raises BadInput."""
    found = []
    for file in sorted(folder.glob("*.json")):
        corpus = payload.read(file)
        schema = _narrowed(infer(corpus))
        found.append(Object(file.stem, schema, next(typed_messages(corpus, schema))))
    return found


def _narrowed(schema: Schema) -> Schema:
    records = tuple(Record(r.name, tuple(_narrow_field(f) for f in r.fields)) for r in schema.records)
    return Schema(_narrow(schema.root), records)


def _narrow_field(field: Field) -> Field:
    return replace(field, type=_narrow(field.type))


def _narrow(kind: AnyType) -> AnyType:
    if isinstance(kind, Float):
        return replace(kind, bits=32)
    if isinstance(kind, List):
        return replace(kind, items=_narrow(kind.items))
    return replace(kind, values=_narrow(kind.values)) if isinstance(kind, Map) else kind


def reproduce(study: Path, out: Path, libraries: Libraries, cache: Path | None = None) -> InstrumentResult:
    """Measure the objects, write `friesel2021.json` to `out`, and check the claims.

    Raises BadInput.
    """
    table = read_table(study)
    found = objects(study.parent / table["objects"])
    cells = measure_all(found, libraries, cache)
    sizes = {**object_sizes.mean_sizes(found), **xdr_size(cells)}
    checked = claims.check(texts(study).claims, claims.exact(figures(cells, sizes)))
    out.mkdir(parents=True, exist_ok=True)
    report = {"cells": cells, "mean_bytes": sizes, "claims": checked}
    (out / "friesel2021.json").write_text(json.dumps(msgspec.to_builtins(report), indent=1) + "\n")
    lacking: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        lacking.setdefault((cell.codec, cell.why), []).append(cell.device)
    notes = [f"{codec} on {', '.join(on)}: {why}" for (codec, why), on in lacking.items() if why]
    return InstrumentResult(checked, tables(cells, sizes, table["published"]), notes)


def measure_all(found: list[Object], libraries: Libraries, cache: Path | None = None) -> list[Cell]:
    """Every device and codec over all objects."""
    chips = list(catalog.devices().values())
    every = list(codecs.CODECS.values())
    jobs = [
        Job(chip, codec, thing.schema, [thing.message], [0], libraries)
        for chip in chips
        for codec in every
        for thing in found
    ]
    with ThreadPoolExecutor(device_matrix.AT_ONCE) as pool:
        rows = list(pool.map(lambda job: device_matrix.checked(job, cache), jobs))
    return [
        _cell(chip, codec, [row for row in rows if (row.device, row.codec) == (chip.name, codec.name)])
        for chip in chips
        for codec in every
    ]


def _cell(chip: catalog.Device, codec: codecs.Codec, rows: list[Measured]) -> Cell:
    done = [row for row in rows if row.messages]
    counted = "modelled cycles" if chip.disassemble else chip.counts
    why = next((str(row.verdict) for row in rows if not row.messages), "")
    if not done:
        return Cell(chip.name, codec.name, counted, 0, len(rows), why=why)
    return Cell(
        chip.name,
        codec.name,
        counted,
        len(done),
        len(rows),
        statistics.median(energy.cycles(row, chip) for row in done),
        statistics.median(energy.cycles(row, chip, "deserialize") for row in done),
        statistics.median(row.sizes.text for row in done),
        statistics.median(row.ram for row in done),
        statistics.mean(row.mean("size") for row in done),
        why,
    )


def xdr_size(cells: list[Cell]) -> dict[str, float]:
    """Mean bytes of an object in XDR, which is the same on every device; empty where none ran all
    objects.
    """
    for cell in cells:
        if cell.codec == "xdr/wirelab" and cell.of == cell.out_of and cell.bytes is not None:
            return {"xdr": cell.bytes}
    return {}


def figures(cells: list[Cell], sizes: dict[str, float]) -> dict[str, float]:
    """All figures by name, for the claims: `stm32f4.xdr.serialize`, `bytes.avro` ..."""
    named = {f"bytes.{name}": size for name, size in sizes.items()}
    for cell in cells:
        if cell.of < cell.out_of:
            continue
        for what in ("serialize", "deserialize", "text", "ram"):
            value = getattr(cell, what)
            named[f"{cell.device}.{cell.codec.split('/')[0]}.{what}"] = value
    for device, chip in catalog.devices().items():
        for name, radio in energy.RADIOS.items():
            for codec in ("xdr", "protobuf", "msgpack", "cbor", "json"):
                compute = named.get(f"{device}.{codec}.serialize")
                if compute is not None:
                    cost = compute * chip.energy.nj_per_cycle + named[f"bytes.{codec}"] * radio.nj_per_byte
                    named[f"{device}.{codec}.energy.{name}"] = cost
        named[f"{device}.ram_size"] = chip.ram
        named[f"{device}.nj_per_cycle"] = chip.energy.nj_per_cycle
    named |= {f"{name}.nj_per_byte": radio.low for name, radio in energy.RADIOS.items()}
    return named
