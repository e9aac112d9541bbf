"""A codec with another setting writes and reads the same messages, and names the setting."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codecs import pack_schemas
from tests.codecs.conftest import BORROWED, built
from tests.codecs.pack_ffi import Library, Refused
from wirelab.codecs.pack import Pack
from wirelab.codecs.registry import codecs_for
from wirelab.model.schema import Bool, Int, List, Map, Schema

pytestmark = pytest.mark.first_case

MESSAGES = [{"a": 150, "b": "testing", "e": [3, 270]}, {"c": {"a": 7}, "m": {"k": 1}}]
PAIRS = {
    "json/serde_json[buffer=fresh]": "json/serde_json",
    "protobuf/prost[buffer=fresh]": "protobuf/prost",
    "capnp/capnp[buffer=fresh]": "capnp/capnp",
    "flatbuffers/flatbuffers[buffer=fresh]": "flatbuffers/flatbuffers",
    "flatbuffers/flatbuffers[validated=no]": "flatbuffers/flatbuffers",
}
SERIALIZE, DESERIALIZE = 6, 7
ESCAPED = {**pack_schemas.BARE, "first-name": 'a"\\\nb\u0000é'}


@pytest.fixture(scope="module")
def pack(pack_cache: Path) -> Pack:
    return built(pack_schemas.GOLDEN, pack_cache, [*PAIRS, *PAIRS.values()])


@pytest.mark.parametrize("name", PAIRS)
def test_another_setting_changes_neither_bytes_nor_values(pack: Pack, name: str) -> None:
    library = Library(pack.path, MESSAGES)
    other, usual = library.session(name), library.session(PAIRS[name])
    for index in range(len(MESSAGES)):
        written = usual.encode(index)
        assert other.encode(index) == written
        assert other.decode(written) == usual.decode(written)
    for phase in (SERIALIZE, DESERIALIZE):
        assert other.run(phase, 0, 2, 3).checksum == usual.run(phase, 0, 2, 3).checksum


@pytest.mark.parametrize("name", BORROWED)
def test_strings_left_in_the_message_are_read_as_copied_ones(ugly_pack: Pack, name: str) -> None:
    messages = [pack_schemas.FULL, pack_schemas.BARE, ESCAPED]
    library = Library(ugly_pack.path, messages)
    other, usual = library.session(name), library.session(name.partition("[")[0])
    for index, message in enumerate(messages):
        written = usual.encode(index)
        assert other.encode(index) == written
        assert other.decode(written) == usual.decode(written)
        assert other.message(written).items() >= message.items()
        with pytest.raises(Refused):
            other.decode(written[:-1])
        with pytest.raises(Refused):
            other.decode(written + b"x")


@pytest.mark.parametrize("name", BORROWED)
def test_strings_left_in_a_wide_message_are_read_as_copied_ones(wide_pack: Pack, name: str) -> None:
    library = Library(wide_pack.path, [pack_schemas.WIDE_FULL, pack_schemas.WIDE_BARE])
    other, usual = library.session(name), library.session(name.partition("[")[0])
    for index in (0, 1):
        written = usual.encode(index)
        assert other.decode(written) == usual.decode(written)


def test_messages_without_strings_have_none_to_leave() -> None:
    names = {codec.name for codec in codecs_for(Schema(List(items=Int(low=0, high=9))))}
    assert names.isdisjoint(BORROWED)
    assert names >= {name.partition("[")[0] for name in BORROWED}
    assert {codec.name for codec in codecs_for(Schema(Map(values=Bool())))} >= set(BORROWED)


def test_the_row_says_whether_strings_are_copied(ugly_pack: Pack) -> None:
    assert ugly_pack.codec("json/serde_json").options["strings"] == "copied"
    lent = ugly_pack.codec("json/serde_json[strings=borrowed]").options["strings"]
    assert lent == "left in the message, copied where it escapes them"
    assert ugly_pack.codec("rkyv/rkyv").options["strings"] == "read in place"


def test_the_row_names_its_settings(pack: Pack) -> None:
    assert pack.codec("json/serde_json[buffer=fresh]").options["buffer"] == "fresh for each message"
    trusting = pack.codec("flatbuffers/flatbuffers[validated=no]")
    assert trusting.options["decode"] == "not verified: the bytes are trusted"
    assert "access_validated" not in trusting.phases
