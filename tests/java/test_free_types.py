"""`any` and `decimal` in Java: they come back with their digits, and Java and Rust read each
other's.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library
from tests.codecs.test_free_types import MESSAGES, exact
from tests.java.conftest import Exchanged, Verdicts, build
from wirelab.codecs.build import build_pack
from wirelab.codecs.java.registry import java_codecs
from wirelab.codecs.pack import Pack
from wirelab.schema.payload import normalised, parse
from wirelab.schema.text import load

Verify = Callable[..., Verdicts]
Encode = Callable[[Pack, bytes, str], list[bytes]]

FREE = pack_schemas.FREE
EDGES = rb"""
{"extra": [1e15, 1e16, 0.00001, 0.000001, 5e-324, 1.7976931348623157e308, 123456789012345680.0, -0.0, 2e-3]}
{"extra": [9223372036854775807, -9223372036854775808, 4294967296, -1, 0], "amount": 0E+3}
{"extra": {"\u00e9": "\u0001\u001f\u007f\"\\/\n\ud83d\ude00", "": "1"}, "rest": ["true", "null", "1.0E7"]}
{"amount": -170141183460469231731687303715884105727, "prices": {"a": -0, "b": 170141183460469231731687303715884105728}}
"""
"""Numbers, escapes and coefficients at the bounds of their forms."""
SENT = normalised(parse(MESSAGES + EDGES, "a.jsonl"), FREE)
LINES = SENT.decode().splitlines()

PAIRS = {
    "json/jackson-databind": "json/serde_json",
    "cbor/jackson-dataformat-cbor": "cbor/ciborium",
    "msgpack/jackson-dataformat-msgpack": "msgpack/rmp-serde",
    "xdr/generated-java": "xdr/rfc4506",
    "protobuf/protobuf-java": "protobuf/prost",
    "thrift/libthrift-compact": "thrift/thrift-compact",
    "thrift/libthrift-binary": "thrift/thrift-binary",
    "avro/avro-java": "avro/serde_avro_fast",
    "flatbuffers/flatbuffers-java": "flatbuffers/flatbuffers",
    "capnp/capnproto-java": "capnp/capnp",
    "capnp/capnproto-java-packed": "capnp/capnp-packed",
    "smile/jackson-dataformat-smile": "smile/serde-smile",
    "ion/jackson-dataformat-ion": "ion/ion-rs",
    "bson/bson4jackson": "bson/bson",
    "xml/jackson-dataformat-xml": "xml/quick-xml",
    "yaml/jackson-dataformat-yaml": "yaml/serde-saphyr",
}
TREES = {
    "json/jackson-dom": "json/jackson-databind",
    "protobuf/protobuf-java-dom": "protobuf/protobuf-java",
    "flatbuffers/flatbuffers-java-dom": "flatbuffers/flatbuffers-java",
}
"""Codecs from a tree, which holds decimals as BigDecimal."""
OTHER_BYTES = {
    "json/jackson-databind": "floats have another spelling of their exponent",
    "cbor/jackson-dataformat-cbor": "objects have an end in place of a count",
    "protobuf/protobuf-java": "null in a map is an empty message, which prost leaves out",
    "ion/jackson-dataformat-ion": "symbols have other numbers",
    "bson/bson4jackson": "-0 is text, since BigDecimal has none",
    "xml/jackson-dataformat-xml": "U+007F is escaped",
    "yaml/jackson-dataformat-yaml": "a document has a start",
}
"""Libraries that write the same values in other bytes."""


def seen(line: str) -> Any:
    """A message with the digits of its decimals and the values of the rest."""
    return json.loads(line) | {key: exact(line)[key] for key in exact(line).keys() & {"amount", "prices"}}


@pytest.fixture(scope="module")
def java(root: Path) -> Pack:
    return build(FREE, root)


@pytest.fixture(scope="module")
def rust(root: Path) -> Library:
    return Library(build_pack(FREE, root / "target" / "test-packs", None, ("all",)).path, SENT)


def test_every_codec_returns_the_values_with_one_checksum(java: Pack, rust: Library, verify: Verify) -> None:
    assert {codec.name for codec in java_codecs(FREE)[0]} >= {
        name for name in (*PAIRS, *TREES) if not name.startswith("capnp")
    }
    verdicts = verify(java, SENT, *(codec.name for codec in java.codecs if codec.name not in TREES))
    assert {name: one for name, one in verdicts.items() if one["equal"] != len(LINES)} == {}
    session = rust.session("json/serde_json")
    total = sum(session.decode(session.encode(index)) for index in range(len(LINES)))
    assert {one["checksum"] for one in verdicts.values()} == {f"{total % 2**64:016x}"}


@pytest.mark.first_case
@pytest.mark.parametrize(
    "name", ["protobuf/protobuf-java-dom", "flatbuffers/flatbuffers-java-dom", "json/jackson-dom"]
)
def test_a_tree_has_the_values_and_the_digits_of_native_objects(
    java: Pack, verify: Verify, encode: Encode, name: str
) -> None:
    lines = [line for line in LINES if "-0" not in line]
    sent = "\n".join([*lines, '{"extra":[1e16,0.1,36893488147419103232,{"a":null}],"amount":100}']).encode()
    native = TREES[name]
    verdicts = verify(java, sent, name, native)
    assert verdicts[name]["losses"] == []
    assert verdicts[name]["checksum"] == verdicts[native]["checksum"]
    # In a tree that keeps digits, a float within any is a BigDecimal too.
    assert [
        one
        for one, other in zip(encode(java, sent, name), encode(java, sent, native), strict=True)
        if one != other
    ] == (
        [b'{"extra":[1.0E+16,0.1,3.6893488147419103E+19,{"a":null}],"amount":100}'] if "json" in name else []
    )


def test_a_tree_loses_the_sign_of_a_decimal_zero_by_name(java: Pack, verify: Verify) -> None:
    verdicts = verify(java, b'{"amount":-0.00}', *TREES)
    for verdict in verdicts.values():
        assert [(one["path"], one["kind"]) for one in verdict["losses"]] == [("$.amount", "number changed")]


@pytest.mark.parametrize(
    ("kind", "sent"), [("any", b'{"a":[]}\nnull\n"x"'), ("decimal", b"1.50\n1E-30\n12345678901234567890123")]
)
def test_a_message_may_be_any_value_or_a_decimal(root: Path, verify: Verify, kind: str, sent: bytes) -> None:
    verdicts = verify(build(load(f'root = "{kind}"'), root), sent)
    assert {name: one for name, one in verdicts.items() if one["equal"] != 3} == {}
    assert len({one["checksum"] for one in verdicts.values()}) == 1


def test_digits_that_a_writer_lost_are_named(java: Pack, verify: Verify) -> None:
    short = bytes.fromhex("00000000 00000001 00000003 312e3500 00000000 00000000")  # 1.5
    verdict = verify(java, b'{"amount":1.50}', "xdr/generated-java", foreign=[short])["xdr/generated-java"]
    assert verdict["losses"] == [
        {
            "path": "$.amount",
            "kind": "number changed",
            "count": 1,
            "message": 0,
            "sent": '"1.50"',
            "received": '"1.5"',
        }
    ]


@pytest.mark.first_case
@pytest.mark.parametrize("name", PAIRS)
def test_java_and_rust_read_each_others_values(
    java: Pack, rust: Library, exchange: Callable[..., Exchanged], name: str
) -> None:
    session, ours, theirs = exchange(java, rust, (name, PAIRS[name]), SENT)
    assert [seen(session.text(one)) for one in ours] == list(map(seen, LINES))
    assert (ours == theirs) == (name not in OTHER_BYTES)


GOLDEN_BYTES = [
    # The number literal of the sender. RFC 8949, section 3.4.4: tag 4, [-2, 27315].
    ("json/jackson-databind", '{"amount":273.15}', b'{"amount":273.15}'.hex()),
    ("cbor/jackson-dataformat-cbor", '{"amount":273.15}', "bf 66 616d6f756e74 c4 82 21 19 6ab3 ff"),
    # A coefficient has no -0.
    ("cbor/jackson-dataformat-cbor", '{"amount":-0.0}', "bf 66 616d6f756e74 64 2d302e30 ff"),
    # RFC 8949, section 3.4.3: -1 - 2^64 is tag 3 and 2^64.
    (
        "cbor/jackson-dataformat-cbor",
        '{"amount":-18446744073709551617}',
        "bf 66 616d6f756e74 c4 82 00 c3 49 010000000000000000 ff",
    ),
    # decimal128 of 0.1 in the tests of the BSON specification (decimal128-1.json); -0 is text.
    (
        "bson/bson4jackson",
        '{"amount":0.1}',
        "1d000000 13 616d6f756e7400 0100000000000000000000000000 3e30 00",
    ),
    ("bson/bson4jackson", '{"amount":-0.0}', "16000000 02 616d6f756e7400 05000000 2d302e3000 00"),
    # Integers above 2^63-1 are floats in BSON: 2^64.
    ("bson/bson4jackson", '{"extra":18446744073709551615}', "14000000 01 657874726100 000000000000f043 00"),
    # Text where the format tells no types.
    ("xml/jackson-dataformat-xml", '{"extra":["<"]}', b'<Order><extra>["&lt;"]</extra></Order>'.hex()),
    ("xdr/generated-java", '{"extra":[null,true]}', "00000001 0000000b 5b6e756c6c2c747275655d00" + "00" * 12),
    ("msgpack/jackson-dataformat-msgpack", '{"amount":273.15}', "81 a6 616d6f756e74 a6 3237332e3135"),
    ("json/jackson-databind", '{"extra":[null,true]}', b'{"extra":[null,true]}'.hex()),
    ("cbor/jackson-dataformat-cbor", '{"extra":[null,true]}', "bf 65 6578747261 82 f6 f5 ff"),
    ("msgpack/jackson-dataformat-msgpack", '{"extra":[null,true]}', "81 a5 6578747261 92 c0 c3"),
]


def test_the_bytes_are_those_of_the_specification(java: Pack, encode: Encode) -> None:
    for codec in dict.fromkeys(name for name, _, _ in GOLDEN_BYTES):
        cases = [(message, expected) for name, message, expected in GOLDEN_BYTES if name == codec]
        written = encode(java, "\n".join(message for message, _ in cases).encode(), codec)
        assert [one.hex() for one in written] == [expected.replace(" ", "") for _, expected in cases], codec


def test_null_is_a_value_and_no_value_is_none(java: Pack, encode: Encode) -> None:
    written = encode(java, b'{"extra":null}\n{}', "msgpack/jackson-dataformat-msgpack")
    assert [one.hex() for one in written] == ["81a56578747261c0", "80"]


def test_values_that_json_does_not_have_are_refused(java: Pack, verify: Verify) -> None:
    name = "cbor/jackson-dataformat-cbor"
    sent = b'{"extra":1}'
    nan = bytes.fromhex("bf 65 6578747261 f97e00 ff")
    assert "a number beyond 64-bit floats" in verify(java, sent, name, foreign=[nan])[name]["failed"]
    deep = bytes.fromhex("bf 65 6578747261" + "81" * 129 + "01 ff")
    assert "more than 128 levels" in verify(java, sent, name, foreign=[deep])[name]["failed"]
    name = "msgpack/jackson-dataformat-msgpack"
    text = bytes.fromhex("81 a6 616d6f756e74 a3 2e3578")  # .5x
    assert "'.5x' is not a decimal number" in verify(java, sent, name, foreign=[text])[name]["failed"]
