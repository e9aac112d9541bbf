"""Payload files are not trusted: each fault is one sentence with its place and a remedy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wirelab.model.errors import BadInput
from wirelab.model.schema import Field, Float, Int, Record, Ref, Schema, String
from wirelab.schema import json_reader, payload
from wirelab.schema.inputs.archives import MAX_BYTES
from wirelab.schema.json_diagnostics import find_problem
from wirelab.schema.payload import normalised, parse, read


def refusal(data: bytes, name: str = "p.json") -> str:
    with pytest.raises(BadInput) as caught:
        parse(data, name)
    assert caught.value.next_step
    assert caught.value.exit_code == 3
    return caught.value.sentence


def test_a_json_file_is_one_message_even_if_it_is_a_list() -> None:
    assert parse(b'[{"a": 1}, {"a": 2}]', "p.json").messages == ([{"a": 1}, {"a": 2}],)


def test_a_list_of_objects_says_how_each_becomes_a_message() -> None:
    corpus = parse(b'[{"a":1},{"a":2}]', "p.json")
    assert len(corpus.messages) == 1
    note = "read as one message, a list of 2 objects; `jq -c '.[]' FILE` makes each a message"
    assert corpus.notes == (note,)
    for data in (b"[1,2]", b'[{"a":1}]', b"{}"):
        assert parse(data, "p.json").notes == ()


def test_a_jsonl_file_is_a_message_per_line_and_blank_lines_do_not_count() -> None:
    corpus = parse(b'{"a":1}\r\n\n  \n{"a":2}', "p.jsonl")
    assert corpus.messages == ({"a": 1}, {"a": 2})
    assert corpus.lines == (1, 4)


def test_json_lines_are_found_whatever_the_file_is_called() -> None:
    assert parse(b'{"a":1}\n{"a":2}\n', "p.txt").messages == ({"a": 1}, {"a": 2})


def test_one_line_in_a_jsonl_file_is_a_corpus_of_one() -> None:
    assert parse(b'"m"\n', "p.ndjson").lines == (1,)


def test_a_byte_order_mark_is_not_part_of_the_message() -> None:
    assert parse(b'\xef\xbb\xbf{"a":1}').messages == ({"a": 1},)


def test_a_number_keeps_whether_it_was_written_as_an_integer() -> None:
    (message,) = parse(b"[1, 1.0, 1e2, -0.0, 18446744073709551616]").messages
    assert [type(item) for item in message] == [int, float, float, float, int]
    assert message[4] == 2**64


@pytest.mark.parametrize("data", [b"", b"  \n\t\r\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(data: bytes) -> None:
    assert refusal(data) == "p.json: the file is empty; give a file with at least one message"


@pytest.mark.parametrize(
    ("data", "place", "why"),
    [
        (b'{"a":1', "line 1, at a", "the text ends here"),
        (b'{"a":\n "bc', "line 2, at a", "ends inside a string"),
        (b'{"a":{"b":1,\n"b":2}}', "line 2, at a.b", "is a duplicate"),
        (b'{"x":[1,NaN]}', "line 1, at x[1]", "NaN is not a JSON number"),
        (b'{"x":-Infinity}', "line 1, at x", "-Infinity is not a JSON number"),
        (b'{"x":nan}', "line 1, at x", "nan is not a JSON number; leave the key out or write null"),
        (b'{"x":-inf}', "line 1, at x", "-inf is not a JSON number; leave the key out or write null"),
        (b'{"x":True}', "line 1, at x", "True is not JSON; write true"),
        (b"ON", "line 1, at $", 'ON is not JSON; write text in double quotes: "ON"'),
        (b'{"a":1}\n{"a":2}{"a":', "line 2, at $", "more text follows"),
        (b'{"a":1}{"a":\n2} 3', "line 2, at $", "more text follows the end of the message"),
        (b'{"a":\n1}{"a":2}\n{"b":', "line 3, at b", "the text ends here"),
        (b'\x1e{"a":1}\n\x1e{"a":\n', "line 3, at a", "the text ends here"),
        (b'{"x":1e999}', "line 1, at x", "larger than any 64-bit float"),
        (b'{"x":' + b"9" * 5000 + b"}", "line 1, at x", "larger than any 64-bit float"),
        (b'{"first name":"\\ud800"}', 'line 1, at ["first name"]', "half of a surrogate pair"),
        (b'{"\\udfff":1}', "line 1, at $", "half of a surrogate pair"),
        (b"[01]", "line 1, at [0]", 'expected a value, found "01]"'),
        (b"{a:1}", "line 1, at $", "expected a key in double quotes"),
        (b'{"a":1}}', "line 1, at $", "more text follows"),
        (b'["\x01"]', "line 1, at [0]", "raw control character"),
        (b'["\\x"]', "line 1, at [0]", "escape JSON does not know"),
    ],
)
def test_a_fault_is_named_with_line_and_path(data: bytes, place: str, why: str) -> None:
    sentence = refusal(data)
    assert sentence.startswith(f"p.json, {place}: ")
    assert why in sentence


def test_a_fault_in_json_lines_is_named_with_its_own_line() -> None:
    assert refusal(b'{"a":1}\n\n{"a":tru}\n', "p.jsonl").startswith("p.jsonl, line 3, at a: tru is not JSON")


@pytest.mark.parametrize(
    ("data", "lines", "notes"),
    [
        (b'{"a":1}\0\n{"a":2}\0\n', (1, 2), ("a NUL byte after a message is left out",)),
        (
            b'{"a":1}{"a":\n2}',
            (1, 1),
            ("read as messages one after another, without a line for each",),
        ),
        (
            b'{\n"a":1\n}\n{\n"a":2\n}\n',
            (1, 4),
            ("read as messages one after another, without a line for each",),
        ),
        (b'\x1e{"a":1}\n\x1e\x1e{"a":\n2}\n', (1, 2), ("read as a JSON text sequence (RFC 7464)",)),
        (
            b'\xef\xbb\xbf{"a":1}\r\n{"a":2}\r\n',
            (1, 2),
            ("a byte order mark before the first message is left out",),
        ),
    ],
)
def test_two_messages_in_an_uncommon_form_are_read_with_a_note(
    data: bytes, lines: tuple[int, ...], notes: tuple[str, ...]
) -> None:
    corpus = parse(data, "p.json")
    assert (corpus.messages, corpus.lines, corpus.notes) == (({"a": 1}, {"a": 2}), lines, notes)


def test_messages_of_several_lines_in_a_jsonl_file_are_read_with_a_note() -> None:
    corpus = parse(b'{\n"a":1\n}\n{"a":\n2}\n', "p.jsonl")
    assert (corpus.messages, corpus.lines) == (({"a": 1}, {"a": 2}), (1, 4))
    assert corpus.notes == ("read as messages one after another, without a line for each",)


def test_nul_bytes_may_separate_messages() -> None:
    corpus = parse(b'{"a":1}\0{"a":2}\0', "p.bin")
    assert corpus.messages == ({"a": 1}, {"a": 2})
    assert "a NUL byte after a message is left out" in corpus.notes


def test_a_nul_byte_after_a_single_message_is_left_out() -> None:
    corpus = parse(b'{"a":1}\0', "p.json")
    assert (corpus.messages, corpus.lines) == (({"a": 1},), ())
    assert corpus.notes == ("a NUL byte after a message is left out",)


@pytest.mark.parametrize("data", [b"1 2", b'{"a":1} 2', b'"a""b"', b"truefalse"])
def test_concatenated_scalars_are_not_messages(data: bytes) -> None:
    with pytest.raises(BadInput):
        parse(data, "p.json")


def test_a_byte_that_is_not_utf8_is_named_with_its_offset() -> None:
    assert "line 2: byte 9 (0xff) is not UTF-8" in refusal(b'{"a":"b"\n\xff}')


@pytest.mark.parametrize("levels", [65, 900, 10_000, 200_000])
@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_deep_nesting_is_refused(levels: int, opening: bytes) -> None:
    closing = b"]" if opening == b"[" else b"}"
    assert "nested deeper than 64 levels" in refusal(opening * levels + b"1" + closing * levels)


def test_nesting_of_64_levels_is_read() -> None:
    assert len(parse(b"[" * 64 + b"1" + b"]" * 64).messages) == 1


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(1_000_000_000)
    with pytest.raises(BadInput, match="larger than 256 MiB; take a sample"):
        read(huge)


def test_an_endless_file_is_refused() -> None:
    with pytest.raises(BadInput, match="larger than 256 MiB"):
        payload.parse(bytes(MAX_BYTES + 1))


def test_more_lists_than_memory_allows_are_refused() -> None:
    assert "more than 10,000,000 lists" in refusal(b"[" + b"[]," * 10_000_000 + b"[]]")


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        read(tmp_path / "absent.json")
    with pytest.raises(BadInput, match="the directory has no files"):
        read(tmp_path)


def test_normalised_lines_are_compact_in_the_order_and_types_of_the_schema() -> None:
    fields = (
        Field("x", "x", Float()),
        Field("first name", "first_name", String(), optional=True),
        Field("s", "s", Float(bits=32)),
        Field("n", "n", Int(low=0, high=9, nullable=True)),
    )
    schema = Schema(Ref(name="R"), (Record("R", fields),))
    corpus = parse(
        '{"n": null, "s": 0.1, "x": 1}\n{"first name": "é", "x": 2.5, "s": 16777217, "n": 3}'.encode()
    )
    expected = '{"x":1.0,"s":0.1,"n":null}\n{"x":2.5,"first name":"é","s":16777216.0,"n":3}\n'
    assert normalised(corpus, schema) == expected.encode()


@given(st.binary(max_size=200))
@example(b"\x00")
@example(b"\x1e")
@example(b"\x1e\x00")
@example(b"\xff\xfe{\x00}\x00")
def test_arbitrary_bytes_give_messages_or_a_refusal(data: bytes) -> None:
    for name in ("p.json", "p.jsonl"):
        try:
            assert parse(data, name).messages
        except BadInput:
            continue


@given(st.lists(st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3)), min_size=2))
def test_objects_are_the_same_in_lines_concatenated_and_as_a_sequence(
    objects: list[dict[str, object]],
) -> None:
    texts = [json.dumps(value) for value in objects]
    forms = ("\n".join(texts), "".join(texts), "".join(f"\x1e{text}\n" for text in texts))
    assert [list(parse(form.encode(), "p.json").messages) for form in forms] == [objects] * 3


@given(st.text('[]{}",:\\0123456789.eE+-truefalsn \n\tNIu', max_size=60))
def test_the_exact_reader_finds_a_problem_where_and_only_where_the_fast_one_does(text: str) -> None:
    try:
        json_reader.whole(text)
        fine = True
    except json_reader.Suspect:
        fine = False
    assert (find_problem(text) is None) == fine
