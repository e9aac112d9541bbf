"""FlatBuffers, Cap'n Proto, Thrift and ASN.1 give types, and messages in their JSON are read."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from tests.schema.given_files import checked, given, refusal, typed, types
from wirelab.model.errors import BadInput
from wirelab.schema.importers import read
from wirelab.schema.inputs.options import InputOptions
from wirelab.system.python_programs import find_python_program

FBS = """\
include "place.fbs";
namespace a;
enum Kind : byte { Cold, Warm = 3 }
enum Flag : ubyte (bit_flags) { One, Two }
struct Way { x: float; y: short; }
table Note { name: string; }
union Body { Reading, Note }
table Reading { id: string (required); level: int = 5; kind: Kind = Warm; at: Way; raw: [ubyte]; sub: [Post];
  old: int (deprecated); maybe: ulong = null; kinds: [Kind]; flags: Flag; place: b.Place; }
table Post { body: Body; parts: [Body]; }
root_type Post;
"""
PLACE = "namespace b; table Place { on: bool = true; }"


def test_a_flatbuffers_schema_takes_the_json_of_its_compiler(tmp_path: Path) -> None:
    (tmp_path / "place.fbs").write_text(PLACE)
    reading = {"id": "r", "kind": "Cold", "at": {"x": 1.5, "y": 2}, "raw": [1, 255], "kinds": ["Warm"], "flags": "One Two",
        "place": {}}  # fmt: skip
    message = {"body_type": "Note", "body": {"name": "n"}, "parts_type": ["Reading", "Note"],
        "parts": [reading, {"name": "m"}]}  # fmt: skip
    found = given(tmp_path, "m.fbs", FBS, message)
    assert types(found, "Post") == {"body": "Reading|Note?", "parts": "list<Reading|Note>?"}
    assert types(found, "Reading") == {
        "id": "string", "level": "int -2147483648..2147483647", "kind": "int 0..3", "at": "Way?", "raw": "base64?",
        "sub": "list<Post>?", "maybe": "int 0..18446744073709551615?", "kinds": "list<int 0..3>?",
        "flags": "int 0..3", "place": "Place?",
    }  # fmt: skip
    assert types(found, "Way") == {"x": "float32", "y": "int -32768..32767"}
    read_back = {"id": "r", "level": 5, "kind": 0, "at": {"x": 1.5, "y": 2}, "raw": "Af8=", "kinds": [3], "flags": 3,
        "place": {"on": True}}  # fmt: skip
    assert typed(found) == [{"body": {"name": "n"}, "parts": [read_back, {"name": "m"}]}]
    assert "deprecated fields are left out" in found.notes


def test_a_compiled_flatbuffers_schema_is_read_as_its_text(tmp_path: Path) -> None:
    (tmp_path / "place.fbs").write_text(PLACE)
    (tmp_path / "m.fbs").write_text(FBS)
    command = [str(find_python_program("flatc")), "-b", "--schema", "m.fbs"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert read.schema(f"{tmp_path}/m.bfbs").schema == read.schema(f"{tmp_path}/m.fbs").schema
    assert read.schema(f"{tmp_path}/m.fbs:b.Place").schema.records[0].name == "Place"


THRIFT = """\
include "place.thrift"
enum Kind { COLD = 1, WARM }
typedef i64 Id
union Value { 1: i32 number, 2: string text }
struct Post {
  1: required Id id,
  2: optional map<string, list<Kind>> kinds,
  3: Value value,
  4: set<binary> blobs,
  5: optional Post inner,
  6: place.Place place,
  7: double d, 8: byte b
}
"""


def test_a_thrift_file_gives_its_types_and_takes_enums_by_name(tmp_path: Path) -> None:
    (tmp_path / "place.thrift").write_text("struct Place { 1: optional bool on }")
    message = {"id": "9007199254740993", "kinds": {"a": ["WARM", "Kind.COLD", 1]}, "value": {"text": "x"},
        "place": {"on": True}, "d": 2}  # fmt: skip
    found = given(tmp_path, "m.thrift", THRIFT, message)
    assert types(found, "Post") == {
        "id": "int", "kinds": "map<list<int 0..2>>?", "value": "Value?", "blobs": "list<base64>?",
        "inner": "Post?", "place": "Place?", "d": "float?", "b": "int -128..127?",
    }  # fmt: skip
    assert types(found, "Value") == {"number": "int -2147483648..2147483647?", "text": "string?"}
    assert typed(found) == [{"id": 9007199254740993, "kinds": {"a": [2, 1, 1]}, "value": {"text": "x"},
        "place": {"on": True}, "d": 2.0}]  # fmt: skip
    assert "fields of a union may each be absent" in found.notes


CAPNP = """\
@0xbf5147cbbecf40c1;
using Other = import "place.capnp";
struct Post {
  name @1 :Text;
  level @0 :Int32 = 5;
  union { none @2 :Void; kinds @3 :List(Kind); }
  place :group { on @4 :Bool; }
  body :union { number @5 :UInt64; raw @6 :Data; }
  other @7 :Other.Place;
  grid @8 :List(List(Post));
  enum Kind { cold @0; warm @1; }
}
"""


def test_a_capnp_file_gives_its_types_and_takes_the_json_of_its_compiler(tmp_path: Path) -> None:
    (tmp_path / "place.capnp").write_text("@0xbf5147cbbecf40c2;\nstruct Place { x @0 :Float32; }\n")
    message = {"kinds": ["cold", "warm"], "place": {"on": False}, "body": {"number": "18446744073709551615"},
        "grid": [[{"none": None, "place": {}, "body": {"raw": [0, 16]}}]]}  # fmt: skip
    found = given(tmp_path, "m.capnp", CAPNP, message)
    assert types(found, "Post") == {
        "name": "string?", "level": "int -2147483648..2147483647", "none": "string|null?", "kinds": "list<int 0..1>?",
        "place": "Place", "body": "Body", "other": "Place2?", "grid": "list<list<Post>>?",
    }  # fmt: skip
    inner = {"level": 5, "none": None, "place": {"on": False}, "body": {"raw": "ABA="}}
    assert typed(found) == [{"level": 5, "kinds": [0, 1], "place": {"on": False},
        "body": {"number": 18446744073709551615}, "grid": [[inner]]}]  # fmt: skip


ASN1 = """\
M DEFINITIONS AUTOMATIC TAGS ::= BEGIN
IMPORTS Place FROM N;
Post ::= SEQUENCE { COMPONENTS OF Base, on BOOLEAN OPTIONAL, parts SEQUENCE (SIZE (0..5)) OF Post,
  kind ENUMERATED { cold, warm(5), ... }, value CHOICE { number INTEGER, text UTF8String }, raw OCTET STRING,
  level Level DEFAULT 5, place Place, ..., [[ ratio REAL ]] }
Base ::= SEQUENCE { id INTEGER (0..255), ... }
Level ::= INTEGER (-5..max)
Unused ::= SEQUENCE { x Nowhere }
max INTEGER ::= 7
END
"""


def test_an_asn1_module_gives_its_types_with_ranges(tmp_path: Path) -> None:
    (tmp_path / "n.asn1").write_text("N DEFINITIONS ::= BEGIN Place ::= SEQUENCE { x INTEGER (0..9) } END")
    message = {"id": 1, "parts": [], "kind": "warm", "value": {"text": "x"}, "raw": "AA==", "place": {"x": 3}}
    (tmp_path / "payload.jsonl").write_text(json.dumps(message))
    (tmp_path / "m.asn1").write_text(ASN1)
    found = read.read(f"{tmp_path}/payload.jsonl", f"{tmp_path}/m.asn1:Post")
    assert types(found, "Post") == {
        "id": "int 0..255", "on": "bool?", "parts": "list<Post>", "kind": "int 0..5", "value": "Value",
        "raw": "base64", "level": "int -5..7?", "place": "Place", "ratio": "float?",
    }  # fmt: skip
    assert typed(found) == [{**message, "kind": 5}]


@pytest.mark.parametrize(
    ("name", "text", "message", "complaint"),
    [
        ("m.fbs", "table T { x: Nowhere; } root_type T;", {}, "m.fbs: m.fbs:1: "),
        ("m.fbs", "table A { x: int; } table B { x: int; }", {}, "m.fbs: which type is one message? (A, B)"),
        ("m.fbs", FBS, {}, "m.fbs: m.fbs:1: "),
        ("m.bfbs", "not compiled", {}, "m.bfbs: "),
        ("m.thrift", "struct T { 1: Nowhere x }", {}, "Nowhere"),
        ("m.thrift", "enum E { A = 1 } struct T { 1: E x }", {"x": "B"}, "at x: m.E has no 'B'; "),
        ("m.capnp", "@0xbf5147cbbecf40c1;\nstruct T { x @0 :Nowhere; }", {}, "Nowhere"),
        ("m.capnp", "@0xbf5147cbbecf40c1;\nstruct T { x @0 :AnyPointer; y @1 :Bool; }", {"x": 1}, "at x: the schema expects no such key in T"),
        ("m.asn1", "M DEFINITIONS ::= BEGIN T ::= SEQUENCE { x Nowhere } END", {}, "Nowhere has no type here"),
        ("m.asn1", "M DEFINITIONS ::= BEGIN", {}, "m.asn1: "),
        ("m.asn1", "M DEFINITIONS ::= BEGIN A ::= B B ::= A T ::= SEQUENCE { x A } END", {}, "contains itself"),
        ("m.asn1", "M DEFINITIONS ::= BEGIN END", {}, "which type is one message? (it has none)"),
    ],
)  # fmt: skip
def test_broken_and_unsupported_parts_are_refused(
    tmp_path: Path, name: str, text: str, message: Any, complaint: str
) -> None:
    assert complaint in refusal(tmp_path, name, text, message)


@pytest.mark.parametrize(
    ("name", "text", "other", "inside"),
    [
        ("m.fbs", 'include "place.fbs"; table M { p: b.Place; } root_type M;', "place.fbs", PLACE),
        ("m.thrift", 'include "p.thrift"\nstruct M { 1: p.P x }', "p.thrift", "struct P { 1: bool x }"),
        ("m.capnp", '@0xbf5147cbbecf40c1;\nusing O = import "/p.capnp";\nstruct M { x @0 :O.P; }', "p.capnp",
            "@0xbf5147cbbecf40c2;\nstruct P { x @0 :Bool; }"),
        ("m.asn1", "M DEFINITIONS ::= BEGIN IMPORTS P FROM N; M ::= SEQUENCE { x P } END", "n.asn",
            "N DEFINITIONS ::= BEGIN P ::= SEQUENCE { x BOOLEAN } END"),
    ],
)  # fmt: skip
def test_includes_are_found_in_the_folders_that_are_given(
    tmp_path: Path, name: str, text: str, other: str, inside: str
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "own").mkdir()
    (tmp_path / "elsewhere" / other).write_text(inside)
    (tmp_path / "own" / name).write_text(text)
    options = InputOptions(proto_path=(f"{tmp_path}/elsewhere",))
    assert len(read.schema(f"{tmp_path}/own/{name}", options=options).schema.records) == 2
    with pytest.raises(BadInput):
        read.schema(f"{tmp_path}/own/{name}")


def test_many_structs_that_use_each_other_are_not_too_deep(tmp_path: Path) -> None:
    structs = [f"struct P{at} {{ 1: P{(at + 1) % 300} a, 2: P{at * 7 % 300} b }}" for at in range(300)]
    (tmp_path / "m.thrift").write_text("\n".join(structs))
    assert len(read.schema(f"{tmp_path}/m.thrift:P0").schema.records) == 300


def test_includes_in_a_circle_end_with_a_sentence_or_a_schema(tmp_path: Path) -> None:
    (tmp_path / "b.fbs").write_text('include "m.fbs"; table B { x: int; }')
    found = given(tmp_path, "m.fbs", 'include "b.fbs"; table M { b: B; } root_type M;', {"b": {}})
    assert typed(found) == [{"b": {"x": 0}}]
    (tmp_path / "b.thrift").write_text('include "m.thrift"\nstruct B { 1: i32 x }')
    with pytest.raises(BadInput, match="b.thrift|m.thrift"):
        checked(tmp_path, "m.thrift", 'include "b.thrift"\nstruct M { 1: b.B b }', {})


WORDS = st.lists(
    st.sampled_from(
        [
            "M",
            "DEFINITIONS",
            "AUTOMATIC",
            "TAGS",
            "::=",
            "BEGIN",
            "END",
            "SEQUENCE",
            "CHOICE",
            "OF",
            "{",
            "}",
            "(",
            ")",
            ",",
            "..",
            "...",
            "[[",
            "]]",
            "INTEGER",
            "BOOLEAN",
            "SIZE",
            "OPTIONAL",
            "DEFAULT",
            "ENUMERATED",
            "A",
            "B",
            "x",
            "y",
            "5",
            "-1",
            "REAL",
            "NULL",
            "ANY",
            "BIT",
            "STRING",
            "IMPORTS",
            "FROM",
            ";",
            "COMPONENTS",
        ]
    ),
    max_size=25,
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@drawn(words=WORDS)
def test_any_text_is_asn1_or_refused(tmp_path: Path, words: list[str]) -> None:
    for text in (" ".join(words), f"M DEFINITIONS ::= BEGIN T ::= SEQUENCE {{ {' '.join(words)} }} END"):
        try:
            checked(tmp_path, "m.asn1", text, {})
        except BadInput:
            continue


@pytest.mark.matrix
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@drawn(data=st.data(), name=st.sampled_from(["m.fbs", "m.bfbs", "m.thrift", "m.capnp"]))
def test_damaged_schemas_are_read_or_refused(tmp_path: Path, data: st.DataObject, name: str) -> None:
    (tmp_path / "place.fbs").write_text(PLACE)
    (tmp_path / "place.thrift").write_text("struct Place { 1: optional bool on }")
    (tmp_path / "place.capnp").write_text("@0xbf5147cbbecf40c2;\nstruct Place { x @0 :Float32; }\n")
    whole = {"m.fbs": FBS, "m.thrift": THRIFT, "m.capnp": CAPNP}.get(name, "").encode()
    if name == "m.bfbs":
        (tmp_path / "o.fbs").write_text(PLACE)
        subprocess.run(
            [str(find_python_program("flatc")), "-b", "--schema", "o.fbs"], cwd=tmp_path, check=True
        )
        whole = (tmp_path / "o.bfbs").read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    with_byte = data.draw(st.binary(min_size=0, max_size=2))
    (tmp_path / name).write_bytes(whole[:at] + with_byte + whole[at + data.draw(st.integers(0, 3)) :])
    try:
        read.schema(str(tmp_path / name))
    except BadInput:
        return
