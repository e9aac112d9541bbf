"""`any` and `decimal` in the C++ codecs: they come back with their digits, as the Rust codec of the
same format writes them and with its checksum.
"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library, Refused
from tests.codecs.test_free_types import (
    GOLDEN_BYTES,
    MESSAGES,
    NUMBERED,
    check_return,
    exact,
    for_any_value_and_any_decimal,
)
from tests.cpp.test_unions import PAIRS
from wirelab.codecs.build import build_pack
from wirelab.codecs.cpp.build import build_cpp_pack
from wirelab.codecs.cpp.registry import cpp_codecs
from wirelab.codecs.pack import Pack
from wirelab.schema.payload import normalised, parse
from wirelab.schema.text import load

FREE = pack_schemas.FREE
ALL = tuple(codec.name for codec in cpp_codecs(FREE)[0])
COUNT = 7
WITH_MAPS = (4, 5)
"""Messages with a map, whose entries have no order in Protobuf."""
OTHER_BYTES = {
    "flatbuffers/flatbuffers-cpp": "the order in which tables are built is free",
    "flatbuffers/flatbuffers-cpp-dom": "as above",
    "protobuf/protobuf-cpp-dom": "a JSON DOM sorts the keys of objects",
    "protobuf/protobuf-cpp-dom-size": "as above",
    "msgpack/msgpack-cxx": "whole floats are packed as integers",
}


ANY = load('root = "Frame"\n[record.Frame]\nextra = "any"\nby_name = "map<any>?"\n')


def read_text(name: str, text: str) -> Any:
    return json.loads(text, parse_float=Decimal) if name.startswith("msgpack") else exact(text)


def corpus(text: bytes) -> bytes:
    return normalised(parse(text, "a.jsonl"), FREE)


@pytest.fixture(scope="module")
def pack(root: Path) -> Pack:
    return build_cpp_pack(FREE, cpp_codecs(FREE)[0], root / "target" / "test-packs")


@pytest.fixture(scope="module")
def cpp(pack: Pack) -> Library:
    return Library(pack.path, corpus(MESSAGES))


@pytest.fixture(scope="module")
def rust(root: Path) -> Library:
    built = build_pack(FREE, root / "target" / "test-packs", None, ("all",))
    return Library(built.path, corpus(MESSAGES))


def test_all_codecs_carry_any_and_decimal_but_jsoncpp_which_keeps_no_digits() -> None:
    assert {*ALL, "json/jsoncpp"} == PAIRS.keys()
    reason = "the library does not keep the digits of a number: decimal at amount"
    assert cpp_codecs(FREE)[1]["json/jsoncpp"] == reason


@pytest.mark.parametrize("name", ALL)
def test_values_of_any_type_and_the_digits_of_decimals_come_back(cpp: Library, name: str) -> None:
    session = cpp.session(name)
    sent = [exact(line) for line in MESSAGES.decode().strip().split("\n")]
    if name.startswith("msgpack"):  # whole floats are packed as integers
        sent[4]["rest"][0]["b"][1]["c"] = 0
    assert [exact(session.text(session.encode(index))) for index in range(COUNT)] == sent


@pytest.mark.parametrize("name", ALL)
def test_each_language_reads_the_values_of_the_other_with_the_same_checksum(
    cpp: Library, rust: Library, name: str
) -> None:
    ours, theirs = cpp.session(name), rust.session(PAIRS[name])
    for index in range(COUNT):
        written, read = ours.encode(index), theirs.encode(index)
        assert read_text(name, theirs.text(written)) == read_text(name, ours.text(read))
        assert ours.decode(read) == theirs.decode(written) == theirs.decode(read)
        assert written == read or name in OTHER_BYTES or (name.startswith("protobuf") and index in WITH_MAPS)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        (name, value, expected)
        for name in ALL
        for codec, value, expected in GOLDEN_BYTES
        if codec == PAIRS[name]
    ],
)
def test_the_bytes_are_those_of_the_specification(cpp: Library, name: str, value: str, expected: str) -> None:
    assert cpp.session(name).encode(NUMBERED[value]) == bytes.fromhex(expected)


# Text as serde_json writes it: the shortest digits, in full from 1e-5 on and below 1e16.
TEXTS = [
    "[0.1,-0.0,100.5,1000000000000000.0,1e+16,0.00001,1e-6,5e-324,1.7976931348623157e+308]",
    "[-9223372036854775808,18446744073709551615,1.8446744073709552e+19]",
    r'{"\u0000\u001f\"\\\n\u007f":"é","b":{},"a":[[],null,true,false]}'.replace(r"\u007f", "\x7f"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_text_of_a_value_is_that_of_the_packs_in_rust(pack: Pack, text: str) -> None:
    library = Library(pack.path, f'{{"extra":{text}}}'.encode())
    written = library.session("thrift/thrift-cpp-binary").encode(0)
    assert written[7:-1].decode() == text


@pytest.mark.parametrize("name", [name for name in ALL if not name.startswith(("json", "msgpack", "bson"))])
def test_text_that_is_no_json_or_no_number_is_refused(cpp: Library, name: str) -> None:
    session = cpp.session(name)
    for index, before, after, why in (
        (2, b"[null,true]", b"[null,true}", "the text of a value is not JSON"),
        (0, b"273.15", b"273.x5", "'273.x5' is not a decimal number"),
    ):
        written = session.encode(index)
        if before not in written:  # packed
            continue
        for read in (session.decode, session.text):
            with pytest.raises(Refused, match=why):
                read(written.replace(before, after))


@pytest.mark.parametrize("name", ALL)
def test_a_text_is_no_decimal_and_a_fraction_is_no_text(pack: Pack, name: str) -> None:
    for message in (b'{"amount":"1.0"}', b'{"prices":{"a":true}}', b'{"amount":[1.5]}', b'{"rest":1.5}'):
        with pytest.raises(Refused, match="missing or of another type"):
            Library(pack.path, message).session(name)


@pytest.mark.parametrize("name", ALL)
def test_integers_beyond_the_signed_64_bits_become_floats_where_the_format_has_none(
    pack: Pack, name: str
) -> None:
    session = Library(pack.path, b'{"extra":18446744073709551615}').session(name)
    expected = 1.8446744073709552e19 if name.startswith("bson") else 18446744073709551615
    assert session.message(session.encode(0))["extra"] == expected


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("msgpack/msgpack-cxx", b"\x81\xa5extra\xc4\x01\x00", "of a type that JSON has not"),
        ("bson/libbson", b"\x12\0\0\0\x05extra\0\1\0\0\0\0\0\0", "of a type that JSON has not"),
        ("msgpack/msgpack-cxx", b"\x81\xa5extra" + b"\x91" * 200 + b"\xc0", "more than 128 levels"),
        ("json/rapidjson", b'{"extra":' + b"[" * 200 + b"]" * 200 + b"}", "more than 128 levels"),
        ("json/rapidjson", b'{"extra":1e400}', "Number too big"),
        ("json/rapidjson", b'{"amount":"\xff1.5"}', "Invalid encoding in string"),
    ],
)
def test_values_that_json_has_not_are_refused(cpp: Library, name: str, data: bytes, why: str) -> None:
    for read in (cpp.session(name).decode, cpp.session(name).message):
        with pytest.raises(Refused, match=why):
            read(data)


def test_jsoncpp_carries_any(root: Path) -> None:
    codecs = [codec for codec in cpp_codecs(ANY)[0] if codec.format == "json"]
    messages = [
        {"extra": [None, True, -7, 2**64 - 1, 0.1, -0.0, {"b": [], "a": "x"}], "by_name": {"k": {}}},
        {"extra": None},
    ]
    library = Library(build_cpp_pack(ANY, codecs, root / "target" / "test-packs").path, messages)
    jsoncpp, rapidjson = library.session("json/jsoncpp"), library.session("json/rapidjson")
    for index, message in enumerate(messages):
        assert jsoncpp.message(jsoncpp.encode(index)) == message
        assert jsoncpp.decode(jsoncpp.encode(index)) == rapidjson.decode(rapidjson.encode(index))
    with pytest.raises(Refused, match="a value is missing"):
        jsoncpp.message(b"{}")


@pytest.mark.matrix
@for_any_value_and_any_decimal
def test_any_value_and_any_decimal_come_back(pack: Pack, extra: Any, amount: Decimal) -> None:
    check_return(pack, ALL, extra, amount)
