"""Records with too many fields for serde's derived code behave as with it."""

from __future__ import annotations

import ctypes
import json

import pytest

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library, Refused
from tests.codecs.test_round_trip import ALL
from wirelab.codecs.pack import Pack

pytestmark = pytest.mark.matrix


@pytest.mark.parametrize("codec", ALL)
def test_a_wide_message_comes_back_full_and_bare(wide_pack: Pack, codec: str) -> None:
    sent = [pack_schemas.WIDE_FULL, pack_schemas.WIDE_BARE]
    session = Library(wide_pack.path, sent).session(codec)
    full, bare = (session.message(session.encode(index)) for index in (0, 1))
    assert full == pack_schemas.WIDE_FULL
    if codec.startswith("avro"):  # named: null against absent
        bare = {key: value for key, value in bare.items() if key in pack_schemas.WIDE_BARE}
    assert bare == pack_schemas.WIDE_BARE


def test_wide_messages_have_the_same_checksum_in_every_format(wide_pack: Pack) -> None:
    library = Library(wide_pack.path, [pack_schemas.WIDE_FULL, pack_schemas.WIDE_BARE])
    for index in (0, 1):
        sessions = [library.session(codec) for codec in ALL]
        assert len({session.decode(session.encode(index)) for session in sessions}) == 1


def refuse(pack: Pack, text: str) -> str:
    library = Library(pack.path, [])
    data, handle = text.encode(), ctypes.c_void_p()
    with pytest.raises(Refused) as refused:
        library.check(
            library.functions.wl_corpus_open(data, ctypes.c_size_t(len(data)), ctypes.byref(handle))
        )
    return str(refused.value)


def test_a_missing_or_duplicate_field_of_a_wide_record_is_named(wide_pack: Pack) -> None:
    without = {key: value for key, value in pack_schemas.WIDE_FULL.items() if key != "k1"}
    assert "missing field `k1`" in refuse(wide_pack, json.dumps(without))
    twice = json.dumps(pack_schemas.WIDE_FULL).replace('"k8"', '"k1"', 1)
    assert "duplicate field `k1`" in refuse(wide_pack, twice)


def test_unknown_keys_of_a_wide_record_are_passed_over(wide_pack: Pack) -> None:
    message = {**pack_schemas.WIDE_FULL, "unknown": [{"deep": 1}]}
    session = Library(wide_pack.path, [message]).session("json/serde_json")
    assert session.message(session.encode(0)) == pack_schemas.WIDE_FULL
