"""BSON in C++: bytes of the specification, unsupported values, foreign and damaged messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.codecs.pack_ffi import Library, Refused
from wirelab.codecs.build import build_pack
from wirelab.codecs.cpp.build import build_cpp_pack
from wirelab.codecs.cpp.registry import CPP
from wirelab.model.schema import AnyType, Field, Float, Int, List, Map, Record, Ref, Schema, String

pytestmark = pytest.mark.first_case

NAME = "bson/libbson"
LIBBSON = [codec for codec in CPP if codec.name == NAME]
HELLO = Record("Hello", (Field("hello", "hello", String()),))
PAIR = Record(
    "Pair",
    (
        Field("a", "a", Int(low=0, high=9), optional=True),
        Field("b", "b", Int(low=0, high=9), optional=True),
        Field("c", "c", String(), optional=True),
    ),
)
# A document of three elements: "c" "x", "b" 2, and "z", which no schema here knows.
OUT_OF_ORDER = "1d000000 02 63 00 02000000 7800 12 62 00 0200000000000000 08 7a 00 01 00"


def library(root: Path, schema: Schema, messages: list[Any]) -> Library:
    return Library(build_cpp_pack(schema, LIBBSON, root / "target" / "test-packs").path, messages)


@pytest.mark.parametrize(
    ("record", "message", "expected"),
    [
        # bsonspec.org: its first example, and its second without the numbers, which no list of
        # texts can hold.
        (HELLO, {"hello": "world"}, "16000000 02 68656c6c6f00 06000000 776f726c6400 00"),
        (
            Record("Bson", (Field("BSON", "bson", List(items=String())),)),
            {"BSON": ["awesome", "1986"]},
            "2b000000 04 42534f4e00 20000000 02 3000 08000000 617765736f6d6500 02 3100 05000000 3139383600 00 00",
        ),
        (
            Record("Number", (Field("n", "n", Int(low=-9, high=9)), Field("f", "f", Float()))),
            {"n": -2, "f": 1.5},
            "17000000 10 6e00 feffffff 01 6600 000000000000f83f 00",
        ),
    ],
)
def test_the_bytes_are_those_of_the_specification(
    root: Path, record: Record, message: Any, expected: str
) -> None:
    session = library(root, Schema(Ref(name=record.name), (record,)), [message]).session(NAME)
    assert session.encode(0).hex() == expected.replace(" ", "")
    assert session.message(bytes.fromhex(expected)) == message


@pytest.mark.parametrize(
    ("kind", "messages"),
    [
        (String(), ["abc", "", "a\u0000b"]),
        (List(items=Int(low=0, high=9, nullable=True)), [[1, None, 3], [], [*range(10)] * 101]),
        (Map(values=Int(low=0, high=2**64 - 1)), [{"b": 2**64 - 1, "a": 0, "\uffff": 1, "\U00010000": 2}]),
        (Ref(name="Hello", nullable=True), [None, {"hello": "world"}]),
    ],
)
def test_any_root_is_written_as_rust_writes_it(root: Path, kind: AnyType, messages: list[Any]) -> None:
    schema = Schema(kind, (HELLO,) if isinstance(kind, Ref) else ())
    cpp = library(root, schema, messages).session(NAME)
    pack = build_pack(schema, root / "target" / "test-packs", None, ("bson/bson",))
    rust = Library(pack.path, messages).session("bson/bson")
    for index, message in enumerate(messages):
        written = cpp.encode(index)
        assert written == rust.encode(index)
        assert cpp.message(written) == message
        assert cpp.decode(written) == rust.decode(written)


def test_a_key_with_a_nul_is_refused(root: Path) -> None:
    inner = Map(values=Map(values=Int(low=0, high=9)))
    with pytest.raises(Refused, match="NUL"):
        library(root, Schema(inner), [{"k": {"a\u0000b": 1}}]).session(NAME)
    record = Record("Nul", (Field("a\u0000b", "ab", Int(low=0, high=9)),))
    with pytest.raises(Refused, match="NUL"):
        library(root, Schema(Ref(name="Nul"), (record,)), [{"a\u0000b": 1}]).session(NAME)


def test_fields_are_found_in_any_order_and_others_are_passed_over(root: Path) -> None:
    session = library(root, Schema(Ref(name="Pair"), (PAIR,)), [{"b": 2, "c": "x"}]).session(NAME)
    assert session.message(bytes.fromhex(OUT_OF_ORDER)) == {"b": 2, "c": "x"}
    assert session.decode(bytes.fromhex(OUT_OF_ORDER)) == session.decode(session.encode(0))


@pytest.mark.parametrize(
    ("damaged", "sentence"),
    [
        ("", "length or end"),
        ("00000000", "length or end"),
        ("06000000 00", "length or end"),
        ("05000000 01", "length or end"),
        # A text longer than the document, one without its NUL, and one that is not UTF-8.
        ("16000000 02 68656c6c6f00 ffffffff 776f726c6400 00", "damaged"),
        ("16000000 02 68656c6c6f00 06000000 776f726c6421 00", "damaged"),
        ("16000000 02 68656c6c6f00 06000000 776fff6c6400 00", "UTF-8"),
        # Another type, an unknown type, and a field that is missing.
        ("0c000000 0a 68656c6c6f00 00", "missing or of another type"),
        ("0c000000 3f 68656c6c6f00 00", "damaged"),
        ("05000000 00", "missing or of another type"),
    ],
)
def test_a_damaged_message_is_refused_with_a_sentence(root: Path, damaged: str, sentence: str) -> None:
    session = library(root, Schema(Ref(name="Hello"), (HELLO,)), [{"hello": "world"}]).session(NAME)
    for read in (session.decode, session.message):
        with pytest.raises(Refused, match=sentence):
            read(bytes.fromhex(damaged))


def test_a_number_beyond_its_field_is_refused(root: Path) -> None:
    record = Record("Number", (Field("n", "n", Int(low=-9, high=9)),))
    session = library(root, Schema(Ref(name="Number"), (record,)), [{"n": 1}]).session(NAME)
    assert session.message(bytes.fromhex("10000000 12 6e00 0700000000000000 00")) == {"n": 7}
    with pytest.raises(Refused, match="beyond"):
        session.message(bytes.fromhex("10000000 12 6e00 0000000001000000 00"))
