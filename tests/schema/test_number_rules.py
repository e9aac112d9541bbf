"""Whole floats are kept or narrowed; integers in text, wide integers and ugly corpora are
unchanged.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from wirelab.codecs.preview import preview_sizes
from wirelab.model.errors import BadInput
from wirelab.model.schema import AnyType, Bool, Float, Int, List, Map, Ref, String
from wirelab.schema.check import check
from wirelab.schema.corpus import Corpus
from wirelab.schema.importers.read import read
from wirelab.schema.inference import infer
from wirelab.schema.numbers import ruled
from wirelab.schema.payload import normalised, parse


def column(narrow: bool, *values: Any) -> tuple[AnyType, list[Any]]:
    corpus = ruled(Corpus(tuple({"a": value} for value in values), b"", "m.jsonl"), narrow)
    found = infer(corpus)
    check(corpus, found)
    return found.records[-1].fields[0].type, [message["a"] for message in corpus.messages]


@pytest.mark.parametrize(
    ("values", "kept", "narrowed"),
    [
        ([5.0, -3.0], Float(), Int(low=-3, high=5)),
        ([5.0, 7], Float(), Int(low=5, high=7)),
        ([5.0, 0.5], Float(), Float()),
        ([-0.0, 1.0], Float(), Float()),
        ([2.0**63], Float(), Float()),
        ([[1.0], [[2.0]][0]], List(items=Float()), List(items=Int(low=1, high=2))),
        ([True], Bool(), Bool()),
        (["5.0"], String(), String()),
    ],
)
def test_whole_floats_are_kept_or_narrowed_field_by_field(
    values: list[Any], kept: AnyType, narrowed: AnyType
) -> None:
    assert column(False, *values) == (kept, values)
    assert column(True, *values)[0] == narrowed


def test_minus_zero_keeps_its_sign() -> None:
    (value,) = column(True, -0.0)[1]
    assert math.copysign(1, value) == -1


def test_a_narrowed_payload_takes_the_bytes_of_its_integers(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text('{"a": 5.0, "b": [1.0, 2.0]}')
    sizes = {}
    for narrow in (False, True):
        given = read(str(tmp_path / "m.json"), "", narrow)
        previews = preview_sizes(given.messages.messages, given.schema)
        sizes[narrow] = {one.format: one.per_message for one in previews}
    assert sizes[False]["json"] == (len('{"a":5.0,"b":[1.0,2.0]}'),)
    assert sizes[True]["json"] == (len('{"a":5,"b":[1,2]}'),)
    assert sizes[True]["msgpack"] == (len(bytes.fromhex("82a16105a162920102")),)
    assert sizes[True]["protobuf"] == (len(bytes.fromhex("080512020102")),)


def test_a_given_schema_with_integers_takes_whole_floats_once_they_are_narrowed(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text('{"a": 5.0}')
    (tmp_path / "m.toml").write_text('root = "R"\n[record.R]\na = "int"\n')
    kept = read(str(tmp_path / "m.json"), str(tmp_path / "m.toml"))
    with pytest.raises(BadInput, match="at a: the schema expects int, found float 5.0"):
        check(kept.messages, kept.schema)
    narrowed = read(str(tmp_path / "m.json"), str(tmp_path / "m.toml"), True)
    check(narrowed.messages, narrowed.schema)


UGLY: list[dict[str, Any]] = [
    {
        "first-name": "Zoë 日本 \U0001f600",
        "class": 1,
        "wide": 2**63,
        "as text": "9007199254740993",
        "nothing": None,
        "empty": [],
        "by id": {"10021": {"x": 1}, "10022": {"x": 2}, "10023": {"x": 3}},
        "nested": [[1], []],
        "flags": [True, False],
    },
    {
        "first-name": "",
        "class": -1,
        "wide": 2**64 - 1,
        "as text": "-1",
        "nothing": None,
        "empty": [],
        "by id": {},
        "flags": None,
    },
]


@pytest.mark.parametrize("narrow", [False, True])
def test_an_ugly_corpus_is_typed_and_comes_back_as_it_was(narrow: bool) -> None:
    text = "\n".join(map(json.dumps, UGLY)).encode()
    corpus = ruled(parse(text, "ugly.jsonl"), narrow)
    schema = infer(corpus)
    types = {field.key: (field.type, field.optional) for field in schema.record("Ugly").fields}
    assert types == {
        "first-name": (String(), False),
        "class": (Int(low=-1, high=1), False),
        "wide": (Int(low=2**63, high=2**64 - 1), False),
        "as text": (String(), False),
        "nothing": (String(nullable=True), False),
        "empty": (List(items=String()), False),
        "by id": (Map(values=Ref(name="ById")), False),
        "nested": (List(items=List(items=Int(low=1, high=1))), True),
        "flags": (List(items=Bool(), nullable=True), False),
    }
    assert [json.loads(line) for line in normalised(corpus, schema).splitlines()] == UGLY
