"""Codings of a given .proto in Java: the bytes are those of the official library."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cpp.test_given_protobuf import CODED, CODINGS, official
from tests.java.conftest import Verdicts
from wirelab.codecs.java.build import build_java_pack
from wirelab.codecs.java.registry import java_codecs
from wirelab.codecs.pack import Pack
from wirelab.schema.check import typed_messages
from wirelab.schema.importers import read


def test_codings_of_a_proto_are_written_as_the_official_library_writes_them(
    root: Path,
    tmp_path: Path,
    verify: Callable[..., Verdicts],
    encode: Callable[[Pack, list[Any], str], list[bytes]],
) -> None:
    (tmp_path / "c.proto").write_text(CODINGS)
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, CODED)))
    given = read.read(str(tmp_path / "c.jsonl"), f"{tmp_path}/c.proto:Coded")
    messages = list(typed_messages(given.messages, given.schema))
    chosen = [codec for codec in java_codecs(given.schema)[0] if codec.format == "protobuf"]
    assert [codec.library for codec in chosen] == ["protobuf-java", "protobuf-java-dom"]
    pack = build_java_pack(given.schema, chosen, root / "target" / "test-packs")
    verdicts = verify(pack, messages)
    assert [verdict["equal"] for verdict in verdicts.values()] == [2, 2]
    assert len({verdict["checksum"] for verdict in verdicts.values()}) == 1
    for codec in chosen:
        assert encode(pack, messages, codec.name) == official(tmp_path / "c.proto")
