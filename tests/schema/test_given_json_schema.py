"""JSON Schemas of all drafts give records, unions, tuples and maps; messages close what they leave
open.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from tests.schema.given_files import HOSTILE, checked, given, only, refusal, typed, types
from wirelab.model.errors import BadInput
from wirelab.schema.importers import read
from wirelab.schema.text import load


def field(folder: Path, schema: Any, *messages: Any) -> str:
    """The type of the one field `a` under a subschema."""
    text = json.dumps({"properties": {"a": schema}, "additionalProperties": False})
    return types(given(folder, "m.json", text, *(messages or ({},))), "M")["a"]


def test_a_json_schema_becomes_records_lists_maps_and_ranges(tmp_path: Path) -> None:
    text = only(
        tmp_path,
        "status.schema.json",
        json.dumps(
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "required": ["id", "mode"],
                "properties": {
                    "id": {"type": "integer", "minimum": 1, "exclusiveMaximum": 100},
                    "mode": {"enum": ["on", "off"]},
                    "created": {"type": "string", "format": "date-time"},
                    "note": {"type": ["string", "null"]},
                    "at": {"anyOf": [{"$ref": "#/$defs/position"}, {"type": "null"}]},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "byDay": {"type": "object", "additionalProperties": {"type": "number"}},
                },
                "additionalProperties": False,
                "$defs": {
                    "position": {
                        "type": "object",
                        "properties": {"first-part": {"type": "boolean"}},
                        "additionalProperties": False,
                    }
                },
            }
        ),
    )
    assert (
        text
        == """\
 = "Status"

[record.Status]
id = "int 1..99"
mode = "string"
created = "timestamp?"
note = "string|null?"
at = "Position|null?"
tags = "list<string>?"
byDay = "map<float>?"

[record.Position]
first-part = "bool?"
"""
    )


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"enum": ["x", 1, None]}, "int 1..1|string|null?"),
        ({"enum": [1.5, 2]}, "float?"),
        ({"type": "number", "enum": [1, 2]}, "float?"),
        ({"const": True}, "bool?"),
        ({"type": "string", "nullable": True}, "string|null?"),
        ({"nullable": True, "allOf": [{"type": "integer", "maximum": 9, "minimum": 0}]}, "int 0..9|null?"),
        ({"oneOf": [{"type": "null"}, {"const": 5}, {"type": "integer", "minimum": 7, "maximum": 9}]}, "int 5..9|null?"),
        ({"allOf": [{"type": "number"}, {"type": ["integer", "string"], "minimum": 0, "maximum": 3}]}, "int 0..3?"),
        ({"anyOf": [{"items": {"type": "string"}}, {"items": {"type": "boolean"}}]}, "list<bool|string>?"),
        ({"type": "string", "contentEncoding": "base64"}, "base64?"),
        ({"type": "string", "format": "byte"}, "base64?"),
        ({"minimum": 2}, "float?"),
        ({"pattern": "^a"}, "string?"),
        ({"prefixItems": [{"type": "string"}, {"type": "number"}], "items": False}, "tuple<string, float>?"),
        ({"prefixItems": [{"type": "string"}, {"type": "number"}], "items": False, "minItems": 1},
            "tuple<string>|tuple<string, float>?"),
        ({"prefixItems": [{"type": "string"}], "items": {"type": "number"}}, "list<float|string>?"),
        ({"type": "array", "items": [{"type": "string"}, {"type": "boolean"}], "additionalItems": False},
            "tuple<string, bool>?"),
        ({"patternProperties": {"^a": {"type": "string"}, "^b": {"type": "boolean"}}, "additionalProperties": False},
            "map<bool|string>?"),
        ({"properties": {"x": True}, "oneOf": [{"required": ["x"]}, {"not": {"required": ["x"]}}], "type": ["string"]},
            "string?"),
    ],
)  # fmt: skip
def test_keywords_of_a_json_schema_give_types(tmp_path: Path, schema: Any, kind: str) -> None:
    assert field(tmp_path, schema) == kind


def test_of_anyof_with_required_alone_the_siblings_count(tmp_path: Path) -> None:
    vehicle = {
        "type": "object",
        "properties": {
            "id": {"type": "string"}, "lat": {"type": "number"}, "station": {"type": "string"},
            "kit": {"type": "array", "items": {"enum": ["a", "b"]}},
        },
        "anyOf": [{"required": ["lat"], "not": {"required": ["station"]}}, {"required": ["station"]}],
        "required": ["id"],
    }  # fmt: skip
    text = json.dumps({"type": "array", "items": vehicle, "title": "vehicles"})
    found = given(tmp_path, "m.json", text, [{"id": "x", "lat": 1}, {"id": "y", "station": "z"}])
    kinds = {"id": "string", "lat": "float?", "station": "string?", "kit": "list<string>?"}
    assert types(found, "M") == kinds
    assert typed(found) == [[{"id": "x", "lat": 1.0}, {"id": "y", "station": "z"}]]


def test_the_public_schemas_of_gbfs_and_ocpp_take_their_messages(shared_data: Path) -> None:
    gbfs, ocpp = shared_data / "field" / "35-gbfs", shared_data / "field" / "37-ocpp201"
    found = read.read(f"{gbfs}/message.json", f"{gbfs}/vehicle_status.json")
    kinds = types(found, "Vehicle")
    assert [kinds[key] for key in ("lat", "lon", "station_id")] == ["float?", "float?", "string?"]
    assert kinds["vehicle_equipment"] == "list<string>?"
    assert len(typed(found)) == 1
    found = read.read(f"{ocpp}/messages.jsonl", f"{ocpp}/MeterValuesRequest.json")
    assert types(found, "CustomDataType") == {"vendorId": "string", "extra": "any?"}
    assert types(found, "MeterValueType")["timestamp"] == "string"
    assert typed(found)[0]["meterValue"][0]["sampledValue"][1] == {"value": 230.0}
    assert any("within ns since 1970 in 64 bits" in note for note in found.notes)


def test_branches_with_keys_of_their_own_are_a_union_of_records(tmp_path: Path) -> None:
    shape = {
        "type": "object",
        "properties": {"id": {"type": "integer", "minimum": 0, "maximum": 9}},
        "required": ["id"],
        "oneOf": [
            {
                "title": "disc",
                "properties": {"type": {"const": "disc"}, "r": {"type": "number"}},
                "required": ["r"],
            },
            {
                "title": "tile",
                "properties": {"type": {"const": "tile"}, "w": {"type": "number"}},
                "required": ["w"],
            },
        ],
    }
    found = given(
        tmp_path, "m.json", json.dumps({"properties": {"a": shape}}), {"a": {"id": 1, "w": 2.5}}, {}
    )
    assert types(found, "M") == {"a": "Disc|Tile?"}
    assert types(found, "Tile") == {"id": "int 0..9", "type": "string?", "w": "float"}
    assert typed(found) == [{"a": {"id": 1, "w": 2.5}}, {}]


def test_keys_of_conditions_may_be_absent(tmp_path: Path) -> None:
    text = json.dumps(
        {
            "properties": {"kind": {"type": "string"}},
            "if": {"properties": {"kind": {"const": "x"}}},
            "then": {"properties": {"kind": True, "x": {"type": "boolean"}}, "required": ["x"]},
            "dependentSchemas": {"kind": {"properties": {"y": {"type": "string"}}}},
        }
    )
    assert types(given(tmp_path, "m.json", text, {}), "M") == {
        "kind": "string?",
        "x": "bool?",
        "y": "string?",
    }


def test_references_lead_to_files_by_path_by_id_and_by_anchor(tmp_path: Path) -> None:
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "parts.json").write_text(
        json.dumps(
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "definitions": {
                    "place": {"properties": {"x": {"$ref": "#/definitions/metre", "type": "string"}}},
                    "metre": {"type": "number"},
                },
            }
        )
    )
    (tmp_path / "unit.json").write_text(
        json.dumps(
            {"$id": "https://example.org/schemas/si", "$defs": {"u": {"$anchor": "unit", "type": "boolean"}}}
        )
    )
    text = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://example.org/schemas/v1/message",
        "properties": {
            "near": {"$ref": "common/parts.json#/definitions/place"},
            "far": {"$ref": "https://example.org/schemas/v1/common/parts.json#/definitions/place"},
            "unit": {"$ref": "https://example.org/schemas/si#unit"},
        },
    }
    found = given(tmp_path, "m.json", json.dumps(text), {"near": {"x": 1}})
    assert types(found, "M") == {"near": "Place?", "far": "Place?", "unit": "bool?"}
    assert types(found, "Place") == {"x": "float?"}  # before 2019-09, siblings of $ref do not count


DRAFT = "json-schema.org/draft"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (
            {"$schema": f"http://{DRAFT}-04/schema#", "id": "http://x.org/root.json#",
                "properties": {"a": {"type": "integer", "minimum": 0, "exclusiveMinimum": True}, "b": {"$ref": "#of"}},
                "definitions": {"k": {"id": "#of", "type": "boolean"}}},
            {"a": "int 1..9223372036854775807?", "b": "bool?"},
        ),
        (
            {"$schema": f"http://{DRAFT}-06/schema", "$id": "urn:x:y", "properties": {"b": {"$ref": "#of"}},
                "definitions": {"k": {"$id": "#of", "type": "number"}}},
            {"b": "float?"},
        ),
        (
            {"$schema": f"https://{DRAFT}/2019-09/schema", "$id": "https://x.org/m", "$recursiveAnchor": True,
                "properties": {"below": {"items": {"$recursiveRef": "#"}}}},
            {"below": "list<M>?"},
        ),
        (
            {"$schema": f"https://{DRAFT}/2020-12/schema", "$id": "https://x.org/m", "$dynamicAnchor": "node",
                "properties": {"below": {"items": {"$dynamicRef": "#node"}}, "in": {"$ref": "/of#/$defs/a%20b"}},
                "$defs": {"of": {"$id": "/of", "$defs": {"a b": {"type": "boolean"}}}}},
            {"below": "list<M>?", "in": "bool?"},
        ),
    ],
)  # fmt: skip
def test_references_are_those_of_the_draft(tmp_path: Path, text: Any, kinds: dict[str, str]) -> None:
    assert types(given(tmp_path, "m.json", json.dumps(text), {}), "M") == kinds


def test_a_definition_is_named_behind_the_file_and_the_only_one_needs_no_name(tmp_path: Path) -> None:
    place = {"properties": {"x": {"type": "integer", "minimum": 0, "maximum": 1}}}
    (tmp_path / "m.schema").write_text(json.dumps({"definitions": {"Place": place}}))
    assert read.schema(f"{tmp_path}/m.schema").schema.records[0].name == "Place"
    openapi = {"openapi": "3.0.0", "components": {"schemas": {"Place": place, "Other": place}}}
    (tmp_path / "m.json").write_text(json.dumps(openapi))
    assert read.schema(f"{tmp_path}/m.json:Other").schema.records[0].name == "Other"
    with pytest.raises(BadInput, match=r"which definition is one message\? \(Place, Other\)"):
        read.schema(f"{tmp_path}/m.json")
    with pytest.raises(BadInput, match="m.json:Nowhere: there is no such definition"):
        read.schema(f"{tmp_path}/m.json:Nowhere")


def test_keys_that_a_schema_leaves_open_become_fields_where_messages_have_them(tmp_path: Path) -> None:
    text = {"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}}
    found = given(tmp_path, "m.json", json.dumps(text), {"a": "x"}, {"b-c": 5.0})
    assert types(found, "M") == {"a": "string?", "b-c": "int?"}
    assert typed(found) == [{"a": "x"}, {"b-c": 5}]
    assert "at M.b-c: the schema leaves this key open; it is int?" in found.notes


@pytest.mark.parametrize(
    ("schema", "messages", "kind"),
    [
        (True, [{}], "any?"),
        ({}, [{"a": {"x": 1}}, {"a": 5}], "any?"),
        ({"description": "x"}, [{"a": 5}, {"a": None}], "int|null?"),
        ({}, [{"a": 5}, {"a": 2**64}], "any?"),
        ({}, [{"a": 5}, {"a": 1.5}], "float?"),
        ({"type": "array"}, [{"a": [1, "x"]}], "list<any>?"),
        ({"type": "object"}, [{"a": {"b": {"c": 1}, "d": 2}}], "map<any>?"),
        ({"anyOf": [{"type": "string"}, {}]}, [{"a": []}], "any?"),
        ({"type": "integer", "maximum": 2**70}, [{"a": 2**65}], "decimal?"),
        (
            {"$ref": "#/$defs/json", "$defs": {}},
            [{"a": [[1, "x"], 5]}, {"a": "x"}],
            "float|string|list<any>?",
        ),
    ],
)
def test_free_values_are_any_unless_messages_use_one_kind(
    tmp_path: Path, schema: Any, messages: list[Any], kind: str
) -> None:
    json_value = {
        "anyOf": [{"type": ["string", "number"]}, {"type": "array", "items": {"$ref": "#/$defs/json"}}]
    }
    text = {"properties": {"a": schema}, "additionalProperties": False, "$defs": {"json": json_value}}
    assert types(given(tmp_path, "m.json", json.dumps(text), *messages), "M")["a"] == kind


def test_an_open_object_takes_further_keys_and_a_closed_one_refuses_them(tmp_path: Path) -> None:
    custom = {"type": "object", "properties": {"vendorId": {"type": "string"}}, "required": ["vendorId"]}
    text = {"properties": {"custom": custom}, "additionalProperties": False}
    message = {"custom": {"vendorId": "x", "extra": {"a": 1}, "n": 2}}
    found = given(tmp_path, "m.json", json.dumps(text), message)
    assert types(found, "Custom") == {"vendorId": "string", "extra": "any?", "n": "int?"}
    assert typed(found) == [message]
    assert "at Custom.extra: the schema leaves this key open; it is any?" in found.notes
    refused = refusal(tmp_path, "m.json", json.dumps(text), {"other": 1})
    assert "at other: the schema expects no such key in M" in refused


def test_times_beyond_64_bits_of_ns_are_strings_and_whole_floats_integers(tmp_path: Path) -> None:
    text = {"properties": {"at": {"type": "string", "format": "date-time"}, "n": {"type": "integer"}}}
    messages = {"at": "0001-01-01T00:00:00Z", "n": 12.0}, {"at": "2023-11-07T10:00:00Z", "n": 3}
    found = given(tmp_path, "m.json", json.dumps(text), *messages)
    assert types(found, "M") == {"at": "string?", "n": "int?"}
    assert typed(found)[0] == {"at": "0001-01-01T00:00:00Z", "n": 12}
    assert found.notes[1:] == (
        'at M.at: "0001-01-01T00:00:00Z" is not an RFC 3339 time within ns since 1970 in 64 bits, so this is a string',
        "whole floats are integers where the schema says so",
    )


EITHER = {"properties": {"a": {"type": ["string", "integer", "null"]}, "b": {"items": {"oneOf": [
    {"$ref": "#/$defs/place"}, {"type": "number"}]}}}, "$defs": {"place": {"properties": {"x": {"type": "integer"}}}}}  # fmt: skip


def test_of_a_union_in_a_json_schema_the_one_type_that_messages_use_is_taken_and_noted(
    tmp_path: Path,
) -> None:
    found = given(tmp_path, "m.json", json.dumps(EITHER), {"a": 1, "b": [{"x": 1}]}, {"a": None, "b": []})
    assert types(found, "M") == {"a": "int|null?", "b": "list<Place>?"}
    assert tuple(note for note in found.notes if note.startswith("at ")) == (
        "at M.a: of int|string|null the messages use int only, so that is the type",
        "at M.b[]: of float|Place the messages use Place only, so that is the type",
    )


@pytest.mark.parametrize(
    ("schema", "messages", "kinds"),
    [
        (EITHER, [{"a": 1, "b": []}, {"a": "x"}], ["int|string|null?", "list<float|Place>?"]),
        (EITHER, [{"a": None}], ["int|string|null?", "list<float|Place>?"]),
        ({"properties": {"a": {"type": ["integer", "number", "boolean"]}}}, [{"a": 1}, {"a": True}], ["bool|float?"]),
        ({"properties": {"a": {"anyOf": [{"properties": {"x": {"type": "string"}}}, {"properties": {"y": {
            "type": "string"}}}]}}}, [{"a": {"x": "1"}}], ["A|A2?"]),
    ],
)  # fmt: skip
def test_a_union_in_a_json_schema_is_a_union(
    tmp_path: Path, schema: Any, messages: list[Any], kinds: list[str]
) -> None:
    found = given(tmp_path, "m.json", json.dumps(schema), *messages)
    assert list(types(found, "M").values()) == kinds


def test_an_address_that_no_file_answers_is_any_value_and_named(tmp_path: Path) -> None:
    schema = {
        "allOf": [
            {"$ref": "http://x/common.json#/definitions/id"},
            {"properties": {"a": {"type": "integer"}}},
        ]
    }
    found = given(tmp_path, "m.json", json.dumps(schema), {"a": 1, "id": "x"})
    assert types(found, "M") == {"a": "int?", "id": "string?"}
    note = (
        "http://x/common.json is not downloaded: what it says is any value; put its file next to the schema"
    )
    assert note in found.notes
    (tmp_path / "common.json").write_text(
        json.dumps({"definitions": {"id": {"properties": {"id": {"type": "integer"}}}}})
    )
    assert "at id: the schema expects int" in refusal(
        tmp_path, "m.json", json.dumps(schema), {"a": 1, "id": "x"}
    )


LETTER = "the messages fit the JSON Schema by the letter only: where it names no `type`, any type is allowed"


@pytest.mark.parametrize(
    ("schema", "value", "kind"),
    [
        ({"properties": {"x": {"type": "integer"}}, "additionalProperties": False}, "on", "string|null?"),
        ({"type": "array", "items": [{"type": "string"}]}, ["gfm", {"strict": True}], "list<any>?"),
        ({"minLength": 1}, 5, "float|null?"),
    ],
)
def test_messages_may_fit_a_json_schema_by_the_letter_only(
    tmp_path: Path, schema: Any, value: Any, kind: str
) -> None:
    schema = {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": schema}}
    found = given(tmp_path, "m.json", json.dumps(schema), {"a": value})
    assert types(found, "M") == {"a": kind}
    assert LETTER in found.notes
    typed(found)


def test_a_key_of_several_conditions_has_the_types_of_all(tmp_path: Path) -> None:
    some = [
        {"if": {"properties": {"op": {"const": op}}}, "then": {"properties": {"of": {"type": kind}}}}
        for op, kind in (("copy", "string"), ("count", "integer"))
    ]
    schema = {"properties": {"op": {"type": "string"}}, "allOf": some}
    found = given(tmp_path, "m.json", json.dumps(schema), {"op": "copy", "of": "x"}, {"op": "count", "of": 2})
    assert types(found, "M") == {"op": "string?", "of": "int|string?"}


def test_a_place_that_no_value_fits_is_any_value_and_noted(tmp_path: Path) -> None:
    schema = {"properties": {"a": {"items": {"allOf": [{"type": "string"}, {"type": "array"}]}}}}
    found = given(tmp_path, "m.json", json.dumps(schema), {"a": []})
    assert types(found, "M") == {"a": "list<any>?"}
    assert "what no value fits is any value" in found.notes


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ({"properties": {"a": {"$ref": "y.json"}}}, "at a: the reference y.json leads nowhere"),
        ({"properties": {"a": {"$ref": "#/a/b"}}}, "at a: the reference #/a/b leads nowhere"),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, "at a: a reference that leads to itself"),
        (
            {"allOf": [{"$ref": "#"}], "type": "object"},
            "at $: combined deeper than 64 levels, or with itself",
        ),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "at $: no value fits all of it"),
        (
            {"allOf": [{"anyOf": [{"const": str(at)} for at in range(40)]}] * 2},
            "more than 1,000 alternatives",
        ),
        ([5], "at $: no JSON Schema"),
    ],
)
def test_parts_of_a_json_schema_without_a_type_are_refused_by_path(
    tmp_path: Path, text: Any, complaint: str
) -> None:
    assert complaint in refusal(tmp_path, "m.json", json.dumps(text), {})


def test_many_records_that_use_each_other_are_not_too_deep(tmp_path: Path) -> None:
    parts = {
        f"P{at}": {
            "properties": {
                "a": {"$ref": f"#/$defs/P{(at + 1) % 500}"},
                "b": {"$ref": f"#/$defs/P{at * 7 % 500}"},
            }
        }
        for at in range(500)
    }
    found = given(
        tmp_path, "m.json", json.dumps({"$ref": "#/$defs/P0", "$defs": parts}), {"a": {"b": {"a": {}}}}
    )
    assert len(found.schema.records) == 500


def test_a_thousand_alternatives_and_a_broken_file_end_soon(tmp_path: Path) -> None:
    branches = [{"properties": {f"k{at}": {"type": "string"}}, "required": [f"k{at}"]} for at in range(1000)]
    start = time.monotonic()
    found = given(tmp_path, "m.json", json.dumps({"anyOf": branches}), {"k999": "x"})
    assert typed(found) == [{"k999": "x"}]
    assert time.monotonic() - start < 10
    (tmp_path / "b.json").write_text("{")
    assert "b.json: line 1" in refusal(tmp_path, "m.json", '{"$ref": "b.json"}', {})


def test_our_own_json_schema_and_avro_schema_read_back(tmp_path: Path) -> None:
    from wirelab.schema.emitters import emit

    ours = load('root = "R"\n[record.R]\na = "int 0..9"\n"b-c" = "list<P|null>"\n[record.P]\nx = "float"\n')
    (tmp_path / "r.schema.json").write_text(emit(ours, "jsonschema"))
    back = read.schema(str(tmp_path / "r.schema.json")).schema
    assert [record.fields for record in back.records] == [record.fields for record in ours.records]
    (tmp_path / "r.avsc").write_text(emit(ours, "avro"))
    assert [f.key for f in read.schema(str(tmp_path / "r.avsc")).schema.record("R").fields] == ["a", "b-c"]


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@drawn(text=HOSTILE, message=HOSTILE)
def test_any_json_is_a_json_schema_or_refused(tmp_path: Path, text: Any, message: Any) -> None:
    try:
        checked(tmp_path, "m.json", json.dumps(text), message)
    except BadInput:
        return


KEYS = st.sampled_from(["a", "b", "c"])
TYPED: st.SearchStrategy[Any] = st.deferred(
    lambda: (
        st.sampled_from(
            [
                {"type": "string"},
                {"type": "integer"},
                {"type": "number"},
                {"type": "boolean"},
                {"type": "null"},
            ]
        )
        | st.just({"type": ["integer", "string", "null"]})
        | st.builds(lambda items: {"type": "array", "items": items}, TYPED)
        | OBJECTS
        | st.builds(lambda some: {"anyOf": some}, st.lists(TYPED, min_size=1, max_size=3))
        | st.builds(lambda some: {"allOf": some}, st.lists(OBJECTS, min_size=1, max_size=2))
    )
)
OBJECTS = st.builds(
    lambda known, needed, free: {
        "type": "object",
        "properties": known,
        "required": [key for key in needed if key in known],
        "additionalProperties": free,
    },
    st.dictionaries(KEYS, TYPED, max_size=3),
    st.lists(KEYS, max_size=2, unique=True),
    st.just(True) | TYPED,
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["x", 0.5, 2.0]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@drawn(schema=TYPED, values=st.lists(VALUES, min_size=8, max_size=20))
def test_messages_that_a_validator_accepts_fit_the_schema_that_is_read(
    tmp_path: Path, schema: Any, values: list[Any]
) -> None:
    validator = jsonschema.Draft202012Validator(schema)
    accepted = [value for value in values if validator.is_valid(value)]
    if accepted:
        try:
            checked(tmp_path, "m.json", json.dumps(schema), *accepted)
        except BadInput as error:
            assert error.why == "no value fits all of it"  # noqa: PT017
