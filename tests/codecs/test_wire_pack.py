"""A pack around another one puts its messages into batches, compresses them, and gives them back."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.codecs.pack_ffi import Library, Refused
from wirelab.codecs.pack import Pack
from wirelab.codecs.wire_pack import check_method, wire_pack
from wirelab.model.errors import BadInput

MESSAGES = [{"a": 150, "b": "testing testing testing testing"}, {"f": None, "e": [1, 2, 3]}]


def test_a_message_is_that_of_the_pack_inside_compressed(golden_pack: Pack) -> None:
    inside = Library(golden_pack.path, MESSAGES).session("json/serde_json")
    around = Library(wire_pack(golden_pack, "gzip"), MESSAGES).session("json/serde_json")
    for index, message in enumerate(MESSAGES):
        assert json.loads(gzip.decompress(around.encode(index))) == message
        assert around.decode(around.encode(index)) == inside.decode(inside.encode(index))


def test_zstd_frames_are_read_back_and_other_bytes_are_refused(golden_pack: Pack) -> None:
    around = Library(wire_pack(golden_pack, "zstd"), MESSAGES).session("protobuf/prost")
    frame = around.encode(0)
    assert frame[:4] == bytes.fromhex("28b52ffd")
    assert isinstance(around.decode(frame), int)
    with pytest.raises(Refused, match="invalid data"):
        around.decode(b"no frame")


def test_a_batch_holds_the_next_messages_each_behind_its_length(golden_pack: Pack) -> None:
    inside = Library(golden_pack.path, MESSAGES).session("json/serde_json")
    around = Library(wire_pack(golden_pack, "none", 3), MESSAGES)
    first, second = (inside.encode(index) for index in (0, 1))
    a, b = bytes([len(first)]) + first, bytes([len(second)]) + second
    assert around.functions.wl_corpus_len(around.corpus) == 2
    batches = around.session("json/serde_json")
    assert [batches.encode(0), batches.encode(1)] == [a + b + a, b + a + b]


def test_a_batch_is_compressed_as_one(golden_pack: Pack) -> None:
    plain = Library(wire_pack(golden_pack, "none", 2), MESSAGES).session("json/serde_json")
    around = Library(wire_pack(golden_pack, "gzip", 2), MESSAGES).session("json/serde_json")
    assert gzip.decompress(around.encode(0)) == plain.encode(0)
    assert around.decode(around.encode(0)) == plain.decode(plain.encode(0))


def test_every_message_of_a_batch_is_read(golden_pack: Pack) -> None:
    around = Library(wire_pack(golden_pack, "none", 2), MESSAGES).session("json/serde_json")
    batch = around.encode(0)
    with pytest.raises(Refused, match="not a whole batch"):
        around.decode(batch[:-1])
    with pytest.raises(Refused):
        around.decode(batch.replace(b"[1,2,3]", b"[1,2,3}"))


def test_without_either_it_is_the_pack_itself(golden_pack: Pack) -> None:
    assert wire_pack(golden_pack, "none") == str(golden_pack.path)


def test_the_library_and_its_settings_are_made_once(golden_pack: Pack) -> None:
    first = Path(wire_pack(golden_pack, "zstd"))
    before = first.stat().st_mtime_ns
    assert Path(wire_pack(golden_pack, "zstd")) == first
    assert first.stat().st_mtime_ns == before
    settings = json.loads((first.parent / "wire.json").read_text())
    assert settings == {"pack": str(golden_pack.path), "method": "zstd", "batch": 1}


def test_an_unknown_method_is_refused_by_name() -> None:
    with pytest.raises(BadInput, match="compression 'zst': unknown; did you mean zstd"):
        check_method("zst")
