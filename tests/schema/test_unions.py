"""Unions and tuples: what is one, how it is written, and the records that code is generated from."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirelab.model.errors import BadInput
from wirelab.model.schema import Bool, Field, Float, Int, List, Record, Ref, Schema, String, Timestamp, Tuple
from wirelab.schema.emitters import emit
from wirelab.schema.inference import infer
from wirelab.schema.losses import SELF_DESCRIBING, Traits, losses
from wirelab.schema.lowering import lowered, mixed_type
from wirelab.schema.payload import read
from wirelab.schema.text import load
from wirelab.schema.types import read_type, show_type
from wirelab.schema.unions import BadUnion, union


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("string|int 0..9", "int 0..9|string"),
        ("map<bool>|Point|list<bool>|tuple<bool, bool>|tuple<bool>|string|base64|timestamp|float|bool",
            "bool|float|timestamp|base64|string|tuple<bool>|tuple<bool, bool>|list<bool>|Point|map<bool>"),
        ("Zone|Point", "Zone|Point"),
        ("null|string", None),
        ("string|null|bool", "bool|string|null"),
        ("tuple<int 0..9|null, list<bool|string>>", "tuple<int 0..9|null, list<bool|string>>"),
    ],
)  # fmt: skip
def test_alternatives_are_put_in_one_order(given: str, written: str | None) -> None:
    if written is None:
        with pytest.raises(ValueError, match="there is no type 'null'"):
            read_type(given, ["Point", "Zone"])
        return
    assert show_type(read_type(given, ["Point", "Zone"])[0]) == written


@pytest.mark.parametrize(
    ("kinds", "why"),
    [
        ((Int(high=9), Float()), "a float takes whole numbers too: write float alone"),
        ((List(items=Bool()), List(items=String())), "two alternatives are lists, and no value tells which of them"),
        ((Tuple(items=(Bool(),)), Tuple(items=(String(),))), "two alternatives are tuples of one length"),
        ((Ref(name="A"), Ref(name="A")), "two alternatives are the same record"),
        ((String(),) * 1001, "a union has at most 1,000 alternatives"),
    ],
)  # fmt: skip
def test_alternatives_that_no_value_tells_apart_are_refused(kinds: tuple[String, ...], why: str) -> None:
    with pytest.raises(BadUnion) as caught:
        union(kinds)
    assert str(caught.value).startswith(why)


def test_unions_and_tuples_become_records_named_after_where_they_are() -> None:
    schema = load(
        'root = "Status"\n[record.Status]\nid = "int 0..9|string"\npair = "list<tuple<bool, timestamp>>?"'
    )
    assert lowered(schema) == Schema(
        Ref(name="Status"),
        (
            Record(
                "StatusId",
                (
                    Field("int_value", "int_value", Int(high=9)),
                    Field("string_value", "string_value", String()),
                ),
                "union",
            ),
            Record(
                "StatusPair",
                (Field("item_1", "item_1", Bool()), Field("item_2", "item_2", Timestamp())),
                "tuple",
            ),
            Record(
                "Status",
                (
                    Field("id", "id", Ref(name="StatusId")),
                    Field("pair", "pair", List(items=Ref(name="StatusPair")), optional=True),
                ),
            ),
        ),
    )
    assert mixed_type(lowered(schema)) == ""


def test_a_schema_without_them_stays_as_it_is() -> None:
    schema = load('root = "Status"\n[record.Status]\nid = "int 0..9|null"')
    assert lowered(schema) is schema


@pytest.mark.parametrize(
    ("name", "mixed"),
    [
        ("06-rtl433.jsonl", "int 209..11524|string at id"),
        ("07-ocpp-frames.jsonl", "tuple<int 3..3, string, N07OcppFrame>|tuple<int 2..2, string, string, "
            "N07OcppFrame2>|tuple<int 4..4, string, string, string, N07OcppFrame3> at $"),
        ("08-ngsi-offstreet-parking.json", 'tuple<string, Context> at ["@context"]'),
        ("08b-ngsi-without-context.json", ""),
        ("10-geojson-mixed.json", "int 1..1|string at features[].id"),
        ("22-opcua-samples.jsonl", "bool|int 105..105|string|list<float> at Value.Value"),
    ],
)  # fmt: skip
def test_real_messages_of_mixed_types_are_read(shared_data: Path, name: str, mixed: str) -> None:
    assert mixed_type(infer(read(shared_data / "field" / name))) == mixed


def test_losses_within_alternatives_and_items_are_named_with_their_path() -> None:
    schema = load(
        'root = "Status"\n[record.Status]\nid = "float32|list<float32>"\npair = "tuple<bool, int 0..18446744073709551615>"'
    )
    assert losses(schema, SELF_DESCRIBING) == (
        "float digits beyond 32 bits at id",
        "float digits beyond 32 bits at id[]",
    )
    assert losses(schema, Traits(carries_uint64=False))[-1] == "integers above 2^63-1 at pair[1]"


EMITTED = [
    ("protobuf", "message Message {\n  oneof value {\n    uint32 int_value = 1;\n    string string_value = 2;\n  }\n}"),
    ("avro", '[\n  "int",\n  "string"\n]'),
    ("thrift", "union MessageRecord {\n  1: i32 int_value;\n  2: string string_value;\n}"),
    ("capnp", "  union {\n    intValue @0 :UInt32;\n    stringValue @1 :Text;\n  }"),
    ("flatbuffers", "union MessageRecordValue { Uint32Value, StringValue }\n\ntable MessageRecord {\n  value: MessageRecordValue (required);\n}"),
    ("xdr", "switch (unsigned int alternative) {\ncase 0:\n    unsigned int int_value;\ncase 1:\n    string string_value<>;\n};"),
    ("jsonschema", '"anyOf": [\n    {\n      "type": "integer",\n      "minimum": 0,\n      "maximum": 9\n    },\n    {\n      "type": "string"\n    }\n  ]'),
]  # fmt: skip


@pytest.mark.parametrize(("format_name", "text"), EMITTED)
def test_a_union_is_written_as_the_language_has_it(format_name: str, text: str) -> None:
    assert text.replace("message Message ", "message MessageRecord ") in emit(
        load('root = "int 0..9|string"'), format_name
    )


def test_a_tuple_is_prefix_items_in_json_schema() -> None:
    text = emit(load('root = "tuple<bool, string>|null"'), "jsonschema")
    assert '"type": [\n    "array",\n    "null"\n  ],\n  "prefixItems": [' in text
    assert '"items": false,\n  "minItems": 2' in text


def test_alternatives_that_avro_cannot_tell_apart_are_refused() -> None:
    with pytest.raises(BadInput, match="two alternatives of MessageRecord are long in Avro"):
        emit(load('root = "timestamp|int 0..4294967295"'), "avro")
