"""A corpus that contradicts its schema is refused with message, path, expected and found."""

from __future__ import annotations

import contextlib
import json
import struct
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.schema.schema_strategies import schemas, values
from wirelab.model.errors import BadInput
from wirelab.model.schema import Float, Schema
from wirelab.schema.check import check, typed_messages
from wirelab.schema.corpus import Corpus
from wirelab.schema.payload import normalised, parse
from wirelab.schema.text import load

SCHEMA = load("""\
root = "Status"
[record.Status]
id = "int 0..9"
trips = "list<Trip|null>?"
by_day = "map<bool>?"
[record.Trip]
end = "timestamp"
token = "base64?"
speed = "float32?"
""")


def corpus(*messages: Any) -> Corpus:
    return parse(b"".join(json.dumps(message).encode() + b"\n" for message in messages), "p.jsonl")


def refusal(message: Any, schema: Schema = SCHEMA) -> str:
    with pytest.raises(BadInput) as caught:
        check(corpus({"id": 1}, message), schema)
    assert caught.value.exit_code == 3
    return caught.value.sentence


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ({"id": 10}, "at id: the schema expects int 0..9, found int 10"),
        ({"id": 1.0}, "at id: the schema expects int 0..9, found float 1.0"),
        ({"id": True}, "at id: the schema expects int 0..9, found bool true"),
        ({}, "at id: the schema expects int 0..9, found no such key"),
        ({"id": None}, "at id: the schema expects int 0..9, found null"),
        ({"id": 1, "ID": 2}, "at ID: the schema expects no such key in Status, found one"),
        ({"id": 1, "trips": None}, "at trips: the schema expects a list, found null"),
        ({"id": 1, "trips": [None, 3]}, "at trips[1]: the schema expects an object (Trip), found int 3"),
        (
            {"id": 1, "trips": [{"end": "x"}]},
            'at trips[0].end: the schema expects timestamp, found string "x"',
        ),
        (
            {"id": 1, "trips": [{"end": "2024-01-01T00:00:00Z", "token": "AA"}]},
            'at trips[0].token: the schema expects base64, found string "AA"',
        ),
        (
            {"id": 1, "trips": [{"end": "2024-01-01T00:00:00Z", "speed": 1e39}]},
            "at trips[0].speed: the schema expects float32, found float 1e+39, which is too large for it",
        ),
        ({"id": 1, "by_day": {"a b": 0}}, 'at by_day["a b"]: the schema expects bool, found int 0'),
        ([], "at $: the schema expects an object (Status), found list []"),
    ],
)
def test_a_contradiction_is_named(message: Any, sentence: str) -> None:
    assert refusal(message).startswith(f"p.jsonl, line 2 (message 2), {sentence}; ")


def test_a_number_too_large_for_a_float_is_a_contradiction() -> None:
    with pytest.raises(BadInput, match="expects float32"):
        check(corpus(2**200), Schema(Float(bits=32)))


def test_integers_beyond_64_bits_fit_a_schema_that_calls_them_float() -> None:
    assert list(typed_messages(corpus(2**70), Schema(Float()))) == [1180591620717411303424.0]


@settings(deadline=None)
@given(st.data())
def test_messages_that_fit_a_schema_normalise_to_themselves(data: st.DataObject) -> None:
    schema = data.draw(schemas())
    message = data.draw(values(schema.root, schema))
    lines = normalised(corpus(message), schema)
    assert parse(lines, "n.jsonl").messages == (message,)
    assert normalised(parse(lines, "n.jsonl"), schema) == lines


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_a_32_bit_float_is_written_with_the_digits_it_needs(value: float) -> None:
    (typed,) = typed_messages(Corpus((value,), b""), Schema(Float(bits=32)))
    assert struct.pack("<f", typed) == struct.pack("<f", value)
    assert digits(typed) <= digits(value)


def digits(value: float) -> int:
    """How many digits its shortest decimal has, zeros at either end left out."""
    return len(Decimal(repr(value)).normalize().as_tuple().digits)


def test_0_1_as_a_32_bit_float_is_written_0_1() -> None:
    (typed,) = typed_messages(Corpus((0.10000000149011612,), b""), Schema(Float(bits=32)))
    assert repr(typed) == "0.1"


@given(schemas(), st.recursive(st.none() | st.integers() | st.text(), st.lists))
def test_any_message_fits_or_is_refused(schema: Schema, message: Any) -> None:
    with contextlib.suppress(BadInput):
        check(Corpus((message,), b""), schema)
