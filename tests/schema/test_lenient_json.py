"""`--lenient` reads common text that is not JSON, and says what it read."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirelab.model.errors import BadInput
from wirelab.schema.inputs.options import InputOptions
from wirelab.schema.json_diagnostics import find_problem
from wirelab.schema.json_reader import Suspect
from wirelab.schema.lenient_json import LenientReader
from wirelab.schema.payload import parse

LENIENT = InputOptions(lenient=True)


@pytest.mark.parametrize(
    ("data", "messages", "note"),
    [
        (
            b'{"u":[-inf,+Infinity,inf]}',
            ({"u": [-math.inf, math.inf, math.inf]},),
            "nan or inf read as these numbers: 3",
        ),
        (b'{"s":idle,"v":-3}', ({"s": "idle", "v": -3},), "bare words read as text: 1"),
        (b'{"a":[1,2,],}', ({"a": [1, 2]},), "commas without a following value left out: 2"),
        (b'{"a":1},\n{"a":2},\n', ({"a": 1}, {"a": 2}), "commas without a following value left out: 2"),
        (b'{"a":1,"a":[2]}', ({"a": [2]},), "duplicate keys: the last one counts: 1"),
        (
            b'{"a":True,"b":None}',
            ({"a": True, "b": None},),
            "True, False or None read as true, false or null: 2",
        ),
        (
            b'ON\n{"a":1}\nsensor 3 is off\n',
            ("ON", {"a": 1}, "sensor 3 is off"),
            "bare words read as text: 2",
        ),
    ],
)
def test_text_that_is_not_json_is_read_with_a_note(
    data: bytes, messages: tuple[object, ...], note: str
) -> None:
    corpus = parse(data, "p.txt", LENIENT)
    assert (corpus.messages, corpus.notes) == (messages, (f"{note} times (--lenient)",))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"x":nan}', "leave the key out or write null, or give --lenient"),
        (b'{"x":on}', 'write text in double quotes: "on", or give --lenient'),
        (b'{"x":1,"x":2}', "keep one of the two, or give --lenient"),
        (b'{"x":[1,]}', "a comma is before ']'; leave it out, or give --lenient"),
        (b'{"x":1,}', "a comma is before '}'; leave it out, or give --lenient"),
        (b'{"x":1},', "a comma follows the message; leave it out, or give --lenient"),
    ],
)
def test_the_refusal_names_the_flag(data: bytes, why: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse(data, "p.json")
    assert why in caught.value.sentence


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b'{"a":nan,"b":01}', 'line 1, at b: expected a value, found "01}"; correct the JSON'),
        (b'{"a":nan,"b":"', "line 1, at b: the text ends inside a string"),
        (b'{"a":1,,}', 'line 1, at $: expected a key in double quotes, found ",}"'),
        (b"+5", 'line 1, at $: expected a value, found "+5"'),
    ],
)
def test_what_lenient_does_not_read_is_refused_with_its_place(data: bytes, sentence: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse(data, "p.json", LENIENT)
    assert caught.value.sentence.startswith(f"p.json, {sentence}")


def test_a_file_that_is_not_utf_8_is_decoded_as_windows_1252() -> None:
    corpus = parse(b'{"unit":"\xb0C"}', "p.json", LENIENT)
    assert (corpus.messages, corpus.notes) == (
        ({"unit": "°C"},),
        ("not UTF-8: decoded as Windows-1252 (--lenient)",),
    )
    with pytest.raises(BadInput, match="0xb0\\) is not UTF-8.*or give --lenient"):
        parse(b'{"unit":"\xb0C"}', "p.json")


def test_plain_json_has_no_note() -> None:
    assert parse(b'{"a":1}\n{"a":-0.5}\n', "p.jsonl", LENIENT).notes == ()


@given(st.text('[]{}",:\\012.eE+-nanOFtrue \n\t\x01', max_size=40))
def test_a_problem_is_found_where_and_only_where_the_lenient_reader_refuses(tail: str) -> None:
    text = "[" + tail
    try:
        LenientReader().whole(text)
        fine = True
    except Suspect:
        fine = False
    assert (find_problem(text, lenient=True) is None) == fine


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    )
)
def test_json_is_read_as_it_is(value: object) -> None:
    reader = LenientReader()
    assert reader.whole(json.dumps(value)) == value
    assert reader.notes() == ()
