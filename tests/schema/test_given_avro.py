"""Avro schemas, protocols and IDL, in one file or several; the bytes are those of an Avro library."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from tests.schema.given_files import HOSTILE, checked, given, refusal, size, typed, types
from wirelab.model.errors import BadInput
from wirelab.schema.check import typed_messages
from wirelab.schema.importers import read
from wirelab.schema.types import show_type

AVRO: dict[str, Any] = {
    "type": "record",
    "name": "Reading",
    "namespace": "test",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}},
        {"name": "again", "type": ["null", "Kind"], "default": None},
        {"name": "note", "type": ["null", "string"], "default": None},
        {"name": "ratio", "type": ["float", "null"]},
        {"name": "raw", "type": "bytes"},
        {"name": "time", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "parts", "type": {"type": "array", "items": {"type": "record", "name": "Part", "fields": [
            {"name": "x", "type": "int"}]}}},
        {"name": "last", "type": ["null", "test.Part"]},
        {"name": "counts", "type": {"type": "map", "values": "int"}},
    ],
}  # fmt: skip
READING: dict[str, Any] = {
    "id": -5,
    "kind": "B",
    "note": {"string": "é"},
    "ratio": 0.5,
    "raw": "\u00ff\u0001",
    "time": 1700000000000,
    "parts": [{"x": 1}],
    "last": {"test.Part": {"x": 2}},
    "counts": {"a": 1},
}


def test_an_avro_schema_takes_the_bytes_that_an_avro_library_writes(tmp_path: Path) -> None:
    found = given(tmp_path, "r.avsc", json.dumps(AVRO), READING, {**READING, "note": None})
    plain = {**READING, "again": None, "note": "é", "raw": b"\xff\x01", "last": {"x": 2}}
    sizes = []
    for message in (plain, {**plain, "note": None}):
        out = io.BytesIO()
        fastavro.schemaless_writer(out, fastavro.parse_schema(AVRO), message)
        sizes.append(len(out.getvalue()))
    assert size(found, "avro") == sizes
    assert found.messages.messages[0]["raw"] == "/wE="
    assert [
        f"{field.key} {field.optional} {field.type.nullable}"
        for field in found.schema.record("Reading").fields
    ] == [
        "id False False",
        "kind False False",
        "again True False",
        "note False True",
        "ratio False True",
        "raw False False",
        "time False False",
        "parts False False",
        "last False True",
        "counts False False",
    ]


@pytest.mark.parametrize(
    ("field", "complaint"),
    [
        (
            {"type": [{"type": "array", "items": "int"}, {"type": "array", "items": "string"}]},
            "at f: the schema expects list<int -2147483648..2147483647|string>, found no such key",
        ),
        ({"type": "M"}, "at f: every M contains another, without end (M -> M)"),
        ({"type": "Nowhere"}, "at f: no type 'Nowhere' is defined here or in a file next to it"),
        ({}, "at f: not an Avro type"),
    ],
)
def test_unsupported_parts_of_an_avro_schema_are_refused_by_path(
    tmp_path: Path, field: Any, complaint: str
) -> None:
    text = json.dumps({"type": "record", "name": "M", "fields": [{"name": "f", **field}]})
    assert complaint in refusal(tmp_path, "m.avsc", text, {})


def test_a_union_in_an_avro_schema_is_a_union_whose_values_may_name_their_branch(tmp_path: Path) -> None:
    point = {"type": "record", "name": "a.b.Point", "fields": [{"name": "x", "type": "int"}]}
    fields = [
        {"name": "id", "type": ["int", "string", "null"]},
        {"name": "at", "type": [point, "bytes", "long", "double"]},
    ]
    text = json.dumps({"type": "record", "name": "M", "fields": fields})
    plain = {"id": 7, "at": {"x": 1}}, {"id": "x", "at": 5}, {"id": None, "at": "\u00ff"}
    named = (
        {"id": {"int": 7}, "at": {"a.b.Point": {"x": 1}}},
        {"id": {"string": "x"}, "at": {"long": 5}},
        {"id": None, "at": {"bytes": "\u00ff"}},
    )
    for messages in (plain, named):
        found = given(tmp_path, "m.avsc", text, *messages)
        kinds = [show_type(field.type) for field in found.schema.record("M").fields]
        assert kinds == ["int -2147483648..2147483647|string|null", "float|base64|Point"]
        assert list(typed_messages(found.messages, found.schema)) == [
            {"id": 7, "at": {"x": 1}},
            {"id": "x", "at": 5.0},
            {"id": None, "at": "/w=="},
        ]


def test_comments_aliases_and_null_are_read(tmp_path: Path) -> None:
    text = """\
// a file of Kafka's users
{"type": "record", "name": "M", "fields": [ /* two "fields" */
  {"name": "id", "type": "int", "aliases": ["key"], "doc": "http://x // no comment"},
  {"name": "gone", "type": "null"}
]}"""
    found = given(tmp_path, "m.avsc", text, {"key": 5, "gone": None})
    assert typed(found) == [{"id": 5, "gone": None}]
    assert types(found, "M")["id"] == "int -2147483648..2147483647"
    assert "keys that are aliases have the names of their fields" in found.notes


def test_named_types_are_found_in_files_next_to_the_schema(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    part = {"type": "record", "name": "Part", "namespace": "org.x", "fields": [
        {"name": "unit", "type": "Unit"}, {"name": "of", "type": ["null", "org.y.M"]}]}  # fmt: skip
    (tmp_path / "parts" / "part.avsc").write_text(json.dumps(part))
    (tmp_path / "unit.avsc").write_text('{"type": "enum", "name": "org.x.Unit", "symbols": ["V", "A"]}')
    (tmp_path / "broken.avsc").write_text("{")
    whole = {
        "type": "record",
        "name": "M",
        "namespace": "org.y",
        "fields": [{"name": "p", "type": "org.x.Part"}],
    }
    found = given(tmp_path, "m.avsc", json.dumps(whole), {"p": {"unit": "A", "of": None}})
    assert types(found, "Part") == {"unit": "int 0..1", "of": "M|null"}
    assert typed(found) == [{"p": {"unit": 1, "of": None}}]


LOGICAL: dict[str, Any] = {
    "type": "record", "name": "M", "fields": [
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "time", "type": {"type": "long", "logicalType": "time-micros"}},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 6, "scale": 2}},
        {"name": "fixed", "type": {"type": "fixed", "name": "F", "size": 4, "logicalType": "decimal",
            "precision": 9, "scale": 3}},
        {"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
    ],
}  # fmt: skip


def test_logical_types_take_text_and_give_the_bytes_of_an_avro_library(tmp_path: Path) -> None:
    uuid = "12345678-1234-5678-1234-567812345678"
    message = {"at": "2023-11-14T22:13:20.5Z", "day": "1970-01-03", "time": "00:00:01.5", "price": "-12.30",
        "fixed": 1.5, "id": uuid}  # fmt: skip
    found = given(tmp_path, "m.avsc", json.dumps(LOGICAL), message)
    assert typed(found) == [
        {"at": 1700000000500, "day": 2, "time": 1500000, "price": "+zI=", "fixed": "AAAF3A==", "id": uuid}
    ]
    out = io.BytesIO()
    plain = {"at": 1700000000500, "day": 2, "time": 1500000, "price": Decimal("-12.30"), "fixed": Decimal("1.5"),
        "id": uuid}  # fmt: skip
    fastavro.schemaless_writer(out, fastavro.parse_schema(LOGICAL), plain)
    # A fixed has no length in Avro's bytes; here it is bytes with their length.
    assert size(found, "avro") == [len(out.getvalue()) + 1]


IDL = """\
/** A protocol. */
@namespace("org.x")
protocol P {
  import idl "parts.avdl";
  enum Kind { A, B } = A;
  fixed Mac(6);
  @aliases(["Old"]) record M {
    string id = "a;b"; // the id
    union { null, Kind } kind = null;
    array<org.z.Part> parts;
    map<long> counts;
    timestamp_ms at;
    decimal(9, 2) price;
    @logicalType("timestamp-micros") long micros;
    string? note, `record`;
    M? inner;
  }
  void send(M m) throws Bad;
  error Bad { string why; }
}
"""


def test_avro_idl_gives_the_types_of_its_protocol_and_imports(tmp_path: Path) -> None:
    (tmp_path / "parts.avdl").write_text('namespace org.z;\nimport idl "m.avdl";\nrecord Part { int x; }\n')
    (tmp_path / "m.avdl").write_text(IDL)
    found = read.schema(f"{tmp_path}/m.avdl:M")
    assert types(found, "M") == {
        "id": "string", "kind": "int 0..1|null", "parts": "list<Part>", "counts": "map<int>", "at": "int",
        "price": "base64", "micros": "int", "note": "string|null", "record": "string|null", "inner": "M|null",
    }  # fmt: skip
    assert read.schema(f"{tmp_path}/m.avdl").schema == found.schema
    (tmp_path / "m.avdl").write_text("record A {} record B {}")
    with pytest.raises(BadInput, match=r"which type is one message\? \(A, B\)"):
        read.schema(f"{tmp_path}/m.avdl")


def test_the_main_schema_of_avro_idl_is_the_message(tmp_path: Path) -> None:
    text = "namespace org.x; schema array<Größe>; record Größe { double x = -Infinity; } record Other {}"
    found = given(tmp_path, "m.avdl", text, [{"x": 1.5}])
    assert show_type(found.schema.root) == "list<Groe>"
    assert typed(found) == [[{"x": 1.5}]]


def test_a_list_of_types_needs_no_name_if_one_record_uses_the_others(tmp_path: Path) -> None:
    text = [
        {"type": "record", "name": "Part", "fields": [{"name": "x", "type": "int"}]},
        {"type": "record", "name": "Whole", "fields": [{"name": "p", "type": "Part"}]},
    ]
    found = given(tmp_path, "m.avsc", json.dumps(text), {"p": {"x": 1}})
    assert show_type(found.schema.root) == "Whole"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("protocol P {", "m.avdl, line 1: no Avro IDL: the file ends too early"),
        ("protocol P {\n record R { int } }", "m.avdl, line 2: no Avro IDL: '}' is not a name"),
        ("record R { int x = {; }", "m.avdl, line 1: no Avro IDL: not a JSON value"),
        ("record R { " + "array<" * 70 + "int" + ">" * 70 + " x; }", "nested deeper than 64 levels"),
        ('import idl "none.avdl";', "none.avdl: cannot be read"),
        ("", "m.avdl: it has no types"),
    ],
)
def test_broken_avro_idl_is_refused_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    assert complaint in refusal(tmp_path, "m.avdl", text, {})


IDL_WORDS = st.lists(
    st.sampled_from(
        [
            "protocol",
            "record",
            "enum",
            "fixed",
            "import",
            "idl",
            "union",
            "array",
            "map",
            "string",
            "int",
            "decimal",
            "schema",
            "namespace",
            "void",
            "null",
            "P",
            "R",
            "x",
            "{",
            "}",
            "(",
            ")",
            "<",
            ">",
            "[",
            "]",
            ",",
            ";",
            "=",
            "@",
            "?",
            "5",
            '"t"',
            "//",
            "/*",
            "*/",
            "`",
            "-",
        ]
    ),
    max_size=30,
)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@drawn(words=IDL_WORDS)
def test_any_text_is_avro_idl_or_refused(tmp_path: Path, words: list[str]) -> None:
    try:
        checked(tmp_path, "m.avdl", " ".join(words), {})
    except BadInput:
        return


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@drawn(text=HOSTILE, message=HOSTILE)
def test_any_json_is_an_avro_schema_or_refused(tmp_path: Path, text: Any, message: Any) -> None:
    try:
        checked(tmp_path, "m.avsc", json.dumps(text), message)
    except BadInput:
        return
