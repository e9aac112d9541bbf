"""Every Java codec restores messages exactly, or its losses are named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.codecs import pack_schemas
from tests.java.conftest import Verdicts, build
from wirelab.codecs.java.build import build_java_pack
from wirelab.codecs.java.registry import java_codecs
from wirelab.codecs.pack import Pack
from wirelab.model.schema import AnyType, Field, Int, List, Map, Record, Ref, Schema, String
from wirelab.schema.text import load

Verify = Callable[..., Verdicts]


def test_every_format_restores_messages_that_are_hard_for_generators(ugly_pack: Pack, verify: Verify) -> None:
    full = {**pack_schemas.FULL, "first-name": "é€\U0001f600"}
    verdicts = verify(ugly_pack, [full, pack_schemas.BARE])
    assert len(verdicts) >= 13
    assert {name: verdict["losses"] for name, verdict in verdicts.items() if verdict["equal"] != 2} == {}
    assert len({verdict["checksum"] for verdict in verdicts.values()}) == 1


def test_every_codec_declares_whether_it_copies_strings(ugly_pack: Pack) -> None:
    late = ("flatbuffers/flatbuffers-java", "capnp/capnproto-java", "capnp/capnproto-java-packed")
    said = {codec.name: codec.options["strings"] for codec in ugly_pack.codecs}
    assert said == {name: "copied when read" if name in late else "copied" for name in said}


def test_formats_distinguish_null_from_absent_or_report_the_loss(ugly_pack: Pack, verify: Verify) -> None:
    verdicts = verify(ugly_pack, [{**pack_schemas.FULL, "first-name": "a", "both": None}])
    kinds = {
        name: [(loss["path"], loss["kind"]) for loss in verdict["losses"]]
        for name, verdict in verdicts.items()
    }
    lost = [("$.both", "null became absent")]
    for name, found in kinds.items():
        keeps = name.partition("/")[0] in ("json", "cbor", "smile", "msgpack", "bson", "ion", "yaml", "xml")
        assert found == ([] if keeps else lost), name


def test_the_sign_of_zero_comes_back_from_every_codec(root: Path, verify: Verify) -> None:
    schema = load(
        'root = "Reading"\n[record.Reading]\n'
        'a = "float"\nb = "float32"\nc = "list<float>"\nd = "map<float>"\ne = "float?"\nf = "float|null"'
    )
    message = {"a": -0.0, "b": -0.0, "c": [-0.0], "d": {"k": -0.0}, "e": -0.0, "f": -0.0}
    verdicts = verify(build(schema, root), [message])
    assert {name: verdict["losses"] for name, verdict in verdicts.items() if verdict["equal"] != 1} == {}


@pytest.mark.parametrize(
    ("kind", "messages"),
    [
        (String(), ["abc", "é", ""]),
        (List(items=Int(low=0, high=9, nullable=True)), [[1, None, 3], []]),
        (Map(values=Int(low=0, high=2**64 - 1)), [{"b": 2**64 - 1, "a": 0, "\uffff": 1, "\U00010000": 2}]),
        (List(items=List(items=Int(low=0, high=2**40), nullable=True)), [[[1, 2], None], []]),
    ],
)
def test_a_root_need_not_be_a_record(root: Path, verify: Verify, kind: AnyType, messages: list[Any]) -> None:
    verdicts = verify(build(Schema(kind), root), messages)
    assert [name for name, verdict in verdicts.items() if verdict["equal"] != len(messages)] == []
    assert len({verdict["checksum"] for verdict in verdicts.values()}) == 1


def test_an_unsupported_schema_is_skipped_with_the_reason() -> None:
    fields = tuple(Field(f"k{i}", f"k{i}", Int(low=0, high=2**40)) for i in range(200))
    assert (
        "too many parameters"
        in java_codecs(Schema(Ref(name="Wide"), (Record("Wide", fields),)))[1]["thrift/libthrift-compact"]
    )
    assert "a document" in java_codecs(Schema(String()))[1]["bson/bson4jackson"]
    grid = Schema(Map(values=List(items=String())))
    assert "from XML" in java_codecs(grid)[1]["xml/jackson-dataformat-xml"]
    assert "UBJSON" in java_codecs(grid)[1]["ubjson/none"]


def test_capnp_is_skipped_without_the_official_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    fit, left = java_codecs(pack_schemas.GOLDEN)
    assert not [codec for codec in fit if codec.format == "capnp"]
    assert "capnpc-java is missing: build it" in left["capnp/capnproto-java-packed"]


def test_a_message_that_xml_cannot_represent_fails_with_its_index(root: Path, verify: Verify) -> None:
    schema = Schema(Ref(name="T"), (Record("T", (Field("k", "k", String()),)),))
    verdict = verify(build(schema, root), [{"k": "a\u0000"}], "xml/jackson-dataformat-xml")[
        "xml/jackson-dataformat-xml"
    ]
    assert "message 0" in verdict["failed"]
    assert verdict["equal"] == 0


@pytest.mark.parametrize("name", ["json/jackson-databind", "protobuf/protobuf-java", "avro/avro-java"])
def test_a_pack_contains_only_the_requested_codecs(root: Path, verify: Verify, name: str) -> None:
    fit = [codec for codec in java_codecs(pack_schemas.GOLDEN)[0] if codec.name == name]
    pack = build_java_pack(pack_schemas.GOLDEN, fit, root / "target" / "test-packs")
    assert [codec.name for codec in pack.codecs] == [name]
    assert verify(pack, [{"a": 150}])[name]["equal"] == 1
