"""Several kinds of message in one corpus are found and have a record each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirelab.model.errors import BadInput
from wirelab.schema.check import check
from wirelab.schema.corpus import Corpus
from wirelab.schema.importers.read import read
from wirelab.schema.inference import infer
from wirelab.schema.kinds import Kinds, find_kinds
from wirelab.schema.text import dump, load
from wirelab.schema.types import show_type

READING = {"type": "reading", "id": 1, "temperature": 21.5, "humidity": 40}
ALARM = {"type": "alarm", "id": 1, "level": "high", "text": "too hot"}
POSITION = {"type": "position", "id": 1, "lat": 48.1, "lon": 11.5}


def corpus(*messages: Any) -> Corpus:
    return Corpus(messages, b"", "gateway.jsonl", tuple(range(1, len(messages) + 1)))


def kinds(*messages: Any, wanted: str = "auto") -> Kinds | None:
    return find_kinds(corpus(*messages), wanted).kinds


def root(*messages: Any, wanted: str = "auto") -> str:
    found = corpus(*messages)
    schema = infer(found, find_kinds(found, wanted).kinds)
    check(found, schema)
    return show_type(schema.root)


def test_a_type_that_accounts_for_the_keys_is_the_discriminator() -> None:
    found = find_kinds(corpus(READING, ALARM, READING, POSITION))
    assert found.kinds == Kinds("type", ("reading", "alarm", "position"), (0, 1, 0, 2))
    assert found.notes == (
        "3 kinds of message by type: reading (2), alarm (1), position (1); it accounts for 100% of the "
        "differences in their keys and types; --kinds none takes them as one",
    )


def test_each_kind_has_a_record_under_a_union() -> None:
    assert root(READING, ALARM, POSITION, READING) == "Reading|Alarm|Position"


def test_none_takes_all_kinds_as_one() -> None:
    assert kinds(READING, ALARM, POSITION, wanted="none") is None
    assert root(READING, ALARM, POSITION, wanted="none") == "Gateway"


def test_a_discriminator_inside_a_header_is_found() -> None:
    messages = [
        {"header": {"event": "up", "n": 1}, "body": {"volts": 3.5}},
        {"header": {"event": "down", "n": 2}, "body": {"reason": "reset"}},
    ]
    found = kinds(*messages)
    assert found is not None
    assert (found.by, found.names) == ("header.event", ("up", "down"))


def test_the_first_item_of_a_list_is_a_discriminator() -> None:
    frames = (
        [2, "1", "Boot", {"vendor": "X"}],
        [3, "1", {"status": "ok"}],
        [2, "2", "Boot", {"vendor": "Y"}],
    )
    found = kinds(*frames)
    assert found is not None
    assert (found.by, found.names, found.of) == ("[0]", ("2", "3"), (0, 1, 0))


def test_messages_that_share_no_keys_are_kinds_by_shape() -> None:
    found = kinds({"lat": 1.5, "lon": 2.5}, {"rpm": 900, "gear": 3}, {"lat": 1.0, "lon": 2.0, "alt": 3.0})
    assert found == Kinds("shape", ("lat+lon", "rpm+gear"), (0, 1, 0))


def test_messages_of_unlike_json_kinds_are_kinds_by_shape() -> None:
    found = kinds({"a": 1}, "ON", {"a": 2})
    assert found == Kinds("shape", ("object", "string"), (0, 1, 0))
    assert root({"a": 1}, "ON", {"a": 2}) == "string|Gateway"


def test_levels_of_a_topic_that_messages_of_one_shape_differ_in_are_plus() -> None:
    messages = (
        {"topic": "home/kitchen/climate", "temperature": 21.5},
        {"topic": "home/bath/climate", "temperature": 23.5},
        {"topic": "home/door", "open": True},
    )
    found = kinds(*messages)
    assert found is not None
    assert found.names == ("home/+/climate", "home/door")


def test_a_discriminator_that_lies_is_named() -> None:
    lie = {"type": "reading", "id": 9, "lat": 48.0, "lon": 11.0}
    found = find_kinds(corpus(READING, READING, POSITION, POSITION, lie))
    assert found.kinds is not None
    assert found.kinds.of == (0, 0, 1, 1, 1)
    assert found.notes[1] == (
        'gateway.jsonl, line 5 (message 5) has type "reading", but the keys and types of "position": '
        "it is taken as that"
    )
    assert root(READING, READING, POSITION, POSITION, lie) == "Reading|Position"


def test_kinds_of_equal_keys_and_types_share_a_record() -> None:
    switches = ({"type": "on", "id": 1}, {"type": "off", "id": 2})
    assert root(*switches, READING, READING) == "OnOff|Reading"


def test_a_record_that_takes_another_kind_comes_after_it() -> None:
    wide = ({"type": "full", "id": 1, "x": 1, "y": 2}, {"type": "full", "id": 1})
    narrow = {"type": "part", "id": 1, "x": 5}
    assert root(*wide, narrow, narrow) == "Part|Full"


@pytest.mark.parametrize(
    "messages",
    [
        [{"charging": True, "power": 5.5}, {"charging": False}] * 9,
        [{"status": "ok"}, {"status": "error", "error": "no sensor"}] * 9,
        [{"id": str(number), f"x{number}": 1} for number in range(9)],
        [{"alice": 1}, {"bob": 2}],
        [{"2024-05-01": 1.5}, {"2024-05-02": 2.5}],
        [{"type": "reading", "v": 1}, {"type": "alarm", "v": 2}],
        [READING],
        ["a", "b"],
        [[1.5, 2.5], [3.5, 4.5, 5.5]],
    ],
)
def test_messages_of_one_kind_stay_one(messages: list[Any]) -> None:
    assert find_kinds(corpus(*messages)) == find_kinds(corpus(*messages), "none")


def test_a_key_that_no_message_has_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(BadInput, match=r"--kinds tpye: no message has it; did you mean type\?"):
        kinds(READING, ALARM, wanted="tpye")


def test_a_key_with_too_many_values_is_refused() -> None:
    with pytest.raises(BadInput, match="65 values; a corpus has at most 64 kinds"):
        kinds(*({"n": number} for number in range(65)), wanted="n")


def test_a_key_that_holds_an_object_is_refused_with_its_place() -> None:
    with pytest.raises(BadInput, match=r"line 2 \(message 2\), at a: not a text, an integer or a bool"):
        kinds({"a": "x"}, {"a": {}}, wanted="a")


def test_a_message_without_the_key_is_a_kind_of_its_own() -> None:
    found = kinds(READING, {"id": 3}, wanted="type")
    assert found is not None
    assert found.names == ("reading", "no type")


def test_with_a_given_schema_kinds_are_those_of_a_union_at_its_root(tmp_path: Path) -> None:
    payload, schema = tmp_path / "m.jsonl", tmp_path / "m.toml"
    payload.write_text('{"type":"a","x":1}\n{"type":"b","y":"t"}\n{"type":"a","x":2}\n')
    schema.write_text(
        'root = "A|B"\n[record.A]\ntype = "string"\nx = "int"\n[record.B]\ntype = "string"\ny = "string"\n'
    )
    found = read(str(payload), str(schema)).kinds
    assert found == Kinds("type", ("a", "b"), (0, 1, 0))
    schema.write_text('root = "M"\n[record.M]\ntype = "string"\nx = "int?"\ny = "string?"\n')
    assert read(str(payload), str(schema)).kinds is None
    assert read(str(payload), str(schema), kinds="type").kinds == found


SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=2)
OBJECTS = st.dictionaries(
    st.sampled_from(["type", "op", "a", "b", "c", "d"]),
    SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(st.sampled_from("xyz"), SCALARS, max_size=3),
    max_size=5,
)


@given(st.lists(OBJECTS | st.lists(SCALARS, min_size=1, max_size=3) | SCALARS, min_size=1, max_size=8))
def test_any_corpus_fits_the_schema_of_its_kinds(messages: list[Any]) -> None:
    found = corpus(*messages)
    schema = infer(found, find_kinds(found).kinds)
    check(found, schema)
    assert load(dump(schema)) == schema


@given(st.lists(OBJECTS, min_size=1, max_size=8))
def test_any_key_gives_a_schema_that_its_corpus_fits_or_is_refused(messages: list[Any]) -> None:
    found = corpus(*messages)
    try:
        told = find_kinds(found, "type")
    except BadInput:
        return
    check(found, infer(found, told.kinds))
