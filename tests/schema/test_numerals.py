"""The text of numbers: kept where a schema has decimals, else its loss is named."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wirelab.schema import numerals
from wirelab.schema.inference import infer
from wirelab.schema.payload import normalised, parse
from wirelab.schema.text import load

ORDER = load("""
root = "Order"
[record.Order]
price = "decimal"
ratio = "float?"
extra = "any?"
""")


def written(data: bytes) -> bytes:
    return normalised(parse(data, "a.jsonl"), ORDER)


def test_a_decimal_keeps_its_zeros_and_all_its_digits() -> None:
    assert written(b'{"price": 1.00}') == b'{"price":1.00}\n'
    assert written(b'{"price": 0.1234567890123456789}') == b'{"price":0.1234567890123456789}\n'
    assert written(b'{"price": 36893488147419103232}') == b'{"price":36893488147419103232}\n'
    assert written(b'{"price": -0.00}') == b'{"price":-0.00}\n'


def test_other_spellings_of_a_decimal_have_one_form() -> None:
    assert written(b'{"price": 12e1}') == b'{"price":1.2E+2}\n'
    assert written(b'{"price": 0.0000001}') == b'{"price":1E-7}\n'


def test_a_float_beside_a_decimal_is_a_float() -> None:
    assert written(b'{"price": 5, "ratio": 1.00}') == b'{"price":5,"ratio":1.0}\n'


def test_messages_in_any_kind_of_file_keep_their_digits() -> None:
    two = b'{"price":1.00}\n{"price":2.50}\n'
    for data in (b'{"price":1.00}{"price":2.50}', b'\x1e{"price":1.00}\n\x1e{"price":2.50}\n'):
        assert normalised(parse(data, "a.json"), ORDER) == two


@given(st.decimals(allow_nan=False, allow_infinity=False, places=None).filter(lambda n: abs(n) < 10**300))
def test_every_decimal_comes_through_as_it_is(number: object) -> None:
    assert written(b'{"price": %s}' % str(number).encode()) == b'{"price":%s}\n' % str(number).encode()


def notes(data: bytes) -> tuple[str, ...]:
    corpus = parse(data, "a.jsonl")
    return numerals.unkept_digits(corpus, infer(corpus))


def test_digits_that_a_float_loses_are_named() -> None:
    assert notes(b'{"a": [0.1234567890123456789]}') == (
        "digits beyond a 64-bit float are lost: 0.1234567890123456789 at a[] comes back as"
        " 0.12345678901234568; `decimal` in a --schema keeps the digits",
    )


def test_other_spellings_and_the_bytes_they_took_are_named() -> None:
    assert notes(b'{"a": 1.00}\n{"a": 1.5e1}') == (
        "numbers keep their value, not their spelling: 1.00 at a comes back as 1.0 (and 1 more);"
        " JSON is 2 bytes smaller than was sent; `decimal` in a --schema keeps the digits",
    )
    whole = b'{"a": 6.4000000000000003552713678800500929355621337890625}'
    assert notes(whole)[0].startswith("numbers keep their value, not their spelling: 6.4000")


def test_numbers_that_come_back_as_they_are_have_no_note() -> None:
    assert notes(b'{"a": 1.0, "b": "1.00", "c": 0.1}') == ()


def test_minus_zero_keeps_its_sign_though_it_is_written_as_an_integer() -> None:
    corpus = parse(b'{"a": -0}\n{"a": 1.5}', "a.jsonl")
    assert normalised(corpus, infer(corpus)) == b'{"a":-0.0}\n{"a":1.5}\n'
