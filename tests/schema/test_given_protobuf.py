"""A given .proto or FileDescriptorSet keeps numbers, codings and presence of its messages."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, json_format, message_factory

from tests.schema.given_files import given, only, refusal, size
from wirelab.model.errors import BadInput
from wirelab.schema.check import typed_messages
from wirelab.schema.importers import protobuf_files, read
from wirelab.schema.inputs.options import InputOptions
from wirelab.schema.text import dump, load
from wirelab.system.python_programs import find_python_program

GTFS = Path(__file__).parent / "gtfs_realtime.proto"
EVERYTHING = """\
syntax = "proto3";
package test;
import "google/protobuf/timestamp.proto";
enum Colour { RED = 0; GREEN = 3; }
enum Signed { option allow_alias = true; NONE = 0; BELOW = -1; UNDER = -1; }
message Everything {
  message Part { string name = 1; sint32 at = 100; }
  int32 plain = 1;
  int64 wide = 17;
  sint64 zigzag = 2;
  uint64 big = 3;
  fixed32 fixed = 4;
  sfixed64 sfixed = 5;
  optional int32 maybe = 6;
  float narrow = 7;
  double precise = 8;
  bool flag = 9;
  bytes blob = 10;
  Colour colour = 11;
  Signed below = 12;
  repeated int32 numbers = 13;
  repeated Part parts = 14;
  map<string, Part> by_name = 15;
  oneof choice { string text = 16; Part part = 18; }
  repeated Colour colours = 20;
}
"""
FULL: dict[str, Any] = {
    "plain": -1,
    "wide": "-9007199254740993",
    "zigzag": "-3",
    "big": "18446744073709551615",
    "fixed": 7,
    "sfixed": "-7",
    "maybe": 0,
    "narrow": 42.34006,
    "precise": 0.1,
    "flag": True,
    "blob": "_-8",
    "colour": "GREEN",
    "below": "BELOW",
    "numbers": [1, -2, 300],
    "parts": [{"name": "a", "at": -64}, {}],
    "byName": {"x": {"name": "b"}},
    "part": {"at": 1},
    "colours": ["RED", 3],
}


def test_the_json_and_the_bytes_of_a_transit_feed_are_one_message_of_5489_bytes(shared_data: Path) -> None:
    feed = str(shared_data / "payloads" / "gtfs-vehiclepositions")
    text, binary = read.read(f"{feed}.json", str(GTFS)), read.read(f"{feed}.pb", str(GTFS))
    assert text.schema == binary.schema
    assert list(typed_messages(text.messages, text.schema)) == list(
        typed_messages(binary.messages, binary.schema)
    )
    assert size(text, "protobuf") == size(binary, "protobuf") == [5489]
    assert binary.notes == ("enums are carried as their numbers, in JSON too",)
    assert text.notes == ("integers that messages write as text are numbers here, in JSON too", *binary.notes)


def test_every_kind_of_protobuf_field_takes_the_bytes_that_the_official_library_writes(
    tmp_path: Path,
) -> None:
    found = given(tmp_path, "e.proto", EVERYTHING, FULL, {})
    file = protobuf_files.compiled(tmp_path / "e.proto")
    kind = message_factory.GetMessageClass(file.message_types_by_name["Everything"])
    official = [len(json_format.ParseDict(message, kind()).SerializeToString()) for message in (FULL, {})]
    assert size(found, "protobuf") == official
    assert official[1] == 0


def test_a_proto_keeps_numbers_names_codings_and_presence_and_reads_back(tmp_path: Path) -> None:
    text = only(tmp_path, "e.proto", EVERYTHING)
    assert (
        text
        == """\
 = "Everything"

[record.Everything]
plain = "int -2147483648..2147483647 varint = 1"
wide = "int varint = 17"
zigzag = "int = 2"
big = "int 0..18446744073709551615 = 3"
fixed = "int 0..4294967295 fixed = 4"
sfixed = "int fixed = 5"
maybe = "int -2147483648..2147483647 varint? = 6"
narrow = "float32 = 7"
precise = "float = 8"
flag = "bool = 9"
blob = "base64 = 10"
colour = "int 0..3 = 11"
below = "int -1..0 varint = 12"
numbers = "list<int -2147483648..2147483647 varint> = 13"
parts = "list<Part> = 14"
by_name = "map<Part> = 15"
text = "string? = 16"
part = "Part? = 18"
colours = "list<int 0..3> = 20"

[record.Part]
name = "string = 1"
at = "int -2147483648..2147483647 = 100"
"""
    )
    schema = read.schema(str(tmp_path / "e.proto")).schema
    assert load(dump(schema)) == schema


def test_json_with_json_names_keeps_them_and_absent_scalars_get_their_default(tmp_path: Path) -> None:
    proto = 'syntax = "proto3"; message M { int32 first_part = 1; repeated string tags = 2; optional bool on = 3; }'
    found = given(tmp_path, "m.proto", proto, {"firstPart": "5"}, {"tags": None})
    assert found.messages.messages == ({"firstPart": 5, "tags": []}, {"firstPart": 0, "tags": []})
    found = given(tmp_path, "m.proto", proto, {"first_part": 5.0, "on": False})
    assert found.messages.messages == ({"first_part": 5, "tags": [], "on": False},)


def test_messages_follow_their_length_prefixes(tmp_path: Path) -> None:
    (tmp_path / "m.proto").write_text('syntax = "proto3"; message M { int32 a = 1; }')
    (tmp_path / "m.pbs").write_bytes(bytes.fromhex("0208 05 00 0308ac02".replace(" ", "")))
    found = read.read(str(tmp_path / "m.pbs"), str(tmp_path / "m.proto"))
    assert found.messages.messages == ({"a": 5}, {"a": 0}, {"a": 300})
    (tmp_path / "m.pbs").write_bytes(bytes.fromhex("020805 0508"))
    with pytest.raises(BadInput, match="the message at byte 4 ends beyond the file"):
        read.read(str(tmp_path / "m.pbs"), str(tmp_path / "m.proto"))


def test_bytes_of_any_file_and_lines_of_hex_are_messages(tmp_path: Path) -> None:
    (tmp_path / "m.proto").write_text('syntax = "proto3"; message M { int32 a = 1; }')
    for name, data, form in (
        ("feed", b"\x02\x08\x05\x00", "protobuf-delimited"),
        ("lines.hex", b"0805\n0800\n", ""),
        ("lines.b64", b"CAU=\nCAA=\n", ""),
    ):
        (tmp_path / name).write_bytes(data)
        found = read.schema(f"{tmp_path}/m.proto", f"{tmp_path}/{name}", InputOptions(form))
        assert found.messages.messages == ({"a": 5}, {"a": 0})
    (tmp_path / "feed").write_bytes(b"\x08\x05")
    found = read.schema(f"{tmp_path}/m.proto", f"{tmp_path}/feed", InputOptions("protobuf"))
    assert found.messages.messages == ({"a": 5},)
    with pytest.raises(BadInput, match=r"binary messages need a \.proto"):
        read.read(f"{tmp_path}/feed", options=InputOptions("protobuf"))


def test_fields_that_the_proto_does_not_know_are_named(tmp_path: Path) -> None:
    (tmp_path / "m.proto").write_text('syntax = "proto3"; message M { int32 a = 1; }')
    (tmp_path / "m.pb").write_bytes(bytes.fromhex("08051007"))
    found = read.read(str(tmp_path / "m.pb"), str(tmp_path / "m.proto"))
    assert found.notes == ("left out, not in the .proto: M field 2 (1 times, 2 bytes)",)
    (tmp_path / "m.pb").write_bytes(b"\xff")
    with pytest.raises(BadInput, match="m.pb, message 1: no M: "):
        read.read(str(tmp_path / "m.pb"), str(tmp_path / "m.proto"))


PROTO = 'syntax = "proto3"; '


@pytest.mark.parametrize(
    ("text", "message", "complaint"),
    [
        ("message M { int32 a = 1 }", {}, "m.proto: m.proto:1:44: Expected"),
        ("message A { } message B { }", {}, "m.proto: which message is one payload message? (A, B)"),
        (
            "enum E { X = 0; Y = 1; } message M { repeated E e = 1; }",
            {"e": ["X", "Z"]},
            "payload.jsonl, line 1 (message 1), at e[1]: E has no 'Z'; it has X, Y",
        ),
        (
            "message M { oneof v { int32 a = 1; string b = 2; } }",
            {"a": 1, "b": "x"},
            "at $: a and b are members of the oneof v; keep one of them",
        ),
        (
            'import "google/protobuf/duration.proto"; message M { google.protobuf.Duration x = 1; }',
            {"x": "1 hour"},
            "at x: no google.protobuf.Duration: ",
        ),
        ("message M { int32 a = 1; }", {"a": "x"}, "at a: the schema expects int -2147483648"),
        ("message M { int32 a = 1; }", {"b": 1}, "at b: the schema expects no such key in M"),
        ("message M { float a = 1; }", {"a": "nan"}, "at a: the schema expects float32, found string"),
    ],
)
def test_unsupported_parts_of_a_proto_are_refused_by_path(
    tmp_path: Path, text: str, message: Any, complaint: str
) -> None:
    assert complaint in refusal(tmp_path, "m.proto", PROTO + text, message)


def test_of_messages_of_one_name_that_inside_no_other_is_taken(tmp_path: Path) -> None:
    inner = "message B { int32 b = 1; } B x = 1; "
    text = f"package p; message A {{ {inner} }} message B {{ int32 b = 1; }} message C {{ {inner} }}"
    (tmp_path / "m.proto").write_text(PROTO + text)
    assert read.schema(f"{tmp_path}/m.proto:B").schema.records[0].fields[0].key == "b"
    (tmp_path / "n.proto").write_text(
        PROTO + text.replace("message B { int32 b = 1; } message C", "message C")
    )
    with pytest.raises(BadInput, match=r"several messages: p\.A\.B, p\.C\.B; give the full name"):
        read.schema(f"{tmp_path}/n.proto:B")


@pytest.mark.parametrize(
    ("text", "size_of"),
    [
        ("5B8EFFF798038103D269B633813FC60C", 16),  # a traceId of OTLP's own example
        ("eee19b7ec3c1b174", 8),
        ("AAAAAAAAAAAAAAAA", 12),  # zeros in base64
        ("5B8EFFF798038103D269B633813FC60c", 24),
        ("abcd", 3),
    ],
)
def test_bytes_in_hexadecimal_digits_are_read_so(tmp_path: Path, text: str, size_of: int) -> None:
    found = given(tmp_path, "m.proto", PROTO + "message M { bytes id = 1; }", {"id": text})
    assert size(found, "protobuf") == [size_of + 2]
    assert any("hexadecimal" in note for note in found.notes) == (size_of in (8, 16))


def test_one_message_of_several_is_named_behind_the_file(tmp_path: Path) -> None:
    (tmp_path / "m.proto").write_text(PROTO + "message A { int32 a = 1; } message B { int32 b = 1; }")
    assert read.schema(f"{tmp_path}/m.proto:B").schema.records[0].name == "B"
    with pytest.raises(BadInput, match="m.proto:C: there is no such message"):
        read.schema(f"{tmp_path}/m.proto:C")


def test_imports_are_found_in_the_folders_above_and_in_a_descriptor_set(tmp_path: Path) -> None:
    (tmp_path / "common").mkdir()
    (tmp_path / "event").mkdir()
    (tmp_path / "common" / "place.proto").write_text(PROTO + "message Place { int32 x = 1; }")
    up = tmp_path / "event" / "up.proto"
    up.write_text(PROTO + 'import "common/place.proto"; message Up { Place place = 3; }')
    (tmp_path / "m.json").write_text('{"place": {"x": 150}}')
    seen = read.read(str(tmp_path / "m.json"), str(up))
    assert size(seen, "protobuf") == [5]  # 1a 03 08 96 01
    command = [str(find_python_program("protoc")), "-I.", "--include_imports", "--descriptor_set_out=up.desc"]
    subprocess.run([*command, "event/up.proto"], cwd=tmp_path, check=True)
    again = read.read(str(tmp_path / "m.json"), f"{tmp_path}/up.desc:Up")
    assert again.schema == seen.schema


def test_a_missing_import_and_a_broken_descriptor_set_are_refused(tmp_path: Path) -> None:
    (tmp_path / "m.proto").write_text(PROTO + 'import "not/here.proto"; message M { int32 a = 1; }')
    with pytest.raises(BadInput, match="the import not/here.proto is neither beside the file nor"):
        read.schema(f"{tmp_path}/m.proto")
    (tmp_path / "m.desc").write_bytes(b"\xff\x01no descriptors")
    with pytest.raises(BadInput, match="not a FileDescriptorSet"):
        read.schema(f"{tmp_path}/m.desc")


def descriptor_set(path: Path, **imports: list[str]) -> str:
    files = descriptor_pb2.FileDescriptorSet()
    for name, dependencies in imports.items():
        file = files.file.add(name=f"{name}.proto", dependency=dependencies)
        field = file.message_type.add(name=name.upper()).field.add(name="x", number=1)
        field.type, field.label = field.TYPE_INT32, field.LABEL_OPTIONAL
    path.write_bytes(files.SerializeToString())
    return str(path)


def test_a_descriptor_set_needs_no_order_and_no_files_of_protobuf_itself(tmp_path: Path) -> None:
    found = descriptor_set(tmp_path / "m.desc", a=["b.proto", "google/protobuf/type.proto"], b=[])
    assert read.schema(found).schema.records[0].name == "A"


def test_a_descriptor_set_whose_imports_are_missing_or_circular_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the imported file b.proto is not in the set"):
        read.schema(descriptor_set(tmp_path / "m.desc", a=["b.proto"]))
    with pytest.raises(BadInput, match="a.proto imports itself"):
        read.schema(descriptor_set(tmp_path / "m.desc", a=["a.proto"]))
