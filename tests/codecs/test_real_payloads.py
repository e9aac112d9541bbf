"""Real payloads: packs, round trips through every codec, and published sizes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.codecs.pack_ffi import Library
from tests.codecs.test_round_trip import ALL as EVERY
from wirelab.codecs.build import build_pack
from wirelab.codecs.preview import preview_sizes
from wirelab.codecs.registry import select
from wirelab.model.schema import Field, Float, Record, Schema
from wirelab.model.study import FORMATS
from wirelab.schema import payload
from wirelab.schema.inference import infer

pytestmark = pytest.mark.matrix

DEFAULTS = select(FORMATS, EVERY)
"""The default codecs, built for each payload; the others are built once for all."""
PAYLOADS = (
    "bmw-state-g26.json",
    "fms-vehicle-status.jsonl",
    "gtfs-vehiclepositions.json",
    "j2735-spat.json",
    "openweathermap.json",
    "openweatherroadrisk.json",
    "openxc-trace.jsonl",
    "ttn-uplink.json",
)

SMALL = ("fms-vehicle-status.jsonl", "openweathermap.json", "openxc-trace.jsonl", "ttn-uplink.json")
"""Those whose schema compiles in every format in reasonable time."""


def load(path: Path) -> tuple[Schema, list[Any]]:
    corpus = payload.read(path)
    schema = infer(corpus)
    return schema, [json.loads(line) for line in payload.normalised(corpus, schema).splitlines()]


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_real_payload_comes_back_from_every_codec_and_was_previewed_to_the_byte(
    shared_data: Path, pack_cache: Path, name: str
) -> None:
    schema, messages = load(shared_data / "payloads" / name)
    library = Library(build_pack(schema, pack_cache).path, messages)
    expected = {preview.format: preview.per_message for preview in preview_sizes(messages, schema)}
    checksums = []
    for codec in DEFAULTS:
        session = library.session(codec)
        encoded = [session.encode(index) for index in range(len(messages))]
        assert [session.message(data) for data in encoded] == messages
        checksums.append([session.decode(data) for data in encoded])
        sizes = tuple(map(len, encoded))
        assert expected[codec.split("/")[0]] in (sizes, ())
    assert all(checksum == checksums[0] for checksum in checksums)


def test_real_payloads_come_back_from_every_codec(
    shared_data: Path, pack_cache: Path, tmp_path: Path
) -> None:
    """One schema whose messages are those of several payloads, each under its own key: compiling
    takes its time.
    """
    merged = [
        {name.partition(".")[0]: message}
        for name in SMALL
        for message in load(shared_data / "payloads" / name)[1][:50]
    ]
    (tmp_path / "all.jsonl").write_text("\n".join(map(json.dumps, merged)), encoding="utf-8")
    schema, messages = load(tmp_path / "all.jsonl")
    pack = build_pack(schema, pack_cache, asked=["all"])
    library = Library(pack.path, messages)
    checksums = set()
    for info in pack.codecs:
        session = library.session(info.name)
        encoded = [session.encode(index) for index in range(len(messages))]
        assert [session.message(data) for data in encoded] == messages, info.name
        checksums.add(tuple(session.decode(data) for data in encoded))
    assert len(checksums) == 1


def published(shared_data: Path, document: str) -> dict[str, int]:
    with (shared_data / "reference" / "jviotti_sizes.csv").open() as file:
        return {row["format"]: int(row["raw"]) for row in csv.DictReader(file) if row["document"] == document}


def measured(schema: Schema, messages: list[Any], cache: Path) -> dict[str, int]:
    library = Library(build_pack(schema, cache).path, messages)
    return {codec.split("/")[0]: len(library.session(codec).encode(0)) for codec in DEFAULTS}


def test_openweatherroadrisk_has_the_published_sizes(shared_data: Path, pack_cache: Path) -> None:
    reference = published(shared_data, "openweatherroadrisk")
    sizes = measured(*load(shared_data / "payloads" / "openweatherroadrisk.json"), pack_cache)
    assert sizes["json"] == reference["JSON"] - 1  # the published one ends in a newline
    assert sizes["cbor"] == reference["CBOR"]
    assert sizes["msgpack"] == reference["MessagePack"]
    assert sizes["protobuf"] == reference["Protocol Buffers (Binary Wire Format)"]
    assert sizes["flatbuffers"] == reference["FlatBuffers"]
    assert sizes["avro"] == reference["Apache Avro (unframed)"]


def with_float32(schema: Schema, record_name: str, key: str) -> Schema:
    def narrowed(field: Field) -> Field:
        return Field(field.key, field.name, Float(bits=32)) if field.key == key else field

    records = (
        Record(record.name, tuple(map(narrowed, record.fields))) if record.name == record_name else record
        for record in schema.records
    )
    return Schema(schema.root, tuple(records))


def test_openweathermap_has_the_published_sizes(shared_data: Path, pack_cache: Path) -> None:
    reference = published(shared_data, "openweathermap")
    schema, messages = load(shared_data / "payloads" / "openweathermap.json")
    sizes = measured(schema, messages, pack_cache)
    assert sizes["json"] == reference["JSON"] - 1  # the published one ends in a newline
    assert sizes["msgpack"] == reference["MessagePack"]
    assert sizes["protobuf"] == reference["Protocol Buffers (Binary Wire Format)"]
    # One number, the wind's speed of 1.5, fits 16 bits: ciborium writes it so, the published
    # encoder in 64.
    assert sizes["cbor"] == reference["CBOR"] - 6
    # The published Avro schema has that one number as a float of 32 bits.
    as_float32 = measured(with_float32(schema, "Wind", "speed"), messages, pack_cache)
    assert as_float32["avro"] == reference["Apache Avro (unframed)"]
    assert sizes["avro"] == reference["Apache Avro (unframed)"] + 4
