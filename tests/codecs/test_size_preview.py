"""The preview's encoders write as many bytes as the codecs of a compiled pack."""

from __future__ import annotations

import math
import random
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library
from tests.schema.schema_strategies import schemas, values
from wirelab.codecs.build import build_pack
from wirelab.codecs.formats import formats
from wirelab.codecs.pack import Pack
from wirelab.codecs.preview import MAX_MESSAGES, preview_sizes
from wirelab.model.schema import Float, Map, Schema, String
from wirelab.schema.check import typed_messages
from wirelab.schema.inference import infer
from wirelab.schema.lowering import free_type, mixed_type
from wirelab.schema.payload import read

# The codec whose bytes a preview counts. prost leaves out default keys and values of maps.
CODECS = {
    "json": "json/serde_json",
    "cbor": "cbor/ciborium",
    "msgpack": "msgpack/rmp-serde",
    "protobuf": "protobuf/protobuf-upb",
    "avro": "avro/serde_avro_fast",
}
EXAMPLES = ("sensor.jsonl", "small.jsonl", "vehicle-status.jsonl")


def compiled_sizes(pack: Pack, messages: list[Any], codec: str) -> tuple[int, ...]:
    session = Library(pack.path, messages).session(codec)
    return tuple(len(session.encode(index)) for index in range(len(messages)))


def previews(messages: list[Any], schema: Schema) -> dict[str, tuple[int, ...]]:
    return {one.format: one.per_message for one in preview_sizes(messages, schema)}


def test_every_format_with_an_encoder_is_compared_here() -> None:
    assert CODECS.keys() == {name for name, one in formats().items() if one.encoder}


@pytest.mark.parametrize("name", CODECS)
def test_the_preview_of_the_ugly_messages_is_exact(ugly_pack: Pack, name: str) -> None:
    messages = [pack_schemas.FULL, pack_schemas.BARE]
    found = previews(messages, pack_schemas.UGLY)
    assert found[name] == compiled_sizes(ugly_pack, messages, CODECS[name])


@pytest.mark.matrix
@pytest.mark.parametrize("example", EXAMPLES)
def test_the_preview_of_an_example_is_exact(root: Path, pack_cache: Path, example: str) -> None:
    corpus = read(root / "examples" / example)
    schema = infer(corpus)
    messages = list(typed_messages(corpus, schema))[:MAX_MESSAGES]
    pack = build_pack(schema, pack_cache, asked=(*CODECS.values(), "protobuf/prost"))
    found = previews(messages, schema)
    for name, codec in CODECS.items():
        assert found[name] == compiled_sizes(pack, messages, codec), name
    assert found["protobuf"] == compiled_sizes(pack, messages, "protobuf/prost")


def test_any_float_takes_the_bytes_that_the_compiled_codecs_give_it(golden_pack: Pack) -> None:
    draw = random.Random(3)
    drawn = [struct.unpack("<d", draw.randbytes(8))[0] for _ in range(500)]
    drawn += [draw.uniform(0, 10) * 10.0 ** draw.randint(-8, 20) for _ in range(500)]
    drawn += [0.0, -0.0, 1e15, 1e16, 1e-5, 1.5e-7, 5e-324, 65504.0, 2.0**-24]
    messages = [{"f": value} for value in drawn if math.isfinite(value)]
    for start in range(0, len(messages), MAX_MESSAGES):
        part = messages[start : start + MAX_MESSAGES]
        found = previews(part, pack_schemas.GOLDEN)
        for name, codec in CODECS.items():
            assert found[name] == compiled_sizes(golden_pack, part, codec), name


def test_an_integer_of_the_file_is_a_float_if_the_schema_has_one() -> None:
    found = previews([{"a": 5}], Schema(Map(values=Float())))
    assert found["json"] == (len('{"a":5.0}'),)
    assert found["msgpack"] == (1 + 2 + 9,)
    # Protobuf: an entry of key (1 + 1 + 1) and value (1 + 8). Avro: count, key, value, end.
    assert found["protobuf"] == (2 + 3 + 9,)
    assert found["avro"] == (1 + 2 + 8 + 1,)


def test_a_32_bit_float_is_written_in_its_own_width() -> None:
    found = previews([{"a": 0.1}, {"a": 1}], Schema(Map(values=Float(bits=32))))
    assert found["json"] == (len('{"a":0.1}'), len('{"a":1.0}'))
    # 0.1 has no shorter form than 32 bits in CBOR, 1.0 has one of 16.
    assert found["cbor"] == (1 + 2 + 5, 1 + 2 + 3)
    assert found["msgpack"] == (1 + 2 + 5, 1 + 2 + 5)


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_messages_of_any_schema_without_unions_have_a_size(data: st.DataObject) -> None:
    schema = data.draw(schemas())
    message = data.draw(values(schema.root, schema))
    for name, sizes in previews([message], schema).items():
        assert name == "flatbuffers" or len(sizes) == (0 if mixed_type(schema) or free_type(schema) else 1)


def test_only_selected_formats_are_encoded() -> None:
    found = preview_sizes([{}], pack_schemas.GOLDEN, ["smile", "cbor/ciborium"])
    assert [(preview.format, preview.pending) for preview in found] == [("smile", True), ("cbor", False)]


def test_flatbuffers_waits_for_the_compiled_pack() -> None:
    found = {preview.format: preview for preview in preview_sizes([{}], pack_schemas.GOLDEN)}
    assert found["flatbuffers"].pending
    assert not found["json"].pending


def test_a_large_corpus_is_sampled_evenly() -> None:
    messages = ["x" * (index % 7) for index in range(10 * MAX_MESSAGES)]
    found = preview_sizes(messages, Schema(String()))
    assert {len(preview.per_message) for preview in found if not preview.pending} == {MAX_MESSAGES}
    assert next(one for one in found if one.format == "raw").mean == pytest.approx(3, abs=0.1)
