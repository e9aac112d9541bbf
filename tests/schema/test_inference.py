"""The schema of a corpus is inferred from all its messages."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirelab.model.errors import BadInput
from wirelab.model.schema import Any as AnyValue
from wirelab.model.schema import (
    AnyType,
    Bool,
    Decimal,
    Field,
    Float,
    Int,
    List,
    Map,
    Record,
    Ref,
    Schema,
    String,
)
from wirelab.schema.check import check
from wirelab.schema.corpus import Corpus
from wirelab.schema.inference import infer, infer_with_notes
from wirelab.schema.names import folded, is_field, is_record
from wirelab.schema.payload import normalised, parse, read
from wirelab.schema.types import show_type


def corpus(*messages: Any, name: str = "status.jsonl") -> Corpus:
    return Corpus(messages, b"", name, tuple(range(1, len(messages) + 1)))


def field(kind_of: Schema, key: str, record: str = "Status") -> Field:
    return next(field for field in kind_of.record(record).fields if field.key == key)


def column(*values: Any) -> AnyType:
    return field(infer(corpus(*({"a": value} for value in values))), "a").type


def note(*values: Any) -> str:
    return infer_with_notes(corpus(*({"a": value} for value in values))).notes.get(("Status", "a"), "")


def test_a_missing_key_is_optional_and_null_is_nullable() -> None:
    schema = infer(corpus({"a": 1, "b": None}, {"b": 2}))
    assert schema == Schema(
        Ref(name="Status"),
        (
            Record(
                "Status",
                (
                    Field("a", "a", Int(low=1, high=1), optional=True),
                    Field("b", "b", Int(low=2, high=2, nullable=True)),
                ),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([True, False], Bool()),
        ([3, -1, 7], Int(low=-1, high=7)),
        ([2**64 - 1, 0], Int(low=0, high=2**64 - 1)),
        ([1, 2.5], Float()),
        (["1", "2"], String()),
        ([None, None], String(nullable=True)),
        ([[]], List(items=String())),
        ([[1], [], [None, 5]], List(items=Int(low=1, high=5, nullable=True))),
        ([[[True]], [[]]], List(items=List(items=Bool()))),
        ([None, ["x"]], List(items=String(), nullable=True)),
    ],
)
def test_a_column_of_values_gives_its_type(values: list[Any], kind: AnyType) -> None:
    assert column(*values) == kind


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (["2024-02-29T01:02:03Z", "2024-02-29T01:02:03.120Z"], "or: timestamp"),
        (["2024-02-29T01:02:03+01:00"], "or: timestamp; some would come back with other digits or offset"),
        (["2024-02-30T01:02:03Z"], ""),
        ([["2024-02-29T01:02:03Z"], None], "or: list<timestamp>|null"),
        (["CiIKIAoUZXU=", "VGVtcGVyYXR1cmUgPSAwLjA="], "or: base64"),
        (["abcdefgh"], ""),
        ([1, 2.5], "ints and floats seen"),
        ([None], "only null seen"),
        ([[], []], "no item seen"),
    ],
)
def test_what_an_editor_should_know_is_noted(values: list[Any], text: str) -> None:
    assert note(*values) == text


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, "x"], "int 1..1|string"),
        (["x", 1, None, True], "bool|int 1..1|string|null"),
        ([1, 0.5, "x"], "float|string"),
        ([[7], 7], "int 7..7|list<int 7..7>"),
        ([{"at": 1}, [{"at": 2}]], "list<A>|A"),
        ([{}, []], "list<string>|A"),
        ([[1, None, "x"], [2]], "list<int 1..2|string|null>"),
        ([[[1], 2]], "tuple<list<int 1..1>, int 2..2>"),
        ([["id", 1.5], ["id2", 3.0]], "tuple<string, float>"),
        ([["id", None], [None, 3]], "tuple<string|null, int 3..3|null>"),
        ([["id", 1], ["id", 1, True]], "tuple<string, int 1..1>|tuple<string, int 1..1, bool>"),
        ([["id", 1], [2, "id"]], "list<int 1..2|string>"),
        ([["id", *range(15)]], "tuple<string, " + ", ".join(f"int {n}..{n}" for n in range(15)) + ">"),
        ([["id", *range(16)]], "list<int 0..15|string>"),
        ([["id", 1][:n] * n for n in range(1, 6)], "list<int 1..1|string>"),
        ([["id", 1], []], "list<int 1..1|string>"),
        ([[1, 2], [3, 4]], "list<int 1..4>"),
    ],
)
def test_values_of_several_kinds_are_a_union_and_lists_with_a_kind_by_position_a_tuple(
    values: list[Any], kind: str
) -> None:
    assert show_type(column(*values)) == kind


def test_frames_of_several_lengths_are_tuples_by_length() -> None:
    frames = [2, "id", "Boot", {"vendor": "V"}], [3, "id", {"status": "ok"}]
    schema = infer(corpus(*frames))
    assert (
        show_type(schema.root) == "tuple<int 3..3, string, Status>|tuple<int 2..2, string, string, Status2>"
    )
    check(corpus(*frames), schema)


def test_integers_that_no_float_holds_are_decimals_next_to_floats() -> None:
    assert column(2**53, 0.5) == Float()
    assert column(2**53 + 1, 0.5) == Decimal()


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1])
def test_integers_beyond_64_bits_are_decimals(value: int) -> None:
    assert column(value) == Decimal()
    assert column(-1, 2**63) == Decimal()
    assert column(value, "x") == AnyValue()


def test_what_a_float_makes_of_the_largest_integer_is_refused_with_its_path() -> None:
    why = r"at a: 18446744073709552000 is above 2\^64-1: a 64-bit float's rounding of it; write 1844"
    with pytest.raises(BadInput, match=why):
        column(2**64 - 1, 18446744073709552000)


@pytest.mark.parametrize(
    "keys",
    [
        ["1", "2", "30"],
        ["2024-01-01", "2024-01-02", "2024-01-03"],
        ["00e81100", "00e81101", "00e8aa02"],
        ["123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174001", "7" * 9],
    ],
)
def test_an_object_whose_keys_are_data_is_a_map(keys: list[str]) -> None:
    assert column({keys[0]: 1, keys[1]: 2}, {keys[2]: 3}) == Map(values=Int(low=1, high=3))


def test_many_keys_that_rarely_repeat_are_a_map_and_many_that_do_are_a_record() -> None:
    rare = [{f"station {chr(97 + i)}{chr(97 + j)}": {"x": i}} for i in range(8) for j in range(5)]
    assert column(*rare) == Map(values=Ref(name="A"))
    every = [{f"station {i}": 1 for i in range(40)}] * 3
    assert column(*every) == Ref(name="A")


def test_keys_that_look_like_data_with_values_of_several_kinds_are_a_record() -> None:
    assert column({"1": 1, "2": "x", "3": True}) == Ref(name="A")


def test_a_root_may_be_anything() -> None:
    assert infer(corpus("message001", "message002")) == Schema(String())
    assert infer(corpus([{"a": 1}], [])).root == List(items=Ref(name="Status"))
    assert infer(corpus(None, 3)).root == Int(low=3, high=3, nullable=True)


def test_equal_records_under_one_key_are_shared_and_their_ranges_joined() -> None:
    schema = infer(
        corpus({"front": {"status": {"bar": 3}}, "rear": {"status": {"bar": 5}}, "x": {"status": {"bar": 2}}})
    )
    assert [record.name for record in schema.records] == ["FrontStatus", "Front", "Rear", "X", "Status"]
    status = field(schema, "status", "Front").type
    assert status == field(schema, "status", "Rear").type
    assert isinstance(status, Ref)
    assert schema.record(status.name).fields == (Field("bar", "bar", Int(low=2, high=5)),)


def test_different_records_under_one_key_get_names_of_their_own() -> None:
    schema = infer(corpus({"a": {"id": {"x": 1}}, "b": {"id": {"y": 1}}}))
    assert [record.name for record in schema.records] == ["Id", "A", "BId", "B", "Status"]


def test_renamed_keys_are_legal_unique_and_reversible() -> None:
    keys = [
        "first-name",
        "firstName",
        "first_name",
        "class",
        "Class",
        "1st",
        "",
        "é",
        "日本",
        "a.b",
        "type",
        "union",
    ]
    fields = infer(corpus(dict.fromkeys(keys, 1))).record("Status").fields
    assert [field.key for field in fields] == keys
    assert [field.name for field in fields][:6] == [
        "first_name",
        "first_name_2",
        "first_name_3",
        "class_field",
        "class_field_2",
        "n_1_st",
    ]
    assert all(is_field(field.name) for field in fields)


def test_a_record_of_500_fields_in_2000_messages_takes_under_two_seconds() -> None:
    message = {f"field{i}": i if i % 2 else f"2024-02-29T01:02:{i % 60:02}Z" for i in range(500)}
    many = parse(b"\n".join([json.dumps(message).encode()] * 2000), "many.jsonl")
    start = time.process_time()
    schema = infer(many)
    assert time.process_time() - start < 2
    assert len(schema.record("Many").fields) == 500


def test_keys_without_number_are_refused_before_they_take_forever() -> None:
    with pytest.raises(BadInput, match=r"at a: more than 4,096 keys in one object.* calls the object a map"):
        column({"\u65e5" * (i + 1): 1 for i in range(4097)})


@pytest.mark.parametrize(
    "name",
    [
        "bmw-state-g01.json",
        "bmw-state-g26.json",
        "fms-vehicle-status.jsonl",
        "gtfs-vehiclepositions.json",
        "j2735-spat.json",
        "openweathermap.json",
        "openweatherroadrisk.json",
        "openxc-trace.jsonl",
        "ttn-uplink.json",
    ],
)
def test_real_payloads_fit_what_is_inferred_from_them_and_normalise_to_themselves(
    shared_data: Path, name: str
) -> None:
    real = read(shared_data / "payloads" / name)
    schema = infer(real)
    check(real, schema)
    assert parse(normalised(real, schema), "n.jsonl").messages == real.messages


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(JSON, min_size=1, max_size=4))
def test_any_corpus_gives_a_schema_it_fits_or_a_refusal(messages: list[Any]) -> None:
    try:
        schema = infer(corpus(*messages))
    except BadInput:
        return
    check(corpus(*messages), schema)
    assert infer(corpus(*messages)) == schema
    seen: set[str] = set()
    for record in schema.records:
        assert is_record(record.name)
        names = {folded(field.name) for field in record.fields}
        assert len(names) == len(record.fields)
        assert folded(record.name) not in seen
        seen.add(folded(record.name))
