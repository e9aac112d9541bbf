"""Messages of a given .proto take the bytes that the official library writes, and all is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format, message_factory
from hypothesis import HealthCheck, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from tests.schema.given_files import given
from wirelab.codecs.encoders import protobuf
from wirelab.model.errors import BadInput
from wirelab.schema.check import typed_messages
from wirelab.schema.importers import protobuf_files, read
from wirelab.schema.inputs.options import InputOptions
from wirelab.schema.text import dump, load
from wirelab.schema.types import show_type

SYNTAX = 'edition = "2023"; package test; import "google/protobuf/{}.proto"; '
TIME, DURATION, WRAPPERS = (SYNTAX.format(name) for name in ("timestamp", "duration", "wrappers"))
PROTO2 = 'syntax = "proto2"; package test; '
CASES: dict[str, tuple[str, dict[str, Any], str]] = {
    "a required field is written with its default": (
        PROTO2 + "message M { required int32 a = 1; required string b = 2; optional int32 c = 3; }",
        {"a": 0, "b": ""},
        "08001200",
    ),
    "numbers of a list in proto2 are not packed": (
        PROTO2 + "message M { repeated int32 a = 1; repeated int32 b = 2 [packed = true]; }",
        {"a": [1, 2], "b": [1, 2]},
        "0801080212020102",
    ),
    "a group is between tags": (
        PROTO2 + "message M { optional group Inner = 1 { optional int32 a = 1; } optional int32 b = 2; }",
        {"inner": {"a": 5}, "b": 0},
        "0b08050c1000",
    ),
    "a group of an edition may be repeated and its type used elsewhere": (
        SYNTAX.format("empty")
        + "message I { int32 a = 1 [features.field_presence = IMPLICIT]; } message M {"
        + "repeated I i = 1 [features.message_encoding = DELIMITED]; I j = 2; int32 c = 3;"
        + "repeated int32 e = 4 [features.repeated_field_encoding = EXPANDED]; }",
        {"i": [{"a": 1}, {"a": 0}], "j": {"a": 2}, "c": 0, "e": [1, 2]},
        "0b08010c0b0c12020802180020012002",
    ),
    "edition 2024": (
        'edition = "2024"; message M { int32 a = 1; repeated int32 b = 2; }',
        {"a": 0, "b": [1]},
        "0800120101",
    ),
    "extensions are fields": (
        PROTO2 + "message M { extensions 100 to max; } extend M { optional int32 x = 100; }"
        "message N { extend M { repeated string y = 101; } }",
        {"[test.N.y]": ["a"]},
        "aa060161",
    ),
    "a timestamp is seconds and nanos": (
        TIME + "message M { google.protobuf.Timestamp a = 1; repeated google.protobuf.Timestamp b = 2;"
        "map<string, google.protobuf.Timestamp> c = 3; }",
        {"a": "1970-01-01T00:00:05.500Z", "b": ["1970-01-01T00:00:00Z"], "c": {"k": "1970-01-01T00:00:01Z"}},
        "0a0808051080cab5ee0112001a070a016b12020801",
    ),
    "a duration is seconds and nanos": (
        DURATION + "message M { google.protobuf.Duration a = 1; }",
        {"a": "-1.500s"},
        "0a1608ffffffffffffffffff011080b6ca91feffffffff01",
    ),
    "a wrapper is its value in a message": (
        WRAPPERS + "message M { google.protobuf.Int32Value a = 1; google.protobuf.StringValue b = 2;"
        "google.protobuf.BoolValue c = 3; repeated google.protobuf.Int32Value d = 4; }",
        {"a": 0, "b": "x", "d": [1]},
        "0a0012030a017822020801",
    ),
    "a field mask is its paths": (
        SYNTAX.format("field_mask") + "message M { google.protobuf.FieldMask a = 1; }",
        {"a": "fooBar,b"},
        "0a0c0a07666f6f5f6261720a0162",
    ),
    "an Any is a name and bytes": (
        SYNTAX.format("any")
        + "message M { google.protobuf.Any a = 1; int32 b = 2 [features.field_presence = IMPLICIT]; }",
        {"a": {"@type": "t/test.M", "b": 5}},
        "0a0e0a08742f746573742e4d12021005",
    ),
    "keys of maps have their type": (
        PROTO2 + "message M { map<int32, string> a = 1; map<sfixed64, int32> b = 2; map<bool, bool> c = 3; }",
        {"a": {"-1": "x"}, "b": {"2": 3}, "c": {"true": False}},
        "0a0e08ffffffffffffffffff01120178120b09020000000000000010031a0408011000",
    ),
    "members of a oneof": (
        PROTO2 + "message M { oneof v { int32 a = 1; string b = 2; M2 c = 3; } } message M2 {}",
        {"a": 0},
        "0800",
    ),
    "numbers that an open enum does not name are kept": (
        SYNTAX.format("empty") + "enum E { A = 0; } message M { E a = 1; repeated E b = 2; }",
        {"a": -7, "b": [70000]},
        "08f9ffffffffffffffff011203f0a204",
    ),
    "an empty message of Protobuf": (
        SYNTAX.format("empty") + "message M { google.protobuf.Empty a = 1; }",
        {"a": {}},
        "0a00",
    ),
}


def official(folder: Path, message: Any) -> bytes:
    root = protobuf_files.read(folder / "m.proto").root("M")
    made = message_factory.GetMessageClass(root)()
    json_format.ParseDict(message, made, descriptor_pool=root.file.pool)
    return made.SerializeToString(deterministic=True)


@pytest.mark.parametrize(("text", "message", "expected"), CASES.values(), ids=CASES)
def test_a_message_takes_the_bytes_of_the_official_library(
    tmp_path: Path, text: str, message: Any, expected: str
) -> None:
    (tmp_path / "m.proto").write_text(text)
    (tmp_path / "m.json").write_text(json.dumps(message))
    found = read.read(str(tmp_path / "m.json"), f"{tmp_path}/m.proto:M")
    encoded = protobuf(found.schema)(next(iter(typed_messages(found.messages, found.schema))))
    assert encoded.hex() == official(tmp_path, message).hex() == expected
    assert load(dump(found.schema)) == found.schema
    (tmp_path / "m.bin").write_bytes(encoded)
    again = read.read(str(tmp_path / "m.bin"), f"{tmp_path}/m.proto:M")
    assert protobuf(again.schema)(again.messages.messages[0]) == encoded


def test_what_messages_have_beyond_the_file_is_counted(tmp_path: Path) -> None:
    (tmp_path / "m.proto").write_text(
        PROTO2 + "enum E { A = 0; } message M { optional E a = 1; optional N n = 2; } message N {}"
    )
    lengths = "1808120a18ffff031a0401020304".replace(" ", "")
    (tmp_path / "m.bin").write_bytes(bytes.fromhex(lengths))
    found = read.read(str(tmp_path / "m.bin"), f"{tmp_path}/m.proto:M")
    assert found.messages.messages == ({"n": {}},)
    assert found.notes[:2] == (
        "left out, not in the .proto: M field 3 (1 times, 2 bytes)",
        "left out, not in the .proto: N field 3 (2 times, 10 bytes)",
    )


def test_numbers_without_a_name_are_counted_and_a_closed_enum_refuses_them(tmp_path: Path) -> None:
    open_enum = 'syntax = "proto3"; enum E { A = 0; } message M { E a = 1; }'
    found = given(tmp_path, "m.proto", open_enum, {"a": 7}, {"a": 7}, {"a": 0})
    assert found.notes[0] == "kept, E has no name for it: 7 (2 times)"
    found = given(tmp_path, "m.proto", open_enum, {"a": 0})
    assert not any("has no name" in note for note in found.notes)


def test_fields_that_cannot_be_carried_are_left_out_where_no_message_has_them(tmp_path: Path) -> None:
    proto = (
        'syntax = "proto2"; message M { optional int32 a = 1; optional T t = 2; }'
        "message T { option message_set_wire_format = true; extensions 4 to max; }"
    )
    found = given(tmp_path, "m.proto", proto, {"a": 1})
    assert found.notes == ("M.t is left out, no message has it: T has no type here",)
    assert [field.key for field in found.schema.record("M").fields] == ["a"]
    with pytest.raises(BadInput, match="at t: T has no type here"):
        given(tmp_path, "m.proto", proto, {"t": {}})


def test_a_struct_a_value_and_a_list_are_any_value_in_json_and_in_bytes(tmp_path: Path) -> None:
    message = {"s": {"a": {"b": [1, "x", None, True, 0.5]}}, "v": None, "l": [[], {}], "m": {"k": "x"}}
    (tmp_path / "m.proto").write_text(
        SYNTAX.format("struct") + "message M { google.protobuf.Struct s = 1; google.protobuf.Value v = 2;"
        "google.protobuf.ListValue l = 3; map<string, google.protobuf.Value> m = 4; }"
    )
    (tmp_path / "m.json").write_text(json.dumps(message))
    text = read.read(str(tmp_path / "m.json"), f"{tmp_path}/m.proto:M")
    (tmp_path / "m.bin").write_bytes(official(tmp_path, message))
    binary = read.read(str(tmp_path / "m.bin"), f"{tmp_path}/m.proto:M")
    assert text.messages.messages == binary.messages.messages == (message,)
    types = [show_type(field.type) for field in text.schema.record("M").fields]
    assert types == ["any struct", "any value", "any list", "map<any value>"]


def test_services_and_custom_options_are_named_once(tmp_path: Path) -> None:
    proto = (
        'syntax = "proto3"; import "google/protobuf/descriptor.proto";'
        "extend google.protobuf.FieldOptions { string unit = 50000; }"
        'message M { int32 a = 1 [(unit) = "m"]; int32 b = 2 [(unit) = "s"]; }'
        "service S { rpc Get(M) returns (M); }"
    )
    (tmp_path / "m.proto").write_text(proto)
    assert read.schema(f"{tmp_path}/m.proto:M").notes == (
        "left out, no part of a message: service S, option (unit)",
    )


def test_imports_are_found_in_the_folders_of_the_proto_path(tmp_path: Path) -> None:
    for folder in ("one/common", "two", "main"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "one/common/place.proto").write_text('syntax = "proto3"; message Place { Depth d = 1; }')
    text = (tmp_path / "one/common/place.proto").read_text()
    (tmp_path / "one/common/place.proto").write_text(text.replace("; ", '; import "depth.proto"; ', 1))
    (tmp_path / "two/depth.proto").write_text('syntax = "proto3"; message Depth { int32 m = 1; }')
    (tmp_path / "main/up.proto").write_text(
        'syntax = "proto3"; import "common/place.proto"; message Up { Place p = 1; }'
    )
    options = InputOptions(proto_path=(f"{tmp_path}/one", f"{tmp_path}/two"))
    found = read.schema(f"{tmp_path}/main/up.proto:Up", options=options)
    assert [record.name for record in found.schema.records] == ["Depth", "Place", "Up"]


WIRE = st.lists(
    st.one_of(
        st.binary(max_size=8),
        st.sampled_from([bytes.fromhex(expected) for _, _, expected in CASES.values()]),
    ),
    max_size=6,
).map(b"".join)


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@drawn(data=WIRE, name=st.sampled_from(sorted(CASES)))
def test_any_bytes_are_messages_or_refused(tmp_path: Path, data: bytes, name: str) -> None:
    (tmp_path / "m.proto").write_text(CASES[name][0])
    (tmp_path / "m.bin").write_bytes(data)
    try:
        found = read.read(str(tmp_path / "m.bin"), f"{tmp_path}/m.proto:M")
        list(typed_messages(found.messages, found.schema))
    except BadInput:
        return
