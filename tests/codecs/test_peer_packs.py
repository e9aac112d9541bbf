"""The codecs of several languages that peers load."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.codecs import pack_schemas
from wirelab.codecs.pack import CodecInfo, Pack
from wirelab.codecs.peer_packs import PeerPacks, choose_peer_codecs, language_of
from wirelab.model.errors import BadInput


@pytest.mark.parametrize(
    ("asked", "languages", "chosen"),
    [
        (("json", "cbor"), ("rust",), ("json/serde_json", "cbor/ciborium")),
        (("json", "cbor"), ("rust", "cpp"), ("json/serde_json", "cbor/ciborium", "json/jsoncpp")),
        (("json/*",), ("rust", "cpp"), ("json/serde_json", "json/sonic-rs", "json/jsoncpp", "json/rapidjson")),
        (("json/rapidjson",), ("rust", "cpp"), ("json/rapidjson",)),
        (("json", "avro"), ("java",), ("json/jackson-databind", "avro/avro-java")),
        (("protobuf",), ("rust", "java"), ("protobuf/prost", "protobuf/protobuf-java")),
        (
            (),
            ("cpp",),
            ("json/jsoncpp", "msgpack/msgpack-cxx", "protobuf/protobuf-cpp", "flatbuffers/flatbuffers-cpp"),
        ),
    ],
)  # fmt: skip
def test_a_word_selects_codecs_in_each_language_that_has_it(
    asked: Sequence[str], languages: Sequence[str], chosen: Sequence[str]
) -> None:
    assert choose_peer_codecs(pack_schemas.GOLDEN, asked, languages) == chosen


@pytest.mark.parametrize(
    ("asked", "languages", "complaint"),
    [
        ((), ("go",), "language 'go': unknown"),
        (("cbor",), ("cpp",), "format 'cbor': unknown for this payload"),
        (("exi",), ("rust", "cpp"), "format 'exi': unknown for this payload"),
    ],
)
def test_what_no_peer_can_load_is_refused_with_the_reason(
    asked: Sequence[str], languages: Sequence[str], complaint: str
) -> None:
    with pytest.raises(BadInput, match=complaint):
        choose_peer_codecs(pack_schemas.GOLDEN, asked, languages)


@pytest.mark.parametrize(
    ("codec", "language"),
    [("json/serde_json", "rust"), ("json/jsoncpp", "cpp"), ("json/jackson-databind", "java")],
)
def test_a_name_tells_the_language(codec: str, language: str) -> None:
    assert language_of(codec) == language


def test_each_codec_has_the_pack_of_its_language() -> None:
    rust = Pack("/r/libpack.so", "s", "rustc 1.95.0", (CodecInfo("json/serde_json", "json", "x", "1", ()),))
    cpp = Pack("/c/libpack.so", "s", "g++ 12.2.0", (CodecInfo("json/jsoncpp", "json", "y", "1", ()),), "cpp")
    built = PeerPacks((rust, cpp))
    assert {name: pack.path for name, pack in built.codecs.items()} == {
        "json/serde_json": "/r/libpack.so",
        "json/jsoncpp": "/c/libpack.so",
    }
    assert built.toolchain == "rustc 1.95.0, g++ 12.2.0"
