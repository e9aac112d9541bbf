"""Records that contain themselves in Java: they come back, and no depth of foreign bytes ends the
JVM.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.java.conftest import Verdicts, build
from tests.schema.test_recursion import TREE, TREE_MESSAGE
from wirelab.codecs.java.registry import JAVA, java_codecs
from wirelab.codecs.pack import Pack
from wirelab.schema.text import load

Verify = Callable[..., Verdicts]
Encode = Callable[[Pack, list[Any], str], list[bytes]]
CHAIN = load('root = "Chain"\n[record.Chain]\nsize = "int 0..9"\nnext = "Chain?"')
LEVELS_READ = 60


def chain(levels: int) -> Any:
    message: Any = {"size": 0}
    for _ in range(levels):
        message = {"size": 1, "next": message}
    return message


@pytest.fixture(scope="module")
def pack(root: Path) -> Pack:
    return build(CHAIN, root)


def test_every_codec_carries_recursive_records(pack: Pack, verify: Verify) -> None:
    messages = [{"size": 7}, chain(2), chain(LEVELS_READ)]
    verdicts = verify(pack, messages)
    assert set(verdicts) >= {codec.name for codec in JAVA if codec.format != "capnp"}
    assert {name: one for name, one in verdicts.items() if one["equal"] != len(messages)} == {}
    assert len({verdict["checksum"] for verdict in verdicts.values()}) == 1


GOLDEN_BYTES = {
    # Fields 1 and 2, which holds a message of two bytes.
    "protobuf/protobuf-java": "08 01 12 02 08 02",
    # RFC 4506, section 4.19: a pointer is a boolean, then what it points to.
    "xdr/generated-java": "00000001 00000001 00000002 00000000",
    # Integers as zigzag; the union's number 1 is the record, 0 is null.
    "avro/avro-java": "02 02 04 00",
    # Field 1 of type i32, field 2 of type struct, each struct ends with 0.
    "thrift/libthrift-compact": "15 02 1c 15 04 00 00",
    "json/jackson-databind": b'{"size":1,"next":{"size":2}}'.hex(),
}


def test_recursive_records_have_the_bytes_of_the_specifications(pack: Pack, encode: Encode) -> None:
    message = {"size": 1, "next": {"size": 2}}
    found = {name: encode(pack, [message], name)[0].hex() for name in GOLDEN_BYTES}
    assert found == {name: expected.replace(" ", "") for name, expected in GOLDEN_BYTES.items()}


@pytest.mark.parametrize(
    ("codec", "level", "why"),
    [
        ("xdr/generated-java", b"\0\0\0\1" * 2, "more than 1000 levels of records"),
        ("json/jackson-databind", b'{"size":1,"next":', "maximum allowed (1000"),
        ("avro/avro-java", b"\2\2", "StackOverflowError"),
    ],
)
def test_foreign_bytes_of_any_depth_are_refused(
    pack: Pack, verify: Verify, codec: str, level: bytes, why: str
) -> None:
    verdict = verify(pack, [{"size": 1}], codec, foreign=[level * 100_000])[codec]
    assert why in verdict["failed"]


def test_unions_inside_recursive_records_come_back(root: Path, verify: Verify) -> None:
    verdicts = verify(build(load(TREE), root), [TREE_MESSAGE])
    lost = [("$.top.below[].next", "null became absent")]
    for name, verdict in verdicts.items():
        keeps = name.partition("/")[0] in ("json", "cbor", "smile", "msgpack", "bson", "ion", "yaml", "xml")
        found = [(loss["path"], loss["kind"]) for loss in verdict["losses"]]
        assert (found, "failed" in verdict) == ([] if keeps else lost, False), name


def test_a_record_that_no_message_uses_is_left_out_of_avro(root: Path, verify: Verify) -> None:
    schema = load('root = "Used"\n[record.Used]\na = "bool"\n[record.Unused]\nb = "bool"')
    assert "avro/avro-java" in {codec.name for codec in java_codecs(schema)[0]}
    assert verify(build(schema, root), [{"a": True}], "avro/avro-java")["avro/avro-java"]["equal"] == 1
