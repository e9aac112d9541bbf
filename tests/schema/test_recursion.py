"""Records that contain themselves: in a schema's text, in given schemas, and where none ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.schema.schema_strategies import recursive_schemas, values
from tests.schema.test_emitted_schemas import compile_schema
from wirelab.codecs.codec_spec import CodecSpec, lacks_types
from wirelab.codecs.preview import preview_sizes
from wirelab.model.errors import BadInput
from wirelab.model.schema import Float, Schema, walk
from wirelab.schema.check import typed_messages
from wirelab.schema.corpus import Corpus
from wirelab.schema.emitters import SUFFIXES
from wirelab.schema.importers import read
from wirelab.schema.inference import infer_with_notes
from wirelab.schema.payload import read as read_payload
from wirelab.schema.recursion import recursive, recursive_place
from wirelab.schema.text import dump, load
from wirelab.schema.types import show_type

TREE = """\
root = "Tree"
[record.Tree]
name = "string"
top = "Node"
[record.Node]
size = "int 0..9"
below = "list<Node>"
next = "Node|null?"
link = "Link?"
[record.Link]
to = "Node|string"
[record.Leaf]
"""
TREE_MESSAGE = {
    "name": "t",
    "top": {
        "size": 1,
        "below": [{"size": 2, "below": [], "next": None}],
        "next": {"size": 3, "below": [], "link": {"to": "x"}},
        "link": {"to": {"size": 4, "below": []}},
    },
}


def lines(folder: Path, *messages: Any) -> str:
    path = folder / "payload.jsonl"
    path.write_text("\n".join(map(json.dumps, messages)))
    return str(path)


def test_a_schema_of_recursive_records_is_read_as_it_is_written() -> None:
    schema = load(TREE)
    assert [record.name for record in schema.records] == ["Leaf", "Link", "Node", "Tree"]
    assert recursive(schema.records) == {"Link", "Node"}
    assert recursive_place(schema) == "Node contains itself at top.below[]"
    assert load(dump(schema)) == schema


def test_messages_are_checked_at_every_level(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(TREE)
    seen = read.read(lines(tmp_path, TREE_MESSAGE), f"{tmp_path}/s.toml")
    assert list(typed_messages(seen.messages, seen.schema)) == [TREE_MESSAGE]
    bad = {"name": "t", "top": {"size": 1, "below": [{"size": 2, "below": [{"size": 10, "below": []}]}]}}
    seen = read.read(lines(tmp_path, bad), f"{tmp_path}/s.toml")
    with pytest.raises(
        BadInput, match=r"at top\.below\[0\]\.below\[0\]\.size: the schema expects int 0\.\.9"
    ):
        list(typed_messages(seen.messages, seen.schema))


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ('a = "R"', "line 3, record R, 'a': every R contains another, without end (R -> R)"),
        ('x = "bool"\na = "S"\n[record.S]\nb = "R"', "without end (R -> S -> R)"),
        ('a = "tuple<R, bool>"', "without end (R -> R)"),
        ('a = "R|S"\n[record.S]\nb = "R"', "without end"),
        ('a = "S"\n[record.S]\nc = "S"', "line 5, record S, 'c': every S contains another"),
    ],
)
def test_records_without_end_are_refused_with_the_field(fields: str, where: str) -> None:
    with pytest.raises(BadInput) as caught:
        load(f'root = "R"\n[record.R]\n{fields}\n', "s.toml")
    assert where in caught.value.sentence
    assert caught.value.next_step == "let it be absent (`?`) or null (`|null`), or make it a list"


@pytest.mark.parametrize("kind", ["R?", "R|null", "list<R>", "map<R>", "R|bool", "tuple<R|null, bool>"])
def test_a_record_that_may_end_is_accepted(kind: str) -> None:
    schema = load(f'root = "R"\n[record.R]\na = "{kind}"\n')
    assert recursive(schema.records) == {"R"}
    assert load(dump(schema)) == schema


def test_a_cycle_of_four_thousand_records_is_read() -> None:
    chain = "".join(f'[record.R{i}]\na = "R{(i + 1) % 4000}?"\n' for i in range(4000))
    schema = load(f'root = "R0"\n{chain}')
    assert len(recursive(schema.records)) == 4000
    assert recursive_place(schema)


def test_a_recursive_message_of_protobuf_is_a_recursive_record(tmp_path: Path) -> None:
    (tmp_path / "m.proto").write_text(
        'syntax = "proto3"; message M { T t = 1; } message T { repeated T sub = 1; int32 n = 2; T one = 3; }'
    )
    message = {"t": {"sub": [{"n": 2}], "one": {"n": 3}}}
    seen = read.read(lines(tmp_path, message), f"{tmp_path}/m.proto")
    assert recursive(seen.schema.records) == {"T"}
    assert next(typed_messages(seen.messages, seen.schema))["t"]["sub"] == [{"sub": [], "n": 2}]
    (tmp_path / "m.pb").write_bytes(bytes.fromhex("0a08 0a021002 1a021003"))
    assert read.read(f"{tmp_path}/m.pb", f"{tmp_path}/m.proto").messages.messages == seen.messages.messages
    assert preview_sizes(seen.messages.messages, seen.schema, ["protobuf"])[0].per_message == (10,)


def test_a_required_message_of_its_own_type_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.proto").write_text('syntax = "proto2"; message M { required M m = 1; }')
    with pytest.raises(BadInput, match=r"m\.proto, at m: every M contains another, without end \(M -> M\)"):
        read.schema(f"{tmp_path}/m.proto")


def test_a_binary_message_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.proto").write_text('syntax = "proto3"; message M { M m = 1; }')
    nested = b""
    for _ in range(70):
        nested = b"\x0a" + (bytes([len(nested)]) if len(nested) < 128 else bytes([len(nested), 1])) + nested
    (tmp_path / "m.pb").write_bytes(nested)
    with pytest.raises(BadInput, match="message 1: nested deeper than 64 levels"):
        read.read(f"{tmp_path}/m.pb", f"{tmp_path}/m.proto")


def test_an_avro_type_that_names_itself_is_a_recursive_record(tmp_path: Path) -> None:
    node = {
        "type": "record",
        "name": "Node",
        "namespace": "x",
        "fields": [
            {"name": "n", "type": "int"},
            {"name": "next", "type": ["null", "Node"]},
            {"name": "all", "type": {"type": "array", "items": ["null", "int", "x.Node"]}},
        ],
    }
    (tmp_path / "m.avsc").write_text(json.dumps(node))
    message = {
        "n": 1,
        "next": {"x.Node": {"n": 2, "next": None, "all": []}},
        "all": [None, {"int": 3}, {"x.Node": {"n": 4, "next": None, "all": [{"int": 5}]}}],
    }
    seen = read.read(lines(tmp_path, message), f"{tmp_path}/m.avsc")
    assert recursive(seen.schema.records) == {"Node"}
    assert next(typed_messages(seen.messages, seen.schema)) == {
        "n": 1,
        "next": {"n": 2, "next": None, "all": []},
        "all": [None, 3, {"n": 4, "next": None, "all": [5]}],
    }


@pytest.mark.parametrize(
    "text",
    [
        {"title": "N", "properties": {"n": {"$ref": "#"}, "all": {"items": {"$ref": "#"}}}},
        {
            "$ref": "#/$defs/n",
            "$defs": {
                "n": {
                    "properties": {"n": {"$ref": "#/$defs/maybe"}, "all": {"items": {"$ref": "#/$defs/n"}}}
                },
                "maybe": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/n"}]},
            },
        },
    ],
)
def test_a_json_schema_that_refers_to_itself_is_a_recursive_record(tmp_path: Path, text: Any) -> None:
    (tmp_path / "m.json").write_text(json.dumps(text))
    message = {"n": {"n": {"all": []}}, "all": [{"all": [{}]}]}
    seen = read.read(lines(tmp_path, message), f"{tmp_path}/m.json")
    assert len(recursive(seen.schema.records)) == len(seen.schema.records) == 1
    assert list(typed_messages(seen.messages, seen.schema)) == [message]


def test_a_union_that_refers_to_itself_through_objects_is_read(tmp_path: Path) -> None:
    expression = {
        "oneOf": [
            {"type": "number"},
            {"title": "Sum", "required": ["sum"], "properties": {"sum": {"items": {"$ref": "#/$defs/e"}}}},
            {"title": "Minus", "required": ["minus"], "properties": {"minus": {"$ref": "#/$defs/e"}}},
        ]
    }
    (tmp_path / "m.json").write_text(json.dumps({"$ref": "#/$defs/e", "$defs": {"e": expression}}))
    message = {"sum": [1.5, {"minus": {"sum": [2.5]}}]}
    seen = read.read(lines(tmp_path, message, 3.5), f"{tmp_path}/m.json")
    assert [record.name for record in seen.schema.records] == ["Minus", "Sum"]
    assert list(typed_messages(seen.messages, seen.schema)) == [message, 3.5]


def test_a_codec_without_recursion_says_where_a_record_contains_itself() -> None:
    codec = CodecSpec("f", "l", "", "", ())
    reason = lacks_types(codec, load('root = "R"\n[record.R]\na = "list<R>?"\n'))
    assert reason == "wirelab has no recursive records for this codec: R contains itself at a[]"
    assert lacks_types(codec, load('root = "R"\n[record.R]\na = "bool"\n')) == ""


def test_three_levels_of_one_shape_are_a_recursive_record(tmp_path: Path) -> None:
    tree = {"name": "a", "size": 1, "children": [
        {"name": "b", "size": 7, "children": [{"name": "c", "children": []}, {"name": "d", "size": 3, "children": []}]},
        {"name": "e", "size": None, "children": []},
    ]}  # fmt: skip
    found = infer_with_notes(read_payload(lines(tmp_path, tree)))
    (record,) = found.schema.records
    assert [f"{one.key} {show_type(one.type)} {one.optional}" for one in record.fields] == [
        "name string False",
        "size int 1..7|null True",
        "children list<Payload> False",
    ]
    assert found.notes["Payload", "children"] == "nested in itself at 3 levels: a recursive record"
    assert list(typed_messages(read_payload(lines(tmp_path, tree)), found.schema)) == [tree]


@pytest.mark.parametrize(
    "inner",
    [
        {"n": 2},  # two levels
        {"n": 2, "next": {"n": 3, "other": True}},  # another key
        {"n": 2, "next": {"n": "3"}},  # another type
        {"n": 2, "next": {"n": 3, "next": {"n": 4, "next": {"x": 1}}}},  # another record inside
    ],
)
def test_levels_that_differ_stay_records_of_their_own(tmp_path: Path, inner: Any) -> None:
    found = infer_with_notes(read_payload(lines(tmp_path, {"n": 1, "next": inner})))
    assert not recursive(found.schema.records)


def test_levels_below_another_record_are_found(tmp_path: Path) -> None:
    chain = {"n": 1, "next": {"n": 2, "next": {"n": 3, "next": {"n": 4}}}}
    found = infer_with_notes(
        read_payload(lines(tmp_path, {"id": "x", "top": chain}, {"id": "y", "top": chain}))
    )
    assert [record.name for record in found.schema.records] == ["Top", "Payload"]
    assert load(dump(found.schema, found.notes)) == found.schema
    assert show_type(found.schema.record("Top").fields[0].type) == "int 1..4"


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schema=recursive_schemas(), data=st.data())
def test_any_recursive_schema_is_read_as_it_is_written_and_takes_its_values(
    schema: Schema, data: st.DataObject
) -> None:
    assert load(dump(schema)) == schema
    message = data.draw(values(schema.root, schema))
    (typed,) = typed_messages(Corpus((message,), b"", "m"), schema)
    assert typed == message or has_float32(schema)


def has_float32(schema: Schema) -> bool:
    kinds = [schema.root, *(field.type for record in schema.records for field in record.fields)]
    return any(isinstance(one, Float) and one.bits == 32 for kind in kinds for one in walk(kind))


@pytest.mark.matrix
@pytest.mark.parametrize("format_name", SUFFIXES)
@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(schema=recursive_schemas())
def test_any_recursive_schema_compiles(format_name: str, tmp_path: Path, schema: Schema) -> None:
    compile_schema(format_name, schema, tmp_path)
