"""Java and Rust read each other's messages with equal checksums; bytes match the specifications."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.codecs import pack_schemas
from tests.codecs.pack_ffi import Library
from tests.java.conftest import Verdicts
from wirelab.codecs.build import build_pack
from wirelab.codecs.java.capnp import GENERATOR, sources
from wirelab.codecs.pack import Pack

pytestmark = pytest.mark.first_case

PAIRS = {
    "json/serde_json": "json/jackson-databind",
    "cbor/ciborium": "cbor/jackson-dataformat-cbor",
    "msgpack/rmp-serde": "msgpack/jackson-dataformat-msgpack",
    "protobuf/prost": "protobuf/protobuf-java",
    "flatbuffers/flatbuffers": "flatbuffers/flatbuffers-java",
    "avro/serde_avro_fast": "avro/avro-java",
}
MESSAGES = [pack_schemas.FULL, pack_schemas.BARE]


@pytest.fixture(scope="module")
def rust(root: Path) -> Library:
    return Library(build_pack(pack_schemas.UGLY, root / "target" / "test-packs").path, MESSAGES)


@pytest.mark.parametrize("codec", PAIRS)
def test_java_reads_messages_that_rust_wrote(
    rust: Library, ugly_pack: Pack, verify: Callable[..., Verdicts], codec: str
) -> None:
    session = rust.session(codec)
    written = [session.encode(index) for index in range(len(MESSAGES))]
    verdict = verify(ugly_pack, MESSAGES, PAIRS[codec], foreign=written)[PAIRS[codec]]
    assert (verdict["equal"], verdict["losses"]) == (len(MESSAGES), []) or codec.startswith("avro")
    total = sum(session.decode(one) for one in written) % 2**64
    assert verdict["checksum"] == f"{total:016x}"


@pytest.mark.parametrize("codec", PAIRS)
def test_rust_reads_messages_that_java_wrote(
    rust: Library, ugly_pack: Pack, encode: Callable[[Pack, list[Any], str], list[bytes]], codec: str
) -> None:
    session = rust.session(codec)
    written = encode(ugly_pack, MESSAGES, PAIRS[codec])
    for index, one in enumerate(written):
        assert session.decode(one) == session.decode(session.encode(index))


GOLDEN = {
    # Protocol Buffers, Encoding: a 64-bit integer 150 in field 1; "testing" in field 2.
    ("protobuf/protobuf-java", 0): "089601",
    ("protobuf/protobuf-java", 1): "120774657374696e67",
    # Apache Thrift, Compact protocol: field header 1 (delta) + type 6 (i64), zigzag varint; stop.
    ("thrift/libthrift-compact", 0): "16ac0200",
    # Binary protocol: type 10 (i64), field 1, eight bytes; stop.
    ("thrift/libthrift-binary", 0): "0a0001000000000000009600",
    # RFC 4506: present, unsigned hyper 150, and nine times absent.
    ("xdr/generated-java", 0): "00000001" + "0000000000000096" + "00000000" * 9,
    # RFC 8949: an indefinite map, text "a", 150; break.
    ("cbor/jackson-dataformat-cbor", 0): "bf61611896ff",
    # MessagePack: fixmap of 1, fixstr "a", uint 8 150.
    ("msgpack/jackson-dataformat-msgpack", 0): "81a161cc96",
    # BSON 1.1: length 16, int64 (or int32) "a" 150, end.
    ("bson/bson4jackson", 0): "10000000" + "12610096000000000000" + "0000",
    # Smile: header with shared names, object, short key "a", 32-bit vint zigzag 300, end.
    ("smile/jackson-dataformat-smile", 0): "3a290a01" + "fa" + "8061" + "2404ac" + "fb",
    ("json/jackson-databind", 0): b'{"a":150}'.hex(),
    ("xml/jackson-dataformat-xml", 0): b"<Golden><a>150</a></Golden>".hex(),
    ("yaml/jackson-dataformat-yaml", 0): b"---\na: 150\n".hex(),
}


def test_encoded_bytes_match_the_examples_of_the_specifications(
    golden_pack: Pack, encode: Callable[[Pack, list[Any], str], list[bytes]]
) -> None:
    messages = [{"a": 150}, {"b": "testing"}]
    for codec in dict.fromkeys(codec for codec, _ in GOLDEN):
        written = encode(golden_pack, messages, codec)
        for index, one in enumerate(written):
            if (codec, index) in GOLDEN:
                assert one.hex() == GOLDEN[codec, index], codec


@pytest.mark.skipif(shutil.which(GENERATOR) is None, reason="capnpc-java is not installed")
@pytest.mark.parametrize("packing", ["", "-packed"])
def test_the_official_capnp_compiler_reads_messages_written_in_java(
    golden_pack: Pack, encode: Callable[[Pack, list[Any], str], list[bytes]], tmp_path: Path, packing: str
) -> None:
    message = {
        "a": 150,
        "b": "testing",
        "e": [3, 270],
        "compact": False,
        "test": {"a": -1, "b": ""},
        "m": {"k": 7},
    }
    [written] = encode(golden_pack, [message], f"capnp/capnproto-java{packing}")
    (tmp_path / "schema.capnp").write_text(sources(pack_schemas.GOLDEN)["schema.capnp"])
    words = ["capnp", "decode", "schema.capnp", "T2", "--short", *(["--packed"] if packing else [])]
    done = subprocess.run(words, cwd=tmp_path, input=written, capture_output=True, check=True)
    assert done.stdout.decode().strip() == (
        '(f0 = (value = 150), f1 = "testing", f3 = (absent = void), f4 = (absent = void), f5 = [3, 270], '
        'f6 = (value = false), f7 = (absent = void), f8 = (f0 = -1, f1 = ""), f9 = [(key = "k", value = 7)])'
    )
