"""Every codec restores the message, or its losses are named."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library, Refused
from wirelab.codecs.pack import Pack
from wirelab.codecs.registry import RUST

ALL = tuple(codec.name for codec in RUST)
ONE_MARK = ("protobuf", "flatbuffers", "avro", "xdr", "capnp", "thrift", "uper")
"""Formats with one mark for absent and null."""


@pytest.fixture(scope="module")
def library(ugly_pack: Pack) -> Library:
    return Library(ugly_pack.path, [pack_schemas.FULL, pack_schemas.BARE])


def with_absent_as_null(message: dict[str, Any]) -> dict[str, Any]:
    nullable = {"both": None, "oflags": None, "optn": None, "ot": None}
    return {**nullable, **message}


@pytest.mark.parametrize("codec", ALL)
def test_a_message_with_every_field_comes_back(library: Library, codec: str) -> None:
    session = library.session(codec)
    assert session.message(session.encode(0)) == pack_schemas.FULL


@pytest.mark.parametrize("codec", ALL)
def test_a_message_with_the_fewest_fields_comes_back(library: Library, codec: str) -> None:
    session = library.session(codec)
    expected = pack_schemas.BARE
    if codec.startswith("avro"):
        expected = with_absent_as_null(expected)  # named: null against absent
    assert session.message(session.encode(1)) == expected


@pytest.mark.parametrize("codec", ALL)
def test_a_zero_in_a_text_comes_back_except_in_xml(ugly_pack: Pack, codec: str) -> None:
    message = {**pack_schemas.BARE, "first-name": "a\u0000b"}
    library = Library(ugly_pack.path, [message])
    if codec.startswith("xml"):
        with pytest.raises(Refused, match=r"message 0: XML cannot hold the character U\+0000"):
            library.session(codec)
        return
    session = library.session(codec)
    assert session.message(session.encode(0))["first-name"] == "a\u0000b"


@pytest.mark.parametrize("codec", ALL)
def test_null_and_absent_come_back_apart_or_are_a_named_loss(ugly_pack: Pack, codec: str) -> None:
    message = {**pack_schemas.FULL, "both": None}
    session = Library(ugly_pack.path, [message]).session(codec)
    returned = session.message(session.encode(0))
    is_named = "null against absent at both" in ugly_pack.codec(codec).losses
    assert is_named == (codec.split("/", maxsplit=1)[0] in ONE_MARK)
    if codec.startswith(ONE_MARK) and not codec.startswith("avro"):
        assert "both" not in returned
    else:
        assert returned["both"] is None


def test_the_checksum_is_the_same_in_every_format(library: Library) -> None:
    for index in (0, 1):
        sessions = [library.session(codec) for codec in ALL]
        assert len({session.decode(session.encode(index)) for session in sessions}) == 1


def changed(message: Any, path: tuple[Any, ...], value: Any) -> Any:
    copied = copy.deepcopy(message)
    inner = copied
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return copied


@pytest.mark.parametrize("codec", ALL)
@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("type",), 4),
        (("neg",), 0),
        (("grid", 1, 1), 3),
        (("deep", 1, 1, 0), "b"),
        (("flags", 1), True),
        (("opt", "x"), 4),
        (("m", "a"), 0.2),
        (("mm", "l", "y", "s"), "t"),
        (("mb", "k"), "Zm8="),
        (("ts", 1), "1969-12-31T23:59:59.000000002Z"),
        (("bb",), True),
        (("lo", 1, "s"), "v"),
    ],
)
def test_a_change_in_any_field_changes_the_checksum(
    ugly_pack: Pack, codec: str, path: tuple[Any, ...], value: Any
) -> None:
    session = Library(ugly_pack.path, [pack_schemas.FULL, changed(pack_schemas.FULL, path, value)]).session(
        codec
    )
    assert session.decode(session.encode(0)) != session.decode(session.encode(1))


@pytest.mark.parametrize("codec", [codec for codec in ALL if not codec.startswith(("json", "yaml", "xml"))])
def test_a_timestamp_with_an_offset_keeps_its_instant_and_loses_its_offset(
    ugly_pack: Pack, codec: str
) -> None:
    message = {**pack_schemas.FULL, "t": "2024-02-29T12:00:00+02:00"}
    session = Library(ugly_pack.path, [message]).session(codec)
    # bitcode derives its code from the native type, which remembers how the text was written.
    expected = "2024-02-29T12:00:00+02:00" if codec.startswith("bitcode") else "2024-02-29T10:00:00Z"
    assert session.message(session.encode(0))["t"] == expected


@pytest.mark.parametrize("codec", ALL)
def test_bytes_after_a_message_are_an_error(library: Library, codec: str) -> None:
    if codec.startswith(("protobuf", "flatbuffers", "ion")):
        pytest.skip(
            "the format takes padding, later fields, or anything after its tables, as part of the message"
        )
    session = library.session(codec)
    with pytest.raises(Refused):
        session.decode(session.encode(0) + b"\x00")


def test_a_corpus_that_does_not_fit_the_schema_is_refused_with_its_line(ugly_pack: Pack) -> None:
    with pytest.raises(Refused, match="corpus line 2: invalid type"):
        Library(ugly_pack.path, [pack_schemas.FULL, {**pack_schemas.FULL, "type": "text"}])


def test_an_unknown_codec_phase_or_message_is_refused_in_a_sentence(library: Library) -> None:
    with pytest.raises(Refused, match="no codec 'exi/none'"):
        library.session("exi/none")
    session = library.session("json/serde_json")
    with pytest.raises(Refused, match="no Populate phase"):
        session.run(0, 0, 2, 1)
    with pytest.raises(Refused, match="of a corpus of 2"):
        session.encode(2)


@pytest.mark.parametrize("codec", ALL)
def test_a_timed_loop_does_every_operation_and_reads_the_same_as_decode(library: Library, codec: str) -> None:
    session = library.session(codec)
    once = [session.decode(session.encode(index)) for index in (0, 1)]
    timing = session.run(7, 0, 2, 3)
    assert timing.operations == 6
    assert timing.bytes == 3 * (len(session.encode(0)) + len(session.encode(1)))
    assert timing.checksum == 3 * sum(once) % 2**64
    assert timing.wall_ns > 0
    assert timing.cpu_ns > 0
