"""Records within themselves in every Rust codec: they come back, their bytes are those of each
format, and thousands of levels end in an error.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library, Refused
from tests.codecs.test_unions import UNCARRIED, returned_by
from tests.schema.schema_strategies import values
from wirelab.codecs.pack import Pack
from wirelab.codecs.registry import RUST, codecs_for, skipped

CHAIN, RECURSIVE = pack_schemas.CHAIN, pack_schemas.RECURSIVE
UNDERIVED = "bitcode/bitcode"
ALL = tuple(codec.name for codec in RUST if codec.name != UNDERIVED)
TWO: dict[str, Any] = {"next": {"next": {}}}
LEVELS = 10_000


def chain(levels: int) -> dict[str, Any]:
    message: dict[str, Any] = {}
    for _ in range(levels):
        message = {"next": message}
    return message


def node(size: int = 1, **fields: Any) -> dict[str, Any]:
    return {"size": size, "below": [], "last": None, **fields}


def test_every_rust_codec_but_one_carries_recursion() -> None:
    assert {codec.name for codec in codecs_for(RECURSIVE)} >= set(ALL)
    assert skipped(CHAIN)[UNDERIVED] == (
        "the library derives no recursive coders: Chain contains itself at next"
    )


@pytest.mark.parametrize("codec", ALL)
def test_a_chain_comes_back_at_every_depth_that_a_payload_may_have(chain_pack: Pack, codec: str) -> None:
    messages = [chain(levels) for levels in (0, 1, 2, 30, 63)]
    returned = returned_by(Library(chain_pack.path, messages), codec, len(messages))
    assert [without_null(message) for message in returned] == messages


def without_null(value: Any) -> Any:
    """A value without absent fields that came back as null, as Avro has them."""
    if isinstance(value, dict):
        return {key: without_null(one) for key, one in value.items() if one is not None}
    return list(map(without_null, value)) if isinstance(value, list) else value


def without_empty(value: Any) -> Any:
    """A value without the empty lists and maps that Protobuf cannot tell from absent ones."""
    if isinstance(value, dict):
        kept = ((k, one) for k, one in value.items() if one or k not in ("by_name", "grid"))
        return {key: without_empty(one) for key, one in kept}
    return list(map(without_empty, value)) if isinstance(value, list) else value


def bits(text: str) -> bytes:
    padded = text + "0" * (-len(text) % 8)
    return bytes(int(padded[at : at + 8], 2) for at in range(0, len(padded), 8))


def varint(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def protobuf(levels: int) -> bytes:
    """Field 1, length-delimited."""
    data = b""
    for _ in range(levels):
        data = b"\x0a" + varint(len(data)) + data
    return data


def bson(levels: int) -> bytes:
    """A document: its length, elements, a zero."""
    data = b"\x05\0\0\0\0"
    for _ in range(levels):
        data = (len(data) + 11).to_bytes(4, "little") + b"\x03next\0" + data + b"\0"
    return data


def capnp(levels: int) -> bytes:
    """One segment; each struct is one pointer to the word after it."""
    words = b"\0\0\0\0\0\0\1\0" * (levels + 1) + bytes(8)
    return bytes(4) + (len(words) // 8).to_bytes(4, "little") + words


def flatbuffers(levels: int) -> bytes:
    """Two vtables, then a table for each level, which points to the one after it."""
    data = bytearray(b"\x10\0\0\0\x06\0\x08\0\x04\0\x04\0\x04\0\0\0")
    for _ in range(levels):
        data += (len(data) - 4).to_bytes(4, "little") + b"\4\0\0\0"
    return bytes(data + (len(data) - 10).to_bytes(4, "little"))


def rkyv(levels: int) -> bytes:
    """An option of a relative pointer for each level, the innermost first."""
    return bytes(8) + b"\1\0\0\0\xf4\xff\xff\xff" * levels


def smile(levels: int) -> bytes:
    """Objects whose key is written once and then referred to."""
    key = b"\x83next"
    return (
        b"\xfa"
        + b"".join((key if at == 0 else b"\x40") + b"\xfa" for at in range(levels))
        + b"\xfb" * (levels + 1)
    )


def ion(levels: int) -> bytes:
    """A symbol table with `next`, then a struct (type 13) for each level, with its length."""
    table = bytes.fromhex("e0 01 00 ea ea 81 83 d7 87 b5 84") + b"next"
    data = b"\xd0"
    for _ in range(levels):
        body = b"\x8a" + data
        size = ion_length(len(body))
        data = (bytes([0xD0 | len(body)]) if 1 < len(body) < 14 else b"\xde" + size) + body
    return table + data


def ion_length(number: int) -> bytes:
    """Seven bits in a byte, the highest first; the last byte is marked."""
    last = bytes([number & 127 | 128])
    while number := number >> 7:
        last = bytes([number & 127]) + last
    return last


BYTES: dict[str, Callable[[int], bytes]] = {
    "json/serde_json": lambda n: b'{"next":' * n + b"{}" + b"}" * n,
    "json/sonic-rs": lambda n: b'{"next":' * n + b"{}" + b"}" * n,
    "cbor/ciborium": lambda n: b"\xa1\x64next" * n + b"\xa0",
    "cbor/cbor4ii": lambda n: b"\xa1\x64next" * n + b"\xa0",
    "cbor/minicbor": lambda n: b"\xa1\x64next" * n + b"\xa0",
    "msgpack/rmp-serde": lambda n: b"\x81\xa4next" * n + b"\x80",
    "postcard/postcard": lambda n: b"\1" * n + b"\0",
    "xdr/rfc4506": lambda n: b"\0\0\0\1" * n + bytes(4),  # RFC 4506, section 4.19
    "avro/serde_avro_fast": lambda n: b"\2" * n + b"\0",
    "uper/rasn": lambda n: bits("1" * n + "0"),
    "thrift/thrift-compact": lambda n: b"\x1c" * n + bytes(n + 1),
    "thrift/thrift-binary": lambda n: b"\x0c\0\1" * n + bytes(n + 1),
    "protobuf/prost": protobuf,
    "protobuf/protobuf-upb": protobuf,
    "bson/bson": bson,
    "ion/ion-rs": ion,
    "smile/serde-smile": lambda n: b":)\n\x01" + smile(n),
    "capnp/capnp": capnp,
    "xml/quick-xml": lambda n: b"<Chain>" + b"<next>" * n + b"</next>" * n + b"</Chain>",
    "yaml/serde-saphyr": lambda n: b"{next: " * n + b"{}" + b"}" * n,
    "flatbuffers/flatbuffers": flatbuffers,
    "rkyv/rkyv": rkyv,
}
READ_ONLY = ("ion/ion-rs", "xml/quick-xml", "yaml/serde-saphyr", "flatbuffers/flatbuffers")
"""Codecs that write the same value in another way."""


@pytest.mark.parametrize("codec", [codec for codec in BYTES if codec not in READ_ONLY])
def test_a_record_inside_itself_has_the_bytes_of_its_format(chain_pack: Pack, codec: str) -> None:
    session = Library(chain_pack.path, [TWO]).session(codec)
    assert session.encode(0).hex(" ") == BYTES[codec](2).hex(" ")


@pytest.mark.parametrize("codec", BYTES)
def test_bytes_of_a_format_are_read(chain_pack: Pack, codec: str) -> None:
    session = Library(chain_pack.path, [TWO]).session(codec)
    assert without_null(session.message(BYTES[codec](2))) == TWO


# In a separate process: an exhausted stack ends it by a signal.
DEEP = """
import json, sys
sys.path.insert(0, sys.argv[1])
from tests.codecs.pack_ffi import Library, Refused
from tests.codecs.test_recursion import BYTES, LEVELS
session = Library(sys.argv[2], [{}]).session(sys.argv[3])
data = BYTES[sys.argv[3]](LEVELS)
for read in (session.decode, session.message):
    try:
        read(data)
    except Refused as refused:
        print(str(refused)[:200])
"""


@pytest.mark.parametrize("codec", BYTES)
def test_ten_thousand_levels_end_in_an_error(chain_pack: Pack, codec: str) -> None:
    command = [sys.executable, "-c", DEEP, str(Path(__file__).parents[2]), chain_pack.path, codec]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(done.stdout.splitlines()) >= 2


def links(levels: int) -> dict[str, Any]:
    """Alternating records, unions and tuples."""
    link: dict[str, Any] = {"to": "end"}
    for level in range(levels):
        link = {"to": node(link=link)} if level % 2 else {"to": [link, True]}
    return link


MESSAGES: list[Any] = [
    {"name": "leaf", "top": node()},
    {"name": "each way", "top": node(
        below=[node(2), node(3, below=[node(4)])], next=node(5, last=node(6)), link={"to": "x"},
        by_name={"a": node(7), "b": None}, grid=[[None, node(8)], []],
    )},
    {"name": "union", "top": node(link={"to": [{"to": node()}, False]})},
    {"name": "deep", "top": node(link=links(29))},
]  # fmt: skip


@pytest.mark.matrix
@pytest.mark.parametrize("codec", ALL)
def test_records_that_contain_themselves_in_every_way_come_back(recursive_pack: Pack, codec: str) -> None:
    returned = returned_by(Library(recursive_pack.path, MESSAGES), codec, len(MESSAGES))
    assert list(map(without_null, returned)) == list(map(without_null, MESSAGES))


@pytest.mark.matrix
def test_the_checksum_is_the_same_in_every_format(recursive_pack: Pack) -> None:
    library = Library(recursive_pack.path, MESSAGES)
    sessions = [library.session(codec) for codec in ALL]
    sums = {tuple(one.decode(one.encode(index)) for one in sessions) for index in range(len(MESSAGES))}
    assert all(len(set(found)) == 1 for found in sums)
    assert len(sums) == len(MESSAGES)


@pytest.mark.matrix
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(messages=st.lists(values(RECURSIVE.root, RECURSIVE), min_size=1, max_size=3))
def test_any_recursive_messages_come_back(recursive_pack: Pack, messages: list[Any]) -> None:
    library = Library(recursive_pack.path, messages)
    for codec in ALL:
        if codec.startswith("flexbuffers") and "\\u0000" in json.dumps(messages):
            continue  # its keys end at a zero
        try:
            returned = returned_by(library, codec, len(messages))
        except Refused as refused:
            if not any(why in str(refused) for why in UNCARRIED):
                raise
        else:
            sent = list(map(without_empty, messages)) if codec.startswith("protobuf") else messages
            assert list(map(without_null, returned)) == list(map(without_null, sent)), codec
