"""CSV with a header, and lines of hexadecimal digits or base64, as payload files."""

from __future__ import annotations

import csv
import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirelab.model.errors import BadInput
from wirelab.model.schema import Base64, Schema
from wirelab.schema.inference import infer
from wirelab.schema.inputs.options import InputOptions
from wirelab.schema.payload import normalised, parse


def refusal(data: bytes, name: str) -> str:
    with pytest.raises(BadInput) as caught:
        parse(data, name)
    assert caught.value.next_step
    return caught.value.sentence


def test_a_row_is_a_message_with_the_types_of_its_columns() -> None:
    data = b'\xef\xbb\xbfid,t,ok,name,code\r\n1,20.50,true,"a,b",007\r\n2,-3,False,,12\r\n'
    corpus = parse(data, "p.csv")
    assert corpus.messages == (
        {"id": 1, "t": 20.5, "ok": True, "name": "a,b", "code": "007"},
        {"id": 2, "t": -3, "ok": False, "code": "12"},
    )
    assert corpus.notes == ("read as CSV: 5 columns", "a key is left out where its cell is empty")
    assert corpus.where(1) == "p.csv, line 3 (message 2)"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_that_of_the_header(delimiter: str) -> None:
    data = f"# a{delimiter}b{delimiter}\n1{delimiter}x{delimiter}\n".encode()
    assert parse(data, "p.csv").messages == ({"a": 1, "b": "x"},)


def test_a_quoted_cell_may_hold_lines() -> None:
    corpus = parse(b'a,b\n"1\n2",3\n4,5\n', "p.csv")
    assert corpus.messages == ({"a": "1\n2", "b": 3}, {"a": "4", "b": 5})
    assert corpus.lines == (2, 4)


def test_nan_beside_numbers_makes_text_and_is_a_number_where_lenient() -> None:
    data = b"a\n1\n-inf\n"
    assert parse(data, "p.csv").messages == ({"a": "1"}, {"a": "-inf"})
    assert "--lenient reads it as a number" in parse(data, "p.csv").notes[1]
    found = parse(data, "p.csv", InputOptions(lenient=True))
    assert found.messages == ({"a": 1}, {"a": -math.inf})
    assert found.notes[1] == "column a: -inf read as a number: 1 times (--lenient)"


def test_na_beside_numbers_is_left_out_where_lenient() -> None:
    data = b"a\n1\nN/A\n"
    assert "--lenient leaves it out" in parse(data, "p.csv").notes[1]
    found = parse(data, "p.csv", InputOptions(lenient=True))
    assert found.messages == ({"a": 1}, {})
    assert found.notes[1] == "column a: n/a left out: 1 times (--lenient)"


def test_decimal_commas_between_semicolons_are_points() -> None:
    data = b"t;code;place\n20,5;1;0,5 m\n-3;2,x;1,5\n"
    corpus = parse(data, "p.csv")
    assert corpus.messages == (
        {"t": 20.5, "code": "1", "place": "0,5 m"},
        {"t": -3, "code": "2,x", "place": "1,5"},
    )
    assert corpus.notes == (
        "read as CSV: 3 columns",
        "column t has decimal commas, which are read as points",
    )
    assert parse(b"a|b\n1,5|2\n", "p.csv").messages == ({"a": "1,5", "b": 2},)


def test_utf_16_as_excel_writes_it_is_read() -> None:
    assert parse("a\tb\n1\tß\n".encode("utf-16"), "p.tsv").messages == ({"a": 1, "b": "ß"},)
    assert parse('{"a":"ß"}'.encode("utf-16"), "p.json").messages == ({"a": "ß"},)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"a,b\n", "p.csv: the file has a header and no rows; give a file with at least one row"),
        (b"a,a\n1,2\n", "p.csv, line 1: two columns are named 'a'; give each column a name of its own"),
        (b"a,,b\n1,2,3\n", "p.csv, line 1: a column has no name; give each column a name of its own"),
        (b"1,2\n3,4\n", "p.csv, line 1: the first row holds numbers, not names; add a header row"),
        (
            b"a,b\n1,2,3\n",
            "p.csv, line 2: 3 cells, but the header has 2; quote cells that hold the delimiter",
        ),
        (b'a,b\n"1"2,3\n', "p.csv, line 2: not CSV: ',' expected after '\"'; correct the row"),
        (b"a\n\xff\n", "p.csv: byte 2 (0xff) is not UTF-8; convert the file to UTF-8"),
    ],
)
def test_a_fault_in_csv_is_named_with_its_line(data: bytes, sentence: str) -> None:
    assert refusal(data, "p.csv") == sentence


def test_lines_of_hexadecimal_digits_are_bytes() -> None:
    corpus = parse(b"DEADBEEF\n\n0x00 01\nde:ad\n", "p.hex")
    assert corpus.messages == ("3q2+7w==", "AAE=", "3q0=")
    assert infer(corpus) == Schema(Base64(), ())
    assert normalised(corpus, infer(corpus)) == b'"3q2+7w=="\n"AAE="\n"3q0="\n'


def test_lines_of_base64_are_bytes_padded_or_not() -> None:
    corpus = parse(b"3q2+7w==\n3q2-7w\n", "p.txt", InputOptions("base64"))
    assert corpus.messages == ("3q2+7w==", "3q2+7w==")


@pytest.mark.parametrize(("data", "name"), [(b"00\n0g\n", "p.hex"), (b"AA==\nA\n", "p.b64")])
def test_a_line_that_is_no_bytes_is_refused_with_its_number(data: bytes, name: str) -> None:
    assert refusal(data, name).startswith(f"{name}, line 2: not ")


def test_a_line_of_words_among_hexadecimal_digits_is_shown() -> None:
    why = "p.hex, line 2: not hexadecimal digits: '# a comment'; correct the line, or leave it out"
    assert refusal(b"00\n# a comment\n", "p.hex") == why


def test_an_unknown_format_is_refused_with_the_nearest() -> None:
    with pytest.raises(BadInput, match="--input-format mesgpack: unknown; did you mean msgpack"):
        parse(b"{}", "p", InputOptions("mesgpack"))


@given(st.text(max_size=60), st.sampled_from(["p.csv", "p.hex", "p.b64"]), st.booleans())
def test_arbitrary_text_is_messages_or_a_refusal(text: str, name: str, lenient: bool) -> None:
    try:
        assert parse(text.encode(errors="replace"), name, InputOptions(lenient=lenient)).messages
    except BadInput:
        return


@given(st.lists(st.tuples(st.integers(), st.text("abc,;\"\n'x", min_size=1)), min_size=1, max_size=5))
def test_rows_come_back_as_python_writes_them(rows: list[tuple[int, str]]) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows([("number", "text"), *((number, f"~{text}") for number, text in rows)])
    found = parse(stream.getvalue().encode(), "p.csv").messages
    assert [(one["number"], one["text"]) for one in found] == [(n, f"~{t}") for n, t in rows]
