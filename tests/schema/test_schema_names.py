"""Names are legal in every format and language, and as close to the key as possible."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirelab.schema.names import RESERVED, field_name, folded, is_field, is_record, record_name, singular


@pytest.mark.parametrize(
    ("key", "field", "record"),
    [
        ("fuel_level1", "fuel_level1", "FuelLevel1"),
        ("first-name", "first_name", "FirstName"),
        ("isBMWCharging", "is_bmw_charging", "IsBmwCharging"),
        ("DCSContract", "dcs_contract", "DcsContract"),
        ("type", "type_field", "TypeRecord"),
        ("1h", "n_1_h", "N1h"),
        ("Größe", "groe", "Groe"),
        ("日本", "field", "Item"),
        ("", "field", "Item"),
    ],
)
def test_a_key_gives_its_names(key: str, field: str, record: str) -> None:
    assert field_name(key, ()) == field
    assert record_name(key, ()) == record


def test_a_reserved_word_gives_a_name_that_is_not_reserved_either() -> None:
    assert field_name("$merge", set()) == "merge_field_field"
    assert [word for word in RESERVED if not is_field(field_name(word, set()))] == []


def test_a_taken_name_gets_a_number_whatever_its_case() -> None:
    assert field_name("userId", {folded("user_id")}) == "user_id_2"
    assert record_name("user", {folded("User")}) == "User2"


@pytest.mark.parametrize(
    ("key", "one"),
    [
        ("entities", "entity"),
        ("addresses", "address"),
        ("trips", "trip"),
        ("status", "status"),
        ("bus", "bus"),
    ],
)
def test_an_item_of_a_list_is_named_in_the_singular(key: str, one: str) -> None:
    assert singular(key) == one


@given(st.lists(st.text(max_size=80), max_size=20))
def test_any_keys_give_legal_names_that_differ(keys: list[str]) -> None:
    fields: set[str] = set()
    records: set[str] = set()
    for key in keys:
        field, record = field_name(key, fields), record_name(key, records)
        assert is_field(field)
        assert is_record(record)
        assert folded(field) not in fields
        assert folded(record) not in records
        fields.add(folded(field))
        records.add(folded(record))
