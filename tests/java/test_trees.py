"""Codecs for JSON trees write the same bytes as those for native objects, and read into a tree."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.codecs import pack_schemas
from tests.codecs.test_unions import MESSAGES
from tests.java.conftest import Verdicts, build, write_corpus
from wirelab.codecs.bench import measure_codecs
from wirelab.codecs.java.registry import JAVA
from wirelab.codecs.pack import Pack
from wirelab.model.schema import Int, List, Map, Schema, String
from wirelab.schema.text import load

pytestmark = pytest.mark.first_case

Encode = Callable[[Pack, list[Any], str], list[bytes]]
Verify = Callable[..., Verdicts]
NATIVE = {
    "json/jackson-dom": "json/jackson-databind",
    "protobuf/protobuf-java-dom": "protobuf/protobuf-java",
    "flatbuffers/flatbuffers-java-dom": "flatbuffers/flatbuffers-java",
}


@pytest.mark.parametrize("name", NATIVE)
def test_a_tree_is_encoded_like_native_objects(ugly_pack: Pack, encode: Encode, name: str) -> None:
    messages = [pack_schemas.FULL, pack_schemas.BARE]
    assert encode(ugly_pack, messages, name) == encode(ugly_pack, messages, NATIVE[name])


@pytest.mark.parametrize("name", NATIVE)
def test_trees_with_maps_nulls_in_lists_and_no_root_record_are_encoded_like_native_objects(
    root: Path, encode: Encode, name: str
) -> None:
    kind = Map(values=List(items=Int(low=0, high=2**64 - 1, nullable=True), nullable=True))
    messages = [{"b": [1, None, 2**64 - 1], "a": [], "c": None, "\U00010000": [0], "\uffff": [7]}, {}]
    pack = build(Schema(kind), root)
    assert encode(pack, messages, name) == encode(pack, messages, NATIVE[name])


def test_signed_integers_that_are_always_there_are_encoded_from_a_tree(root: Path, encode: Encode) -> None:
    pack = build(load('root = "Point"\n[record.Point]\nx = "int -9..9"\ny = "int 0..9"'), root)
    name = "flatbuffers/flatbuffers-java-dom"
    assert encode(pack, [{"x": -9, "y": 9}], name) == encode(pack, [{"x": -9, "y": 9}], NATIVE[name])


@pytest.mark.parametrize("name", NATIVE)
def test_a_tree_with_unions_and_tuples_is_encoded_like_native_objects(
    root: Path, encode: Encode, verify: Verify, name: str
) -> None:
    pack = build(pack_schemas.MIXED, root)
    assert encode(pack, MESSAGES, name) == encode(pack, MESSAGES, NATIVE[name])
    assert verify(pack, MESSAGES, name)[name]["equal"] == len(MESSAGES)


def test_a_union_of_a_tree_is_the_first_record_whose_types_fit(root: Path, verify: Verify) -> None:
    schema = load(
        'root = "list<A|B|map<Leaf|bool>>"\n[record.A]\nx = "int 0..9"\n'
        '[record.B]\nx = "list<float|null>"\ny = "timestamp?"\n[record.Leaf]\nnext = "Leaf|null"'
    )
    messages = [[{"x": 1}, {"x": [0.5, None]}, {"x": [], "y": "2024-01-01T00:00:00Z"}, {"x": {"next": None}}]]
    verdicts = verify(build(schema, root), messages, *NATIVE, *NATIVE.values())
    assert {name: verdict["equal"] for name, verdict in verdicts.items()} == dict.fromkeys(verdicts, 1)
    assert len({verdict["checksum"] for verdict in verdicts.values()}) == 1


def test_protobuf_from_a_tree_matches_the_example_of_the_specification(
    golden_pack: Pack, encode: Encode
) -> None:
    # Protocol Buffers, Encoding: a 64-bit integer 150 in field 1; "testing" in field 2.
    bytes_ = encode(golden_pack, [{"a": 150}, {"b": "testing"}], "protobuf/protobuf-java-dom")
    assert [one.hex() for one in bytes_] == ["089601", "120774657374696e67"]


@pytest.mark.parametrize(
    ("schema", "messages"),
    [
        (pack_schemas.GOLDEN, [{"a": 150, "b": "testing"}]),
        (pack_schemas.MIXED, MESSAGES),
        (pack_schemas.FREE, [{"extra": [None], "amount": 1.5}]),
    ],
    ids=["records", "unions", "free types"],
)
def test_every_phase_of_a_tree_codec_is_timed(
    root: Path, tmp_path: Path, schema: Schema, messages: list[Any]
) -> None:
    corpus = write_corpus(tmp_path, messages)
    cache = root / "target" / "test-packs"
    found = measure_codecs(
        corpus,
        schema,
        list(NATIVE),
        2,
        languages=("java",),
        seconds_per=0.01,
        cache=cache,
    )
    assert found.same_content
    timed = {codec.name: [timing.phase for timing in codec.timings] for codec in found.codecs}
    expected = {codec.name: list(codec.phases) for codec in JAVA if codec.name in NATIVE}
    assert {name: phases for name, phases in timed.items() if name in NATIVE} == expected
    assert {codec.options["source"] for codec in JAVA if codec.name in NATIVE} == {"Jackson tree"}


def test_a_tree_that_is_only_a_text_is_encoded(root: Path, encode: Encode) -> None:
    pack = build(Schema(String()), root)
    assert encode(pack, ["é"], "json/jackson-dom") == ['"é"'.encode()]
