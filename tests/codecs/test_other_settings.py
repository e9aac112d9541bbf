"""A codec with another setting writes and reads the same messages, and says what is set."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codecs import pack_schemas
from tests.codecs.conftest import built
from tests.codecs.pack_ffi import Library
from wirelab.codecs.pack import Pack

MESSAGES = [{"a": 150, "b": "testing", "e": [3, 270]}, {"c": {"a": 7}, "m": {"k": 1}}]
PAIRS = {
    "json/serde_json[buffer=fresh]": "json/serde_json",
    "protobuf/prost[buffer=fresh]": "protobuf/prost",
    "capnp/capnp[buffer=fresh]": "capnp/capnp",
    "flatbuffers/flatbuffers[buffer=fresh]": "flatbuffers/flatbuffers",
    "flatbuffers/flatbuffers[validated=no]": "flatbuffers/flatbuffers",
}
SERIALIZE, DESERIALIZE = 6, 7


@pytest.fixture(scope="module")
def pack(pack_cache: Path) -> Pack:
    return built(pack_schemas.GOLDEN, pack_cache, [*PAIRS, *PAIRS.values()])


@pytest.mark.parametrize("name", PAIRS)
def test_another_setting_changes_neither_bytes_nor_what_is_read(pack: Pack, name: str) -> None:
    library = Library(pack.path, MESSAGES)
    other, usual = library.session(name), library.session(PAIRS[name])
    for index in range(len(MESSAGES)):
        written = usual.encode(index)
        assert other.encode(index) == written
        assert other.decode(written) == usual.decode(written)
    for phase in (SERIALIZE, DESERIALIZE):
        assert other.run(phase, 0, 2, 3).checksum == usual.run(phase, 0, 2, 3).checksum


def test_the_row_says_what_is_set(pack: Pack) -> None:
    assert pack.codec("json/serde_json[buffer=fresh]").options["buffer"] == "fresh for each message"
    trusting = pack.codec("flatbuffers/flatbuffers[validated=no]")
    assert trusting.options["decode"] == "not verified: the bytes are trusted"
    assert "access_validated" not in trusting.phases
