"""The preview computes what the libraries write, to the byte, from schema and messages alone."""

from __future__ import annotations

import math
import random
import struct

import pytest

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library
from wirelab.codecs.pack import Pack
from wirelab.codecs.preview import MAX_MESSAGES, preview_sizes
from wirelab.codecs.sizes_named import json_float
from wirelab.model.schema import Schema, String


def test_the_preview_of_the_ugly_messages_is_exact(ugly_pack: Pack) -> None:
    messages = [pack_schemas.FULL, pack_schemas.BARE]
    library = Library(ugly_pack.path, messages)
    for preview in preview_sizes(messages, pack_schemas.UGLY):
        if preview.format == "thrift":
            continue  # held against the C++ library
        session = library.session(ugly_pack.codec(preview.format).name)
        sizes = tuple(len(session.encode(index)) for index in (0, 1))
        assert preview.per_message == (() if preview.format == "flatbuffers" else sizes), preview.format


def test_only_what_is_asked_for_is_computed() -> None:
    previews = preview_sizes([{}], pack_schemas.GOLDEN, ["smile", "cbor/ciborium"])
    assert [(preview.format, preview.pending) for preview in previews] == [("smile", True), ("cbor", False)]


def test_flatbuffers_waits_for_the_compiled_pack() -> None:
    previews = {preview.format: preview for preview in preview_sizes([{}], pack_schemas.GOLDEN)}
    assert previews["flatbuffers"].pending
    assert not previews["json"].pending


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (0.1, "0.1"),
        (1e15, "1000000000000000.0"),
        (1e16, "1e+16"),
        (1e-5, "0.00001"),
        (1.5e-7, "1.5e-7"),
    ],
)
def test_floats_are_spelled_as_serde_json_spells_them(value: float, text: str) -> None:
    assert json_float(value) == text


def test_any_float_is_spelled_as_serde_json_spells_it(golden_pack: Pack) -> None:
    draw = random.Random(3)
    values = [struct.unpack("<d", draw.randbytes(8))[0] for _ in range(500)]
    values += [draw.uniform(0, 10) * 10.0 ** draw.randint(-8, 20) for _ in range(500)]
    messages = [{"f": value} for value in values if math.isfinite(value)]
    session = Library(golden_pack.path, messages).session("json/serde_json")
    for index, message in enumerate(messages):
        assert session.encode(index).decode() == f'{{"f":{json_float(message["f"])}}}'


def test_a_large_corpus_is_sampled_evenly() -> None:
    messages = ["x" * (index % 7) for index in range(10 * MAX_MESSAGES)]
    previews = preview_sizes(messages, Schema(String()))
    assert {len(preview.per_message) for preview in previews if not preview.pending} == {MAX_MESSAGES}
