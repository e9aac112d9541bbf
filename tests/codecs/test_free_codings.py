"""google.protobuf.Value, Struct and ListValue of a given .proto: in Protobuf they have the bytes
that the official library writes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format, message_factory

from tests.codecs.pack_ffi import Library
from wirelab.codecs.build import build_pack
from wirelab.codecs.cpp.registry import cpp_codecs
from wirelab.codecs.java.registry import java_codecs
from wirelab.codecs.pack import Pack
from wirelab.model.errors import BadInput
from wirelab.schema.emitters import emit
from wirelab.schema.importers import protobuf_files, read
from wirelab.schema.payload import normalised
from wirelab.schema.text import dump, load

PROTO = """
syntax = "proto3";
import "google/protobuf/struct.proto";
message Event {
  google.protobuf.Value value = 1;
  google.protobuf.Struct info = 2;
  google.protobuf.ListValue items = 3;
  repeated google.protobuf.Value many = 4;
  map<string, google.protobuf.Value> named = 5;
}
"""
MESSAGES: list[dict[str, Any]] = [
    {"value": None},
    {"value": 1.5},
    {"value": [True]},
    {"info": {"a": None}},
    {"items": ["x"]},
    {"info": {}, "items": []},
    {"many": [None, "é", -7, {"a": {"b": [[], {}]}}], "named": {"k": False}},
]
PROTOBUF = ("protobuf/prost", "protobuf/protobuf-upb")
CODECS = (*PROTOBUF, "json/serde_json", "cbor/ciborium")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("free")
    (folder / "event.proto").write_text(PROTO)
    (folder / "events.jsonl").write_text("".join(json.dumps(one) + "\n" for one in MESSAGES))
    return folder


@pytest.fixture(scope="module")
def pack(files: Path, pack_cache: Path) -> Pack:
    return build_pack(read.schema(f"{files}/event.proto").schema, pack_cache, asked=CODECS)


@pytest.fixture(scope="module")
def library(files: Path, pack: Pack) -> Library:
    found = read.read(f"{files}/events.jsonl", f"{files}/event.proto")
    assert found.corpus is not None
    return Library(pack.path, normalised(found.corpus, found.schema))


@pytest.mark.parametrize("codec", PROTOBUF)
def test_the_bytes_are_those_of_the_official_library(files: Path, library: Library, codec: str) -> None:
    file = protobuf_files.compiled(files / "event.proto")
    kind = message_factory.GetMessageClass(file.message_types_by_name["Event"])
    session = library.session(codec)
    for index, message in enumerate(MESSAGES):
        official = json_format.ParseDict(message, kind()).SerializeToString()
        assert session.encode(index).hex(" ") == official.hex(" ")


@pytest.mark.parametrize("codec", PROTOBUF)
@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (0, "0a 02 08 00"),
        (1, "0a 09 11 000000000000f83f"),
        (2, "0a 06 32 04 0a 02 20 01"),
        (3, "12 09 0a 07 0a 01 61 12 02 08 00"),
        (4, "1a 05 0a 03 1a 01 78"),
        (5, "12 00 1a 00"),
    ],
)
def test_a_value_of_any_type_is_the_message_of_struct_proto(
    library: Library, codec: str, index: int, expected: str
) -> None:
    assert library.session(codec).encode(index).hex() == expected.replace(" ", "")


@pytest.mark.parametrize("codec", CODECS)
def test_values_come_back(library: Library, codec: str) -> None:
    session = library.session(codec)
    for index, message in enumerate(MESSAGES):
        assert session.message(session.encode(index)) == {"many": [], "named": {}, **message}


def test_the_checksum_is_the_same_in_every_format(library: Library) -> None:
    sessions = [library.session(codec) for codec in CODECS]
    sums = {tuple(one.decode(one.encode(index)) for one in sessions) for index in range(len(MESSAGES))}
    assert all(len(set(found)) == 1 for found in sums)
    assert len(sums) == len(MESSAGES)


def test_a_value_without_a_kind_is_refused(library: Library) -> None:
    for codec in PROTOBUF:
        with pytest.raises(Exception, match=r"a google\.protobuf\.Value has no kind"):
            library.session(codec).message(bytes.fromhex("0a00"))


def test_the_schema_keeps_the_messages(files: Path) -> None:
    schema = read.schema(f"{files}/event.proto").schema
    text = dump(schema)
    assert 'value = "any value? = 1"\ninfo = "any struct? = 2"\nitems = "any list? = 3"' in text
    assert load(text) == schema
    emitted = emit(schema, "protobuf")
    assert "  ValueMessage value = 1;\n  StructMessage info = 2;\n  ListMessage items = 3;" in emitted
    assert "message StructMessage {\n  map<string, ValueMessage> fields = 1;\n}" in emitted
    assert "string value = 1;  // any value, as JSON text" in emit(
        load('root="R"\n[record.R]\nvalue="any"\n'), "protobuf"
    )


def test_other_languages_leave_the_codec_out_or_have_no_such_values(files: Path) -> None:
    schema = read.schema(f"{files}/event.proto").schema
    for skipped in (cpp_codecs(schema)[1], java_codecs(schema)[1]):
        assert any(name.startswith("protobuf/") for name in skipped)


def test_a_struct_is_an_object_only(files: Path) -> None:
    (files / "bad.json").write_text('{"info": [1]}')
    found = read.read(f"{files}/bad.json", f"{files}/event.proto")
    assert found.corpus is not None
    with pytest.raises(BadInput, match="at info: the schema expects any struct, found list"):
        normalised(found.corpus, found.schema)
