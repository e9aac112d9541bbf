"""A schema is a file that people edit: it comes back as it was, and its faults are named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.schema.schema_strategies import schemas
from wirelab.model.errors import BadInput
from wirelab.model.schema import Field, Float, Int, List, Map, Record, Ref, Schema, String
from wirelab.schema.text import dump, load, read

TEXT = """\
root = "Status|null"
[record.Status]
vin = "string"
odometer = "int 0..54054555"
count = "int"
position = "Position?"      # may be absent
note = "string|null"
"first-name" = "string"
"last.name" = "string|null? as family_name"
by_day = "map< list<int -1..9|null> >"
[record.Position]
latitude = "float"
altitude = "float32"
"""


def refusal(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        load(text, "s.toml")
    assert caught.value.next_step
    return caught.value.sentence


def test_a_schema_is_read_as_it_is_written() -> None:
    position = Record(
        "Position", (Field("latitude", "latitude", Float()), Field("altitude", "altitude", Float(bits=32)))
    )
    status = Record(
        "Status",
        (
            Field("vin", "vin", String()),
            Field("odometer", "odometer", Int(low=0, high=54054555)),
            Field("count", "count", Int(low=-(2**63), high=2**63 - 1)),
            Field("position", "position", Ref(name="Position"), optional=True),
            Field("note", "note", String(nullable=True)),
            Field("first-name", "first_name", String()),
            Field("last.name", "family_name", String(nullable=True), optional=True),
            Field("by_day", "by_day", Map(values=List(items=Int(low=-1, high=9, nullable=True)))),
        ),
    )
    assert load(TEXT) == Schema(Ref(name="Status", nullable=True), (position, status))


def test_a_schema_is_written_with_its_notes() -> None:
    schema = Schema(Ref(name="R"), (Record("R", (Field("a b", "c", List(items=String()), True),)),))
    lines = dump(schema, {("R", "a b"): "or: list<timestamp>?"}).splitlines()
    assert lines[-3:] == ["", "[record.R]", '"a b" = "list<string>? as c"             # or: list<timestamp>?']


@given(schemas())
def test_any_schema_comes_back_as_it_was(schema: Schema) -> None:
    assert load(dump(schema)) == schema


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            'vin = "string"',
            'vin = "strin"',
            "s.toml, line 3, record Status, 'vin': there is no type 'strin'; did you",
        ),
        (
            '"Position?"',
            '"Positon?"',
            "line 6, record Status, 'position': there is no type 'Positon'; did you mean 'Po",
        ),
        ("int 0..54054555", "int 9..0", "line 4, record Status, 'odometer': the range 9..0 is reversed"),
        ("int 0..54054555", "int -1..9223372036854775808", "no 64-bit integer holds"),
        ("int 0..54054555", "int 0.9", "'..' is missing in 'int 0.9'"),
        ('"float"', '"float" x', "not TOML"),
        ('"float"', "3", "line 12, record Position, 'latitude': must be a type in quotes"),
        ('"float"', '"list<float"', "'>' is missing in 'list<float'"),
        (
            '"float32"',
            '"float32 as latitude"',
            "line 13, record Position, 'altitude': the name 'latitude' is taken",
        ),
        ('"float"', '"float as class"', "'class' is not a name every format takes"),
        (
            '"last.name"',
            "last.name",
            "line 9, record Status, 'last': must be a type in quotes; write keys that hold dots",
        ),
        ("[record.Position]", "[record.position]", "record position: not a name every format takes"),
        (
            'root = "Status|null"',
            'rot = "Status"',
            "s.toml, line 1, 'rot': unknown key; did you mean 'root'?",
        ),
        ('root = "Status|null"', "", 's.toml: it has no root; write root = "TYPE" at the top'),
        ('root = "Status|null"', 'root = "Status?"', "a whole message cannot be absent"),
        ("[record.Position]", "[record.STATUS]\n[record.Position]", "two records differ only in case"),
    ],
)
def test_a_fault_is_named_with_its_line_and_a_way_out(old: str, new: str, sentence: str) -> None:
    assert old in TEXT
    assert sentence in refusal(TEXT.replace(old, new))


def test_records_nested_without_end_are_refused() -> None:
    chain = "".join(f'[record.R{i}]\na = "R{i + 1}"\n' for i in range(2000))
    assert "nested deeper than 64 levels" in refusal(f'root = "R0"\n{chain}[record.R2000]\n')


def test_fields_without_number_are_refused_before_they_take_forever() -> None:
    fields = "".join(f'"{"-" * (i + 1)}" = "bool"\n' for i in range(4097))
    assert "more than 4,096 records, or fields in one" in refusal(f'root = "R"\n[record.R]\n{fields}')


def test_types_and_toml_nested_without_end_are_refused() -> None:
    assert "nested deeper" in refusal(f'root = "{"list<" * 5000}bool{">" * 5000}"')
    assert "not TOML" in refusal("root = " + "[" * 100_000)


def test_a_file_that_is_missing_huge_or_not_text_is_refused(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BadInput, match="cannot be read: No such file"):
        read(tmp_path / "absent.toml")
    (tmp_path / "s.toml").write_bytes(b'root = "\xff"')
    with pytest.raises(BadInput, match="byte 8 is not UTF-8"):
        read(tmp_path / "s.toml")


@given(st.text(max_size=80) | st.text('record."=[]<>|?ABab. \nlistmapint0-9#', max_size=80))
def test_arbitrary_text_gives_a_schema_or_a_refusal(text: str) -> None:
    for candidate in (text, f'root = "R"\n[record.R]\n{text}', f'root = "{text}"'):
        try:
            assert load(dump(load(candidate))) == load(candidate)
        except BadInput:
            continue
