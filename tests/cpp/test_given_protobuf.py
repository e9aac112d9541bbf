"""Codings of a given .proto in C++: the bytes are those of the official library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from google.protobuf import json_format, message_factory

from tests.codecs.pack_ffi import Library
from wirelab.codecs.cpp.build import build_cpp_pack
from wirelab.codecs.cpp.registry import cpp_codecs
from wirelab.schema.check import typed_messages
from wirelab.schema.importers import protobuf_files, read

CODINGS = """\
syntax = "proto2";
package test;
import "google/protobuf/timestamp.proto";
message Coded {
  required int32 needed = 1;
  repeated int32 spread = 2;
  optional google.protobuf.Timestamp at = 5;
  repeated google.protobuf.Timestamp times = 6;
  map<string, google.protobuf.Timestamp> marks = 7;
  required google.protobuf.Timestamp since = 8;
}
"""
CODED: tuple[dict[str, Any], ...] = (
    {
        "needed": 0,
        "spread": [1, 300],
        "at": "2024-02-29T12:00:00.500Z",
        "times": ["1969-12-31T23:59:59.000000001Z", "1970-01-01T00:00:00Z"],
        "marks": {"x": "1970-01-01T00:00:01Z"},
        "since": "1970-01-01T00:00:00Z",
    },
    {"needed": 5, "since": "1677-09-22T00:00:00.123456789Z"},
)


def official(proto: Path) -> list[bytes]:
    """The messages as the official library writes them."""
    kind = message_factory.GetMessageClass(protobuf_files.read(proto).root("Coded"))
    return [json_format.ParseDict(message, kind()).SerializeToString() for message in CODED]


def test_codings_of_a_proto_are_written_as_the_official_library_writes_them(
    root: Path, tmp_path: Path
) -> None:
    (tmp_path / "c.proto").write_text(CODINGS)
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, CODED)))
    given = read.read(str(tmp_path / "c.jsonl"), f"{tmp_path}/c.proto:Coded")
    messages = list(typed_messages(given.messages, given.schema))
    fit, _ = cpp_codecs(given.schema)
    chosen = [codec for codec in fit if codec.format == "protobuf" and not codec.name.endswith("-size")]
    assert [codec.library for codec in chosen] == ["protobuf-cpp", "protobuf-cpp-dom"]
    library = Library(build_cpp_pack(given.schema, chosen, root / "target" / "test-packs").path, messages)
    for codec in chosen:
        session = library.session(codec.name)
        encoded = [session.encode(index) for index in range(2)]
        assert encoded == official(tmp_path / "c.proto")
        assert [session.message(data) for data in encoded] == messages
