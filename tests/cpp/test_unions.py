"""Unions and tuples in the C++ codecs that support them: they come back, as the Rust codec writes
them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.codecs.pack_ffi import Library, Refused
from tests.codecs.test_unions import GOLDEN_BYTES, MESSAGES, MIXED, returned_by, without_unmarked_null
from tests.schema.schema_strategies import values
from wirelab.codecs.build import build_pack
from wirelab.codecs.cpp.build import build_cpp_pack
from wirelab.codecs.cpp.registry import CPP, cpp_codecs
from wirelab.codecs.pack import Pack
from wirelab.schema.text import load

PAIRS = {
    "json/rapidjson": "json/serde_json",
    "json/jsoncpp": "json/serde_json",
    "bson/libbson": "bson/bson",
    "protobuf/protobuf-cpp": "protobuf/prost",
    "protobuf/protobuf-cpp-size": "protobuf/prost",
    "protobuf/protobuf-cpp-dom": "protobuf/prost",
    "protobuf/protobuf-cpp-dom-size": "protobuf/prost",
    "flatbuffers/flatbuffers-cpp": "flatbuffers/flatbuffers",
    "flatbuffers/flatbuffers-cpp-dom": "flatbuffers/flatbuffers",
    "thrift/thrift-cpp-compact": "thrift/thrift-compact",
    "thrift/thrift-cpp-binary": "thrift/thrift-binary",
    "capnp/capnp-cpp": "capnp/capnp",
    "capnp/capnp-cpp-packed": "capnp/capnp-packed",
    "msgpack/msgpack-cxx": "msgpack/rmp-serde",
    "xdr/generated-cpp": "xdr/rfc4506",
}

OTHER_BYTES = {
    "json/jsoncpp": "keys are sorted",
    "msgpack/msgpack-cxx": "whole floats are packed as integers",
    "flatbuffers": "the order in which tables are built is free",
    "protobuf": "the entries of a map have no order",
}


@pytest.fixture(scope="module")
def pack(root: Path) -> Pack:
    fit, _ = cpp_codecs(MIXED)
    return build_cpp_pack(MIXED, fit, root / "target" / "test-packs")


@pytest.fixture(scope="module")
def cpp(pack: Pack) -> Library:
    return Library(pack.path, MESSAGES)


@pytest.fixture(scope="module")
def rust(root: Path) -> Library:
    return Library(build_pack(MIXED, root / "target" / "test-packs", None, ("all",)).path, MESSAGES)


@pytest.mark.parametrize("name", PAIRS)
def test_each_alternative_comes_back_as_what_it_was(cpp: Library, name: str) -> None:
    session = cpp.session(name)
    for index, message in enumerate(MESSAGES):
        assert session.message(session.encode(index)) == message


@pytest.mark.parametrize("name", PAIRS)
def test_each_language_reads_the_unions_of_the_other_with_the_same_checksum(
    cpp: Library, rust: Library, name: str
) -> None:
    ours, theirs = cpp.session(name), rust.session(PAIRS[name])
    for index in range(len(MESSAGES)):
        written, read = ours.encode(index), theirs.encode(index)
        assert theirs.message(written) == ours.message(read) == MESSAGES[index]
        assert ours.decode(read) == theirs.decode(written) == theirs.decode(read)
        assert written == read or {name, name.partition("/")[0]} & OTHER_BYTES.keys()


GOLDEN = [
    (name, message, expected)
    for name, pair in PAIRS.items()
    for codec, message, expected in GOLDEN_BYTES
    if codec == pair
]


@pytest.mark.parametrize(("name", "message", "expected"), GOLDEN)
def test_a_union_has_the_bytes_of_its_specification(
    pack: Pack, name: str, message: Any, expected: str
) -> None:
    session = Library(pack.path, [message]).session(name)
    assert session.encode(0).hex() == expected.replace(" ", "")


def test_every_codec_carries_unions() -> None:
    fit, _ = cpp_codecs(MIXED)
    assert fit == CPP
    assert {codec.name for codec in fit} == PAIRS.keys()


@pytest.mark.matrix
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(messages=st.lists(values(MIXED.root, MIXED), min_size=1, max_size=5))
def test_any_messages_come_back(pack: Pack, messages: list[Any]) -> None:
    library = Library(pack.path, messages)
    for codec in PAIRS:
        try:
            returned = returned_by(library, codec, len(messages))
        except Refused as refused:
            if "NUL" not in str(refused):  # what BSON's keys cannot hold
                raise
        else:
            assert returned == [without_unmarked_null(codec, message) for message in messages], codec


def test_a_union_without_a_known_alternative_is_refused(cpp: Library) -> None:
    with pytest.raises(Refused, match="a union has no alternative that is known"):
        cpp.session("protobuf/protobuf-cpp").message(b"")
    with pytest.raises(Refused, match="the union has no alternative 10"):
        cpp.session("xdr/generated-cpp").message(bytes.fromhex("0000000a 00000007"))
    with pytest.raises(Refused, match="a union has 0 alternatives that are known"):
        cpp.session("thrift/thrift-cpp-binary").message(bytes.fromhex("08 0063 00000007 00"))
    with pytest.raises(Refused, match="a union has 2 alternatives that are known"):
        cpp.session("thrift/thrift-cpp-binary").message(bytes.fromhex("02 0001 01 08 0002 00000007 00"))


def test_a_value_that_no_alternative_takes_is_refused(cpp: Library) -> None:
    for name in ("json/rapidjson", "json/jsoncpp"):
        for text in (b"7.5", b"-1", b"[true]", b'{"x": "text"}', b"null"):
            with pytest.raises(Refused):
                cpp.session(name).message(text)


def test_flatbuffers_has_255_alternatives_of_a_union_at_most() -> None:
    records = "\n".join(f'[record.R{index}]\nk{index} = "int 0..9"' for index in range(256))
    schema = load(f'root = "{"|".join(f"R{index}" for index in range(256))}"\n{records}')
    _, left = cpp_codecs(schema)
    why = "MessageRecord has more than the 255 alternatives of a FlatBuffers union"
    assert left["flatbuffers/flatbuffers-cpp"] == why
