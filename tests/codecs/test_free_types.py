"""`any` and `decimal` in every Rust codec: they come back with their digits, and their bytes are
those of each format's own values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library, Refused
from wirelab.codecs.pack import Pack
from wirelab.codecs.registry import RUST, codecs_for, skipped
from wirelab.schema.payload import normalised, parse

FREE = pack_schemas.FREE
LEFT = {"json/sonic-rs", "bitcode/bitcode", "rkyv/rkyv"}
ALL = tuple(codec.name for codec in RUST if codec.name not in LEFT)
NO_UINT64 = ("bson", "ion")
"""Formats whose values of any type have integers up to 2^63-1; larger ones become floats."""
MESSAGES = b"""
{"amount": 273.15}
{"amount": 0.1}
{"extra": [null, true]}
{"extra": null}
{"amount": -0.00, "rest": [{"b": [1, {"c": -0.0}], "a": "x"}, null, [], {}, -7], "prices": {"a": 1.00, "b": null}}
{"amount": 1E-7, "prices": {"a": 36893488147419103232, "b": 0.12345678901234567890123456789012345678901}}
{"extra": {"1": {}, "": [[]]}, "amount": 1.2E+2}
"""
NUMBERED = {"273.15": 0, "0.1": 1, "[null,true]": 2}


def exact(text: str) -> Any:
    """A message in which numbers with unlike digits differ."""
    return json.loads(text, parse_float=lambda number: ("number", str(Decimal(number))))


@pytest.fixture(scope="module")
def library(free_pack: Pack) -> Library:
    return Library(free_pack.path, normalised(parse(MESSAGES, "a.jsonl"), FREE))


@pytest.mark.parametrize("codec", ALL)
def test_values_of_any_type_and_the_digits_of_decimals_come_back(library: Library, codec: str) -> None:
    session = library.session(codec)
    sent = [exact(line) for line in MESSAGES.decode().strip().split("\n")]
    returned = [exact(session.text(session.encode(index))) for index in range(len(sent))]
    if codec.startswith("avro"):  # every field is written: those that are absent as null
        returned = [{key: one[key] for key in message} for one, message in zip(returned, sent, strict=True)]
    assert returned == sent


def test_the_checksum_is_the_same_in_every_format(library: Library) -> None:
    sessions = [library.session(codec) for codec in ALL]
    sums = {tuple(one.decode(one.encode(index)) for one in sessions) for index in range(7)}
    assert all(len(set(found)) == 1 for found in sums)
    assert len(sums) == 7


def for_any_value_and_any_decimal(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test with values of any type as `extra` and decimals as `amount`."""
    extra = st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**63 - 1)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text("abcé"),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text("xyz", max_size=3), inner, max_size=3)
        ),
        max_leaves=8,
    )
    amount = st.decimals(allow_nan=False, allow_infinity=False).filter(lambda number: abs(number) < 10**300)
    quiet = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
    run = settings(max_examples=40, deadline=None, suppress_health_check=quiet)
    return run(given(extra=extra, amount=amount)(test))


def check_return(pack: Pack, codecs: Iterable[str], extra: Any, amount: Decimal) -> None:
    """Check that a value and the digits of a decimal come back from every codec."""
    text = f'{{"extra":{json.dumps(extra)},"amount":{amount}}}'
    number = json.loads(text, parse_float=Decimal)["amount"]
    library = Library(pack.path, normalised(parse(text.encode(), "a.jsonl"), FREE))
    for codec in codecs:
        session = library.session(codec)
        returned = session.text(session.encode(0))
        assert json.loads(returned)["extra"] == extra, codec
        assert str(json.loads(returned, parse_float=Decimal)["amount"]) == str(number), codec


@pytest.mark.matrix
@for_any_value_and_any_decimal
def test_any_value_and_any_decimal_come_back(free_pack: Pack, extra: Any, amount: Decimal) -> None:
    check_return(free_pack, ALL, extra, amount)


@pytest.mark.parametrize("codec", ALL)
def test_integers_beyond_the_signed_64_bits_become_floats_where_the_format_has_none(
    free_pack: Pack, codec: str
) -> None:
    session = Library(free_pack.path, b'{"extra":18446744073709551615}').session(codec)
    expected = 1.8446744073709552e19 if codec.startswith(NO_UINT64) else 18446744073709551615
    assert session.message(session.encode(0))["extra"] == expected


GOLDEN_BYTES = [
    # The number literal of the sender; RFC 8949, section 3.4.4: tag 4, [-2, 27315].
    ("json/serde_json", "273.15", b'{"amount":273.15}'.hex()),
    ("cbor/ciborium", "273.15", "a1 66 616d6f756e74 c4 82 21 19 6ab3"),
    # decimal128 of 0.1 in the tests of the BSON specification (decimal128-1.json).
    ("bson/bson", "0.1", "1d000000 13 616d6f756e7400 0100000000000000000000000000 3e30 00"),
    # Text where the library has no decimals.
    ("cbor/cbor4ii", "273.15", "a1 66 616d6f756e74 66 3237332e3135"),
    ("msgpack/rmp-serde", "273.15", "81 a6 616d6f756e74 a6 3237332e3135"),
    ("protobuf/prost", "273.15", "12 06 3237332e3135"),
    ("protobuf/protobuf-upb", "273.15", "12 06 3237332e3135"),
    ("xdr/rfc4506", "273.15", "00000000 00000001 00000006 3237332e31350000 00000000 00000000"),
    # The format's own values.
    ("json/serde_json", "[null,true]", b'{"extra":[null,true]}'.hex()),
    ("cbor/ciborium", "[null,true]", "a1 65 6578747261 82 f6 f5"),
    ("cbor/cbor4ii", "[null,true]", "a1 65 6578747261 82 f6 f5"),
    ("cbor/minicbor", "[null,true]", "a1 65 6578747261 82 f6 f5"),
    ("msgpack/rmp-serde", "[null,true]", "81 a5 6578747261 92 c0 c3"),
    ("bson/bson", "[null,true]", "18000000 04 657874726100 0c000000 0a3000 08310001 00 00"),
    # JSON text where the schema tells the types.
    ("protobuf/prost", "[null,true]", "0a 0b 5b6e756c6c2c747275655d"),
    ("xdr/rfc4506", "[null,true]", "00000001 0000000b 5b6e756c6c2c747275655d00 00000000 00000000 00000000"),
]


@pytest.mark.parametrize(("codec", "value", "expected"), GOLDEN_BYTES)
def test_the_bytes_are_those_of_the_specification(
    library: Library, codec: str, value: str, expected: str
) -> None:
    assert library.session(codec).encode(NUMBERED[value]) == bytes.fromhex(expected)


@pytest.mark.parametrize("codec", [name for name in ALL if not name.startswith(("json", "yaml", "xml"))])
def test_text_that_is_no_json_is_refused(library: Library, codec: str) -> None:
    session = library.session(codec)
    data = session.encode(2)
    if b"[null,true]" not in data:
        return
    with pytest.raises(Refused):
        session.text(data.replace(b"[null,true]", b"[null,true}"))


def test_codecs_whose_library_cannot_carry_the_types_are_left_out_with_the_place() -> None:
    reasons = skipped(FREE)
    assert reasons["bitcode/bitcode"] == "the library has no values of any type: any at extra"
    assert reasons["rkyv/rkyv"] == "the library has no values of any type: any at extra"
    assert reasons["json/sonic-rs"] == "the library does not keep the digits of a number: decimal at amount"
    assert {codec.name for codec in codecs_for(FREE)} >= set(ALL)
