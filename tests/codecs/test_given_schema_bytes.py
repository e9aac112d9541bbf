"""With a given .proto our Protobuf and the official library agree on messages and sizes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format, message_factory

from tests.codecs.pack_ffi import Library
from tests.schema.test_given_protobuf import EVERYTHING, FULL
from wirelab.codecs.build import build_pack
from wirelab.schema.check import typed_messages
from wirelab.schema.importers import protobuf_files, read

GTFS = Path(__file__).parents[1] / "schema" / "gtfs_realtime.proto"


def test_a_transit_feed_from_json_takes_the_bytes_of_the_published_feed(
    shared_data: Path, pack_cache: Path, tmp_path: Path
) -> None:
    feed = shared_data / "payloads" / "gtfs-vehiclepositions"
    given = read.read(f"{feed}.json", str(GTFS))
    messages = list(typed_messages(given.messages, given.schema))
    pack = build_pack(given.schema, pack_cache, asked=["protobuf"])
    session = Library(pack.path, messages).session("protobuf/prost")
    encoded = session.encode(0)
    assert len(encoded) == 5489
    (tmp_path / "ours.pb").write_bytes(encoded)
    published = read.read(f"{feed}.pb", str(GTFS))
    assert read.read(str(tmp_path / "ours.pb"), str(GTFS)).messages.messages == published.messages.messages
    assert session.message(encoded) == messages[0]


def test_every_kind_of_field_is_written_as_the_official_library_writes_it(
    pack_cache: Path, tmp_path: Path
) -> None:
    (tmp_path / "e.proto").write_text(EVERYTHING)
    (tmp_path / "e.jsonl").write_text(f"{json.dumps(FULL)}\n{{}}\n")
    given = read.read(str(tmp_path / "e.jsonl"), str(tmp_path / "e.proto"))
    messages = list(typed_messages(given.messages, given.schema))
    pack = build_pack(given.schema, pack_cache, asked=["protobuf"])
    session = Library(pack.path, messages).session("protobuf/prost")
    file = protobuf_files.compiled(tmp_path / "e.proto")
    kind = message_factory.GetMessageClass(file.message_types_by_name["Everything"])
    for index, message in enumerate((FULL, {})):
        encoded = session.encode(index)
        assert encoded == json_format.ParseDict(message, kind()).SerializeToString()
        assert session.message(encoded) == messages[index]


CODINGS = """\
edition = "2023";
package test;
import "google/protobuf/duration.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
message Coded {
  extensions 1000 to 1999;
  message Inner { int32 a = 1 [features.field_presence = IMPLICIT]; }
  int32 needed = 1 [features.field_presence = LEGACY_REQUIRED];
  repeated int32 spread = 2 [features.repeated_field_encoding = EXPANDED];
  Inner group = 3 [features.message_encoding = DELIMITED];
  repeated Inner groups = 4 [features.message_encoding = DELIMITED];
  google.protobuf.Timestamp at = 5;
  repeated google.protobuf.Timestamp times = 6;
  map<string, google.protobuf.Timestamp> marks = 7;
  google.protobuf.Duration span = 8;
  google.protobuf.Int32Value count = 9;
  google.protobuf.StringValue name = 10;
  google.protobuf.BytesValue blob = 15;
  map<sint32, string> by_number = 11;
  map<bool, Inner> by_flag = 12;
  map<fixed64, int32> by_id = 13;
  oneof choice { int32 one = 16; Inner two = 17; }
}
extend Coded { string more = 1000; }
"""
CODED: tuple[dict[str, Any], ...] = (
    {
        "needed": 0,
        "spread": [1, 300],
        "group": {"a": 1},
        "groups": [{"a": 0}, {"a": 7}],
        "at": "2024-02-29T12:00:00.500Z",
        "times": ["1969-12-31T23:59:59.000000001Z", "1970-01-01T00:00:00Z"],
        "marks": {"x": "1970-01-01T00:00:01Z"},
        "span": "-1.5s",
        "count": 0,
        "name": "n",
        "blob": "Zm8=",
        "byNumber": {"-5": "x"},
        "byFlag": {"true": {"a": 1}},
        "byId": {"18446744073709551615": 3},
        "two": {},
        "[test.more]": "y",
    },
    {"needed": 5, "byNumber": {"10": "b", "9": "a", "-1": "c"}},
)


@pytest.mark.parametrize("codec", ["protobuf/prost", "protobuf/protobuf-upb"])
def test_codings_of_a_proto_are_written_as_the_official_library_writes_them(
    pack_cache: Path, tmp_path: Path, codec: str
) -> None:
    (tmp_path / "c.proto").write_text(CODINGS)
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, CODED)))
    given = read.read(str(tmp_path / "c.jsonl"), f"{tmp_path}/c.proto:Coded")
    messages = list(typed_messages(given.messages, given.schema))
    session = Library(build_pack(given.schema, pack_cache, asked=["protobuf/*"]).path, messages).session(
        codec
    )
    root = protobuf_files.read(tmp_path / "c.proto").root("Coded")
    encoded = session.encode(0)
    official = message_factory.GetMessageClass(root)()
    json_format.ParseDict(CODED[0], official, descriptor_pool=root.file.pool)
    assert encoded.hex() == official.SerializeToString(deterministic=True).hex()
    for index in range(2):
        assert session.message(session.encode(index)) == messages[index]


def test_the_checksum_of_codings_is_that_of_other_formats(pack_cache: Path, tmp_path: Path) -> None:
    (tmp_path / "c.proto").write_text(CODINGS)
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, CODED)))
    given = read.read(str(tmp_path / "c.jsonl"), f"{tmp_path}/c.proto:Coded")
    messages = list(typed_messages(given.messages, given.schema))
    library = Library(build_pack(given.schema, pack_cache, asked=["protobuf/*", "json"]).path, messages)
    sessions = [
        library.session(name) for name in ("json/serde_json", "protobuf/prost", "protobuf/protobuf-upb")
    ]
    for index in range(2):
        assert len({session.decode(session.encode(index)) for session in sessions}) == 1
