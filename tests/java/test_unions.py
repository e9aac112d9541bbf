"""Unions and tuples in Java: they come back, and Java and Rust read each other's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library
from tests.codecs.test_unions import MESSAGES
from tests.java.conftest import Exchanged, Verdicts, build
from wirelab.codecs.build import build_pack
from wirelab.codecs.java.generate import generate
from wirelab.codecs.java.registry import java_codecs
from wirelab.codecs.pack import Pack
from wirelab.schema.text import load

Verify = Callable[..., Verdicts]
Encode = Callable[[Pack, list[Any], str], list[bytes]]

PAIRS = {
    "json/jackson-databind": "json/serde_json",
    "xdr/generated-java": "xdr/rfc4506",
    "protobuf/protobuf-java": "protobuf/prost",
    "thrift/libthrift-compact": "thrift/thrift-compact",
    "thrift/libthrift-binary": "thrift/thrift-binary",
    "avro/avro-java": "avro/serde_avro_fast",
    "flatbuffers/flatbuffers-java": "flatbuffers/flatbuffers",
    "capnp/capnproto-java": "capnp/capnp",
    "capnp/capnproto-java-packed": "capnp/capnp-packed",
    "xml/jackson-dataformat-xml": "xml/quick-xml",
    "smile/jackson-dataformat-smile": "smile/serde-smile",
    "cbor/jackson-dataformat-cbor": "cbor/ciborium",
    "msgpack/jackson-dataformat-msgpack": "msgpack/rmp-serde",
    "ion/jackson-dataformat-ion": "ion/ion-rs",
}
OTHER_BYTES = {
    "cbor/jackson-dataformat-cbor": "objects and tuples have an end in place of a count",
    "xml/jackson-dataformat-xml": "an empty element is one tag",
    "ion/jackson-dataformat-ion": "symbols have other numbers",
}
"""Libraries that write the same values in other bytes, for records without unions too."""


@pytest.fixture(scope="module")
def java(root: Path) -> Pack:
    return build(pack_schemas.MIXED, root)


@pytest.fixture(scope="module")
def rust(root: Path) -> Library:
    pack = build_pack(pack_schemas.MIXED, root / "target" / "test-packs", None, ("all",))
    return Library(pack.path, MESSAGES)


def test_each_alternative_comes_back_as_what_it_was(java: Pack, verify: Verify) -> None:
    verdicts = verify(java, MESSAGES)
    assert set(verdicts) >= {name for name in PAIRS if not name.startswith("capnp")}
    assert {name: one for name, one in verdicts.items() if one["equal"] != len(MESSAGES)} == {}
    assert len({verdict["checksum"] for verdict in verdicts.values()}) == 1


@pytest.mark.first_case
@pytest.mark.parametrize("name", PAIRS)
def test_java_and_rust_read_each_others_unions(
    java: Pack, rust: Library, exchange: Callable[..., Exchanged], name: str
) -> None:
    session, ours, theirs = exchange(java, rust, (name, PAIRS[name]), MESSAGES)
    assert [session.message(one) for one in ours] == MESSAGES
    assert (ours == theirs) == (name not in OTHER_BYTES)


GOLDEN_BYTES = [
    # Plain values: RFC 8949, MessagePack, Smile (header, small integer), Ion (version marker, int).
    ("json/jackson-databind", 7, b"7".hex()),
    ("cbor/jackson-dataformat-cbor", 7, "07"),
    ("cbor/jackson-dataformat-cbor", [3, "x"], "9f 03 61 78 ff"),  # until "break"
    ("msgpack/jackson-dataformat-msgpack", [3, "x"], "92 03 a1 78"),
    ("msgpack/jackson-dataformat-msgpack", "Zm9v", "c4 03 66 6f 6f"),  # bin 8
    ("smile/jackson-dataformat-smile", 7, "3a 29 0a 01 ce"),
    ("ion/jackson-dataformat-ion", 7, "e0 01 00 ea 21 07"),
    ("xml/jackson-dataformat-xml", 7, b'<message type="int_value">7</message>'.hex()),
    (
        "xml/jackson-dataformat-xml",
        [3, "x"],
        b'<message type="tuple_2_value"><item_1>3</item_1><item_2>x</item_2></message>'.hex(),
    ),
    # RFC 4506, section 4.15: the alternative's number, from 0, then the value.
    ("xdr/generated-java", 7, "00000001 00000007"),
    ("xdr/generated-java", [3, "x"], "00000004 00000003 00000001 78000000"),
    # Avro: the alternative's number, from 0, zigzag.
    ("avro/avro-java", 7, "02 0e"),
    ("avro/avro-java", [3, "x"], "08 06 02 78"),
    # A field number from 1, as for any field: Protobuf's oneof, Thrift's union.
    ("protobuf/protobuf-java", 0, "10 00"),  # a member of a oneof is written though it is its default
    ("protobuf/protobuf-java", [3, "x"], "2a 05 08 03 12 01 78"),
    ("thrift/libthrift-compact", 7, "25 0e 00"),  # field 2 of type i32, zigzag 7, stop
    ("thrift/libthrift-binary", 7, "08 0002 00000007 00"),
]


def test_a_union_has_the_bytes_of_its_specification(java: Pack, encode: Encode) -> None:
    for codec in dict.fromkeys(name for name, _, _ in GOLDEN_BYTES):
        cases = [(message, expected) for name, message, expected in GOLDEN_BYTES if name == codec]
        written = encode(java, [message for message, _ in cases], codec)
        assert [one.hex() for one in written] == [expected.replace(" ", "") for _, expected in cases], codec


def test_unions_that_a_library_cannot_hold_are_left_out_with_the_reason() -> None:
    records = "".join(f'[record.R{index}]\nk{index} = "bool"\n' for index in range(128))
    many = load(f'root = "{"|".join(f"R{index}" for index in range(128))}"\n{records}')
    assert "up to 127 alternatives" in java_codecs(many)[1]["flatbuffers/flatbuffers-java"]
    longs = load('root = "int 0..4294967295|timestamp"')
    assert "two alternatives of MessageRecord are long" in java_codecs(longs)[1]["avro/avro-java"]


def test_null_and_empty_values_come_back_from_unions_in_xml(root: Path, verify: Verify) -> None:
    name = "xml/jackson-dataformat-xml"
    schema = load('root = "Reading"\n[record.Reading]\na = "list<string|list<float>|map<bool>|null>"')
    messages = [{"a": one} for one in (["", None, [], [0.5], {}, None, {"k": True}], [None], [])]
    assert verify(build(schema, root), messages, name)[name]["equal"] == len(messages)


def test_integers_up_to_64_bits_come_back_from_every_codec(root: Path, verify: Verify) -> None:
    schema = load(
        'root = "Account"\n[record.Account]\n'
        'epoch = "int 0..18446744073709551615"\nmixed = "int 0..18446744073709551615|string"'
    )
    fit, left = java_codecs(schema)
    assert "integers above 2^63-1 as text" in left["bson/bson4jackson"]
    messages = [{"epoch": number, "mixed": number} for number in (2**64 - 1, 2**63, 0)]
    verdicts = verify(build(schema, root), messages)
    assert {name: verdict["equal"] for name, verdict in verdicts.items()} == {codec.name: 3 for codec in fit}


def test_a_bson_document_holds_a_union(root: Path, verify: Verify, encode: Encode) -> None:
    schema = load('root = "Reading"\n[record.Reading]\nvalue = "int 0..9|string|tuple<bool, string>"')
    messages: list[Any] = [{"value": one} for one in (7, "x", [True, "y"])]
    pack = build(schema, root)
    assert verify(pack, messages, "bson/bson4jackson")["bson/bson4jackson"]["equal"] == 3
    assert [one.hex() for one in encode(pack, messages, "bson/bson4jackson")] == [
        "10000000" + "10" + b"value\0".hex() + "07000000" + "00",  # int32
        "12000000" + "02" + b"value\0".hex() + "02000000" + b"x\0".hex() + "00",
        "1e000000"
        + "04"
        + b"value\0".hex()
        + ("12000000" + "08" + b"0\0".hex() + "01" + "02" + b"1\0".hex() + "02000000" + b"y\0".hex() + "00")
        + "00",
    ]


def test_values_that_no_alternative_takes_are_refused(java: Pack, verify: Verify) -> None:
    name = "json/jackson-databind"
    for text in (b"7.5", b"-1", b"[true]", b'{"x": "text"}'):
        verdict = verify(java, [7], name, foreign=[text])[name]
        assert "no alternative of the union takes" in verdict["failed"], text
    verdict = verify(java, [7], "xdr/generated-java", foreign=[b"\0\0\0\x0a\0\0\0\x07"])["xdr/generated-java"]
    assert "the union has no alternative 10" in verdict["failed"]
    for name, empty in (
        ("protobuf/protobuf-java", b""),
        ("thrift/libthrift-binary", b"\x08\0\x63\0\0\0\7\0"),
    ):
        verdict = verify(java, [7], name, foreign=[empty])[name]
        assert "IllegalArgumentException: the union has no alternative" in verdict["failed"], name


def test_a_union_is_a_sealed_interface_with_a_record_for_each_alternative() -> None:
    schema = load('root = "Reading"\n[record.Reading]\nvalue = "int 0..9|string"')
    fit = [codec for codec in java_codecs(schema)[0] if codec.format == "json"]
    sources = generate(schema, tuple(fit))
    assert "public sealed interface T0 extends Union {" in sources["model/T0.java"]
    assert "record F0(int value) implements T0 {" in sources["model/T0.java"]
    assert "public wirelab.pack.model.T0 f0;" in sources["model/T1.java"]


def test_union_free_schemas_have_no_union_code() -> None:
    fit, _ = java_codecs(pack_schemas.UGLY)
    assert not [path for path, text in generate(pack_schemas.UGLY, fit).items() if "alternative" in text]
