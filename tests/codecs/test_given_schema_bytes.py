"""With a given .proto our Protobuf and the official library agree on messages and sizes."""

from __future__ import annotations

import json
from pathlib import Path

from google.protobuf import json_format, message_factory

from tests.codecs.pack_ffi import Library
from tests.schema.test_given_schemas import EVERYTHING, FULL
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
