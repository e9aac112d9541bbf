"""Unions and tuples in the C++ codecs that support them: they come back, as the Rust codec writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library
from tests.codecs.test_unions import MESSAGES
from wirelab.codecs.build import build_pack
from wirelab.codecs.cpp.build import build_cpp_pack
from wirelab.codecs.cpp.registry import cpp_codecs

PAIRS = {
    "json/rapidjson": "json/serde_json",
    "msgpack/msgpack-cxx": "msgpack/rmp-serde",
    "xdr/generated-cpp": "xdr/rfc4506",
}


@pytest.fixture(scope="module")
def cpp(root: Path) -> Library:
    fit, _ = cpp_codecs(pack_schemas.MIXED)
    pack = build_cpp_pack(pack_schemas.MIXED, fit, root / "target" / "test-packs")
    return Library(pack.path, MESSAGES)


@pytest.fixture(scope="module")
def rust(root: Path) -> Library:
    return Library(
        build_pack(pack_schemas.MIXED, root / "target" / "test-packs", None, ("all",)).path, MESSAGES
    )


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
        assert written == read or name == "msgpack/msgpack-cxx"  # it packs whole floats as integers


def test_codecs_without_unions_are_left_out_with_the_type() -> None:
    fit, left = cpp_codecs(pack_schemas.MIXED)
    assert sorted(codec.name for codec in fit) == sorted(PAIRS)
    assert "wirelab has no unions and tuples for this codec" in left["protobuf/protobuf-cpp"]
