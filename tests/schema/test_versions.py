"""Two versions of a schema are aligned as developers write them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wirelab.schema.projection import projected
from wirelab.schema.text import dump, load
from wirelab.schema.versions import Versions, align, only_in

OLD = 'root = "Status"\n[record.Status]\nid = "int"\nnote = "string"\nspeed = "int 0..200"\n'


def aligned(old: str, new: str, equal_ranges: bool = False) -> Versions:
    return align(load(old), load(new), equal_ranges)


def fields(versions: Versions) -> list[tuple[str, int]]:
    return [(field.key, field.number) for field in versions.new.records[-1].fields]


def test_new_fields_are_appended_whatever_their_place_in_the_file() -> None:
    new = 'root = "S"\n[record.S]\nbattery = "int"\nspeed = "int 0..200"\nnote = "string"\nid = "int"\n'
    found = aligned(OLD, new)
    assert fields(found) == [("id", 0), ("note", 0), ("speed", 0), ("battery", 0)]
    assert found.new.records[0].name == "Status"
    assert found.changes == ("Status.battery added: int",)


def test_the_number_of_a_removed_field_stays_unused() -> None:
    new = 'root = "S"\n[record.S]\nid = "int"\nspeed = "int 0..200"\nbattery = "int"\n'
    found = aligned(OLD, new)
    assert fields(found) == [("id", 1), ("speed", 3), ("battery", 4)]
    assert found.changes == ("Status.battery added: int", "Status.note removed: string")


def test_a_padded_schema_keeps_a_removed_field_as_optional() -> None:
    new = 'root = "S"\n[record.S]\nid = "int"\nspeed = "int 0..200"\nbattery = "int"\n'
    padded = aligned(OLD, new).new_padded.record("Status")
    assert [(field.key, field.optional) for field in padded.fields] == [
        ("id", False),
        ("note", True),
        ("speed", False),
        ("battery", False),
    ]


def test_a_padded_schema_keeps_the_records_of_a_removed_field() -> None:
    old = 'root = "S"\n[record.S]\na = "int"\np = "P"\nq = "int"\n[record.P]\nx = "float"\n'
    padded = aligned(old, 'root = "S"\n[record.S]\na = "int"\nq = "int"\n').new_padded
    assert [record.name for record in padded.records] == ["P", "S"]
    assert load(dump(padded)) == padded


def test_numbers_that_are_given_stay() -> None:
    new = 'root = "S"\n[record.S]\nspeed = "int 0..200 = 7"\nid = "int = 1"\n'
    assert fields(aligned(OLD, new)) == [("speed", 7), ("id", 1)]


def test_records_are_paired_along_equal_keys() -> None:
    old = 'root = "A"\n[record.A]\npos = "P"\n[record.P]\nlat = "float"\n'
    new = 'root = "B"\n[record.B]\npos = "Q"\n[record.Q]\nlon = "float"\nlat = "float"\n'
    found = aligned(old, new)
    assert [record.name for record in found.new.records] == ["P", "A"]
    assert only_in(found.new, found.old) == ("pos.lon",)
    assert only_in(found.old, found.new) == ()


def test_ranges_of_inferred_versions_are_made_equal() -> None:
    new = 'root = "S"\n[record.S]\nid = "int"\nnote = "string"\nspeed = "int 50..250"\n'
    assert aligned(OLD, new).changes == ("Status.speed: int 0..200 -> int 50..250",)
    assert aligned(OLD, new, equal_ranges=True).changes == ()


def test_a_message_is_projected_onto_the_keys_of_a_schema() -> None:
    schema = load('root = "A|B"\n[record.A]\nx = "int"\n[record.B]\ny = "list<P>"\n[record.P]\nz = "int"\n')
    assert projected({"y": [{"z": 1, "w": 2}], "v": 3}, schema) == {"y": [{"z": 1}]}
    assert projected({"x": "text", "v": 3}, schema) == {"x": "text"}
    assert projected([1, 2], schema) == [1, 2]


KEYS = st.lists(st.sampled_from("abcdef"), unique=True, max_size=6)


@given(KEYS, KEYS)
def test_any_two_versions_keep_the_keys_of_the_new_one(before: list[str], after: list[str]) -> None:
    texts = [
        'root = "R"\n[record.R]\n' + "".join(f'{key} = "int"\n' for key in keys) for keys in (before, after)
    ]
    found = aligned(*texts)
    assert {key for key, _ in fields(found)} == set(after)
    assert {field.key for field in found.new_padded.record("R").fields} == {*before, *after}
    numbers = [number for _, number in fields(found)]
    assert len(set(numbers)) == len(numbers) or not any(numbers)
    for schema in (found.new, found.new_padded):
        assert load(dump(schema)) == schema
