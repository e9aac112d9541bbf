"""The selection of codecs by words: a format, a codec, all of a format, all."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirelab.codecs.registry import RUST, codecs_for, select, skipped
from wirelab.model.errors import BadInput
from wirelab.model.schema import Bool, Schema, String
from wirelab.model.study import FORMATS

KNOWN = ("json/serde_json", "json/other", "cbor/ciborium", "yaml/some")


def test_a_format_is_its_first_codec_and_a_star_all_of_them() -> None:
    assert select(["json"], KNOWN) == ("json/serde_json",)
    assert select(["json/*"], KNOWN) == ("json/serde_json", "json/other")
    assert select(["cbor", "json/other"], KNOWN) == ("cbor/ciborium", "json/other")


def test_all_is_every_codec_and_none_is_named_twice() -> None:
    assert select(["cbor", "all"], KNOWN) == ("cbor/ciborium", "json/serde_json", "json/other", "yaml/some")


def test_no_selection_means_the_default_formats_and_raw_if_supported() -> None:
    names = [codec.name for codec in codecs_for(Schema(Bool()))]
    assert [name.partition("/")[0] for name in select([], names)] == list(FORMATS)
    with_raw = [codec.name for codec in codecs_for(Schema(String()))]
    assert select([], with_raw)[-1] == "raw/none"


def test_another_setting_is_measured_only_when_it_is_named_in_full() -> None:
    known = [codec.name for codec in codecs_for(Schema(Bool()))]
    for name in ("flatbuffers/flatbuffers[validated=no]", "json/serde_json[buffer=fresh]"):
        assert name not in select(["all", "json/*", "flatbuffers/*", "flatbuffers"], known)
        assert select([name], known) == (name,)


def test_an_unknown_word_is_refused_with_the_nearest() -> None:
    with pytest.raises(BadInput, match=r"format 'jsn': unknown.*json"):
        select(["jsn"], KNOWN)


def test_a_codec_whose_compiler_is_missing_is_skipped_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert skipped(Schema(Bool()))["capnp/capnp-packed"] == "its compiler is missing: apt install capnproto"
    assert (
        skipped(Schema(Bool()))["thrift/thrift-binary"]
        == "its compiler is missing: apt install thrift-compiler"
    )
    names = {codec.name for codec in codecs_for(Schema(Bool()))}
    assert names.isdisjoint(skipped(Schema(Bool())))
    assert "json/serde_json" in names


def test_a_format_without_a_kept_library_is_skipped_with_the_reason() -> None:
    assert "no maintained Rust library" in skipped(Schema(Bool()))["ubjson/none"]


def test_no_two_codecs_have_one_name() -> None:
    assert len({codec.name for codec in RUST}) == len(RUST)
