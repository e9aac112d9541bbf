"""`any` and `decimal`: their text, their check, their place in unions and emitted schemas."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from wirelab.codecs.codec_spec import CodecSpec, lacks_types
from wirelab.model import schema as model
from wirelab.model.errors import BadInput
from wirelab.model.schema import Decimal, Int, List, Schema, String
from wirelab.schema.check import check
from wirelab.schema.emitters import SUFFIXES, emit
from wirelab.schema.payload import parse
from wirelab.schema.text import dump, load
from wirelab.schema.types import read_type, show_type
from wirelab.schema.unions import BadUnion, union

SCHEMA = load("""
root = "Order"
[record.Order]
extra = "any"
amount = "decimal?"
rest = "list<any>"
prices = "map<decimal|null>?"
""")


def test_the_text_of_a_schema_with_any_and_decimal_is_read_back() -> None:
    assert load(dump(SCHEMA)) == SCHEMA
    assert show_type(List(items=model.Any())) == "list<any>"


def test_null_is_a_value_of_any_already() -> None:
    assert read_type("any|null", ()) == (model.Any(), False)
    assert replace(model.Any(), nullable=True) == model.Any()


def test_any_takes_every_other_alternative_of_a_union() -> None:
    assert union([Int(high=9), model.Any(), String()]) == model.Any()


def test_a_union_has_no_decimal() -> None:
    with pytest.raises(BadUnion, match="write any, or decimal alone"):
        union([Decimal(), String()])


def test_messages_with_any_values_and_numbers_of_any_size_fit() -> None:
    data = b"""
        {"extra": {"a": [1, null]}, "amount": 1.00, "rest": [null, "x", []]}
        {"extra": null, "amount": 36893488147419103232, "rest": [], "prices": {"a": 1E-7, "b": null}}
    """
    check(parse(data), SCHEMA)


def test_text_is_no_decimal() -> None:
    with pytest.raises(BadInput, match=r'amount: the schema expects decimal, found string "1.00"'):
        check(parse(b'{"extra": 1, "amount": "1.00", "rest": []}'), SCHEMA)
    with pytest.raises(BadInput, match=r"amount: the schema expects decimal, found bool true"):
        check(parse(b'{"extra": 1, "amount": true, "rest": []}'), SCHEMA)


def test_emitted_schemas_say_what_their_text_stands_for() -> None:
    written = emit(SCHEMA, "protobuf")
    assert "string extra = 1;  // any value, as JSON text" in written
    assert "optional string amount = 2;  // a number as text" in written
    assert "repeated string rest = 3;  // any value, as JSON text" in written


@pytest.mark.parametrize("name", SUFFIXES)
def test_every_schema_language_has_the_types(name: str) -> None:
    assert "extra" in emit(SCHEMA, name)


def test_a_codec_without_the_types_is_left_out_with_the_place() -> None:
    codec = CodecSpec("json", "some-library", "", "", ())
    assert lacks_types(codec, SCHEMA) == "wirelab has no any and decimal for this codec: any at extra"
    within = Schema(List(items=Decimal()))
    assert lacks_types(codec, within) == "wirelab has no any and decimal for this codec: decimal at []"
    assert lacks_types(replace(codec, free_types=True), SCHEMA) == ""
