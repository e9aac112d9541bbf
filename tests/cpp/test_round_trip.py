"""Round trips of C++ codecs, in C++ and in Rust, and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library, Refused
from wirelab.codecs.build import build_pack
from wirelab.codecs.cpp import toolchain
from wirelab.codecs.cpp.build import build_cpp_pack
from wirelab.codecs.cpp.registry import CPP
from wirelab.codecs.pack import Pack
from wirelab.model.errors import BadInput
from wirelab.model.schema import Field, Int, Map, Record, Ref, Schema

MESSAGES: list[Any] = [pack_schemas.FULL, pack_schemas.BARE]
PAIRS = {
    "json": "json/serde_json",
    "msgpack": "msgpack/rmp-serde",
    "bson": "bson/bson",
    "protobuf": "protobuf/prost",
    "flatbuffers": "flatbuffers/flatbuffers",
    "xdr": "xdr/rfc4506",
    "thrift/thrift-cpp-compact": "thrift/thrift-compact",
    "thrift/thrift-cpp-binary": "thrift/thrift-binary",
    "capnp/capnp-cpp": "capnp/capnp",
    "capnp/capnp-cpp-packed": "capnp/capnp-packed",
}
CANONICAL = ("msgpack/msgpack-cxx", "bson/libbson", "xdr/generated-cpp")
PHASES = {"populate": 0, "encode": 1, "access": 2, "access_validated": 3}
PHASES |= {"decode": 4, "convert": 5, "serialize": 6, "deserialize": 7}
NAMES = [codec.name for codec in CPP]


@pytest.fixture(scope="module")
def cpp(ugly_pack: Pack) -> Library:
    return Library(ugly_pack.path, MESSAGES)


@pytest.fixture(scope="module")
def rust(root: Path) -> Library:
    pack = build_pack(pack_schemas.UGLY, root / "target" / "test-packs", None, tuple(PAIRS.values()))
    return Library(pack.path, MESSAGES)


@pytest.mark.parametrize("name", NAMES)
def test_every_field_comes_back(cpp: Library, name: str) -> None:
    session = cpp.session(name)
    for index, message in enumerate(MESSAGES):
        assert session.message(session.encode(index)) == message


@pytest.mark.parametrize("name", NAMES)
def test_each_language_reads_the_bytes_of_the_other_with_the_same_checksum(
    cpp: Library, rust: Library, name: str
) -> None:
    mine, theirs = cpp.session(name), rust.session(PAIRS.get(name) or PAIRS[name.partition("/")[0]])
    for index in range(len(MESSAGES)):
        written, read = mine.encode(index), theirs.encode(index)
        sums = {mine.decode(written), mine.decode(read), theirs.decode(written), theirs.decode(read)}
        assert len(sums) == 1
        assert name not in CANONICAL or written == read


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("-size")])
def test_code_size_and_speed_read_each_others_bytes(cpp: Library, name: str) -> None:
    small, fast = cpp.session(name), cpp.session("protobuf/protobuf-cpp")
    for index in range(len(MESSAGES)):
        assert small.encode(index)
        assert len(small.encode(index)) == len(fast.encode(index))
        assert small.decode(fast.encode(index)) == fast.decode(small.encode(index))


def test_with_code_size_a_message_that_a_map_leaves_out_is_an_empty_one(root: Path) -> None:
    one = Record("One", (Field("n", "n", Int(low=0, high=9)),))
    all_of_them = Record("All", (Field("m", "m", Map(values=Ref(name="One"))),))
    schema = Schema(Ref(name="All"), (one, all_of_them))
    codecs = [codec for codec in CPP if codec.library == "protobuf-cpp-size"]
    pack = build_cpp_pack(schema, codecs, root / "target" / "test-packs")
    message = {"m": {"k": {"n": 0}}}
    session = Library(pack.path, [message]).session("protobuf/protobuf-cpp-size")
    # Field 1, an entry of three bytes: field 1, text of one byte, "k".
    assert session.message(bytes.fromhex("0a03 0a01 6b")) == message
    with pytest.raises(Refused, match="not a whole valid Protobuf message"):
        session.message(bytes.fromhex("0a03 0a01"))


@pytest.mark.parametrize("name", NAMES)
def test_every_row_names_its_treatment_of_strings(ugly_pack: Pack, name: str) -> None:
    in_place, left = "read in place", "left in the message"
    others = {"flatbuffers/flatbuffers-cpp": in_place, "msgpack/msgpack-cxx": left, "xdr/generated-cpp": left}
    others |= {"bson/libbson": left, "capnp/capnp-cpp": in_place, "capnp/capnp-cpp-packed": in_place}
    assert ugly_pack.codec(name).options["strings"] == others.get(name, "copied")


@pytest.mark.parametrize("name", NAMES)
def test_every_phase_runs_and_counts_its_operations(cpp: Library, ugly_pack: Pack, name: str) -> None:
    session = cpp.session(name)
    for phase in ugly_pack.codec(name).phases:
        assert session.run(PHASES[phase], 0, 2, 3).operations == 6
    for phase in PHASES.keys() - set(ugly_pack.codec(name).phases):
        with pytest.raises(Refused, match="no phase"):
            session.run(PHASES[phase], 0, 2, 3)


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("protobuf")])
def test_a_message_cut_short_is_an_error_with_a_sentence(cpp: Library, name: str) -> None:
    session = cpp.session(name)
    whole = session.encode(0)
    with pytest.raises(Refused, match=r"\w+"):
        session.decode(whole[: len(whole) // 2])


def test_a_corpus_that_does_not_fit_the_schema_is_refused_with_its_line(ugly_pack: Pack) -> None:
    with pytest.raises(Refused, match="corpus line 2: "):
        Library(ugly_pack.path, [pack_schemas.FULL, {**pack_schemas.FULL, "type": "text"}])


def test_a_library_that_is_missing_is_named_with_the_line_that_installs_it() -> None:
    with pytest.raises(BadInput, match="apt install libabsent-dev"):
        toolchain.require([toolchain.Need("absent.hpp", ("libabsent-dev",))])
