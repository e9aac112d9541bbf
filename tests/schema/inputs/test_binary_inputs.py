"""CBOR, MessagePack, BSON and Avro as payload files."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import cbor2
import fastavro
import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirelab.model.errors import BadInput
from wirelab.model.schema import Base64, Int, Schema, Timestamp
from wirelab.schema.inference import infer
from wirelab.schema.inputs.options import InputOptions
from wirelab.schema.payload import normalised, parse

HELLO = bytes.fromhex("160000000268656c6c6f0006000000776f726c640000")  # bsonspec.org, examples
BSON_FORMATS = ("cbor", "msgpack", "bson", "avro")
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def read(data: bytes, form: str, lenient: bool = False) -> Any:
    return parse(data, "p.bin", InputOptions(form, lenient))


def refusal(data: bytes, form: str) -> str:
    with pytest.raises(BadInput) as caught:
        read(data, form)
    assert caught.value.next_step
    return caught.value.sentence


def types(data: bytes, form: str) -> Schema:
    return infer(read(data, form))


def test_cbor_items_follow_one_another() -> None:
    # RFC 8949, appendix A: {"a": 1, "b": [2, 3]}, then 18446744073709551616
    corpus = read(bytes.fromhex("a26161016162820203" + "c249010000000000000000"), "cbor")
    assert corpus.messages == ({"a": 1, "b": [2, 3]}, 18446744073709551616)
    assert corpus.notes == ("read as CBOR (RFC 8949)",)
    assert corpus.where(1) == "p.bin, message 2"


def test_self_described_cbor_is_known_by_its_tag() -> None:
    assert parse(bytes.fromhex("d9d9f7a1616101"), "p").messages == ({"a": 1},)


def test_bytes_and_times_of_cbor_keep_their_types() -> None:
    data = bytes.fromhex("8244deadbeefc11a514b67b0")
    assert read(data, "cbor").messages == (["3q2+7w==", "2013-03-21T20:04:00Z"],)
    assert types(data, "cbor").root.items == (Base64(), Timestamp())


def test_tags_and_integer_keys_of_cbor_are_read_with_a_note() -> None:
    corpus = read(bytes.fromhex("a101d82068687474703a2f2f78"), "cbor")
    assert corpus.messages == ({"1": "http://x"},)
    assert "integer keys read as text: 1 times" in corpus.notes


def test_cyclic_cbor_is_refused() -> None:
    assert "nested deeper than 64 levels" in refusal(bytes.fromhex("d81c81d81d00"), "cbor")


@pytest.mark.parametrize(
    ("data", "form", "why"),
    [
        ("a26161016161", "cbor", "not CBOR in the item at byte 0"),
        ("01a26161016161", "cbor", "not CBOR in the item at byte 1"),
        ("a2616101616102", "cbor", "not CBOR in the item at byte 0"),
        ("9b7fffffffffffffff", "cbor", "not CBOR"),
        ("81a161", "msgpack", "not MessagePack in the value at byte 0: it ends beyond the file"),
        ("c0c1", "msgpack", "not MessagePack in the value at byte 1"),
        ("ddffffffff", "msgpack", "not MessagePack in the value at byte 0"),
        ("82a16101a16102", "msgpack", "message 1, at $: the key a is a duplicate"),
        ("0500000001", "bson", "not BSON in the document at byte 0"),
        ("0c0000001261000100000000", "bson", "not BSON in the document at byte 0"),
        ("ffffff7f00", "bson", "not BSON"),
        ("4f626a01", "avro", "not a whole Avro file"),
    ],
)
def test_a_broken_file_is_refused_with_its_place(data: str, form: str, why: str) -> None:
    assert why in refusal(bytes.fromhex(data), form)


def test_messagepack_values_follow_one_another() -> None:
    # the specification's example {"compact":true,"schema":0}, an ext type 5, a timestamp 32
    data = bytes.fromhex("82a7636f6d70616374c3a6736368656d6100" + "d40501" + "d6ff00000001")
    corpus = read(data, "msgpack")
    assert corpus.messages == ({"compact": True, "schema": 0}, "AQ==", "1970-01-01T00:00:01Z")


def test_the_last_of_equal_keys_counts_where_lenient() -> None:
    data = bytes.fromhex("82a16101a16102")
    assert read(data, "msgpack", lenient=True).messages == ({"a": 2},)


def test_bson_is_known_by_its_lengths() -> None:
    assert parse(HELLO + HELLO, "dump").messages == ({"hello": "world"}, {"hello": "world"})
    assert parse(HELLO + HELLO, "dump").notes == ("read as BSON",)


def test_a_list_in_bson_is_a_list() -> None:
    # bsonspec.org: {"BSON": ["awesome", 5.05, 1986]}
    data = bytes.fromhex(
        "310000000442534f4e002600000002300008000000617765736f6d65000131003333333333331440103200c20700000000"
    )
    assert read(data, "bson").messages == ({"BSON": ["awesome", 5.05, 1986]},)


@pytest.mark.parametrize(
    ("element", "value"),
    [
        ("096100e803000000000000", "1970-01-01T00:00:01Z"),
        ("07610000112233445566778899aabb", "00112233445566778899aabb"),
        ("05610002000000" + "00" + "beef", "vu8="),
        ("086100" + "01", True),
        ("126100ffffffffffffff7f", 2**63 - 1),
        ("136100" + "010000000000000000000000" + "00003e30", "0.1"),
        ("0b61006100690000"[:14], "/a/i"),
        ("0a6100", None),
    ],
)
def test_an_element_of_bson_has_its_value(element: str, value: object) -> None:
    content = bytes.fromhex(element)
    data = (len(content) + 5).to_bytes(4, "little") + content + b"\0"
    assert read(data, "bson").messages == ({"a": value},)


def avro(schema: dict[str, Any], records: list[Any], codec: str = "null") -> bytes:
    stream = io.BytesIO()
    fastavro.writer(stream, fastavro.parse_schema(schema), records, codec=codec)
    return stream.getvalue()


@pytest.mark.parametrize("codec", ["null", "deflate", "bzip2", "xz"])
def test_an_avro_file_is_known_by_its_content(codec: str) -> None:
    schema = {
        "type": "record",
        "name": "R",
        "fields": [{"name": "n", "type": "int"}, {"name": "b", "type": "bytes"}],
    }
    data = avro(schema, [{"n": 1, "b": b"\xff"}, {"n": 3, "b": b""}], codec)
    corpus = parse(data, "p")
    assert corpus.messages == ({"n": 1, "b": "/w=="}, {"n": 3, "b": ""})
    assert [field.type for field in infer(corpus).records[0].fields] == [Int(low=1, high=3), Base64()]


def test_an_avro_file_that_expands_without_bound_is_refused() -> None:
    good = avro({"type": "string"}, ["x"], "deflate")
    marker = good[-16:]
    bomb = zlib.compressobj(9, wbits=-15)
    block = bomb.compress(bytes(300 * 2**20)) + bomb.flush()
    size = io.BytesIO()
    fastavro.schemaless_writer(size, "long", len(block))
    header = good[: good.index(marker) + 16]
    assert "expands to more than 256 MiB" in refusal(
        header + b"\x02" + size.getvalue() + block + marker, "avro"
    )


def test_normalised_messages_have_base64_for_bytes() -> None:
    corpus = read(msgpack.packb({"b": b"\x00\x01"}), "msgpack")
    assert normalised(corpus, infer(corpus)) == b'{"b":"AAE="}\n'


@given(st.lists(PLAIN, min_size=1, max_size=3))
def test_json_values_come_back_from_cbor_and_messagepack(messages: list[Any]) -> None:
    for form, dump in (("cbor", cbor2.dumps), ("msgpack", msgpack.packb)):
        data = b"".join(map(dump, messages))
        assert list(read(data, form).messages) == messages


@settings(max_examples=300)
@given(st.sampled_from(BSON_FORMATS), st.binary(max_size=80), st.booleans())
def test_arbitrary_bytes_are_messages_or_a_refusal(form: str, data: bytes, lenient: bool) -> None:
    try:
        assert read(data, form, lenient).messages
    except BadInput:
        return


@settings(max_examples=300)
@given(st.integers(0, 200), st.binary(min_size=1, max_size=3), st.sampled_from(BSON_FORMATS))
def test_a_damaged_file_is_messages_or_a_refusal(at: int, damage: bytes, form: str) -> None:
    value = {"a": [1, -2.5, "x", None, True, b"\x01"], "b": {"c": "d" * 40}}
    whole = {
        "cbor": cbor2.dumps(value) * 2,
        "msgpack": msgpack.packb(value) * 2,
        "bson": HELLO * 3,
        "avro": avro({"type": "map", "values": "string"}, [{"a": "b"}] * 3, "deflate"),
    }[form]
    at %= len(whole)
    try:
        assert read(whole[:at] + damage + whole[at + len(damage) :], form).messages
    except BadInput:
        return


DEEPER = "nested deeper than 64 levels"
CBOR_DEEPER = "maximum container nesting depth (128) exceeded"


def bson_levels(count: int) -> bytes:
    document = b"\x05\x00\x00\x00\x00"
    for _ in range(count):
        document = struct.pack("<i", len(document) + 8) + b"\x03a\x00" + document + b"\x00"
    return document


@pytest.mark.parametrize(
    ("data", "form", "why"),
    [
        (b"\x81" * 10_000 + b"\x01", "cbor", CBOR_DEEPER),
        (b"\x9f" * 10_000 + b"\xff" * 10_000, "cbor", CBOR_DEEPER),
        (b"\xc1" * 10_000 + b"\x01", "cbor", CBOR_DEEPER),
        (b"\x91" * 10_000 + b"\x01", "msgpack", DEEPER),
        (b"\x81\xa1a" * 10_000 + b"\x01", "msgpack", DEEPER),
        (b"\x91" * 100 + b"\x01", "msgpack", DEEPER),
        (bson_levels(10_000), "bson", DEEPER),
    ],
    ids=["cbor arrays", "cbor open", "cbor tags", "msgpack arrays", "msgpack maps", "100 levels", "bson"],
)
def test_values_nested_without_bound_are_refused(data: bytes, form: str, why: str) -> None:
    assert why in refusal(data, form)
