"""Broken and oversized files of Protobuf's language are refused with a reason."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2
from hypothesis import HealthCheck, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from tests.schema.test_given_protobuf_bytes import CASES
from wirelab.model.errors import BadInput
from wirelab.schema.importers import read
from wirelab.system.python_programs import find_python_program

PROTO = 'syntax = "proto3"; '
NAMES = ("keys of maps have their type", "a wrapper is its value in a message", "a field mask is its paths")


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """FileDescriptorSets that protoc writes."""
    folder = tmp_path_factory.mktemp("sets")
    command = [str(find_python_program("protoc")), "-I.", "--include_imports", "--descriptor_set_out=m.desc"]
    made = []
    for name in NAMES:
        (folder / "m.proto").write_text(CASES[name][0])
        subprocess.run([*command, "m.proto"], cwd=folder, check=True)
        made.append((folder / "m.desc").read_bytes())
    return made


EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4), st.binary(max_size=3)), min_size=1, max_size=4)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@drawn(which=st.integers(0, len(NAMES) - 1), edits=EDITS)
def test_a_broken_descriptor_set_is_read_or_refused(
    tmp_path: Path, sets: list[bytes], which: int, edits: list[tuple[float, int, bytes]]
) -> None:
    data = sets[which]
    for place, cut, new in edits:
        at = int(place * len(data))
        data = data[:at] + new + data[at + cut :]
    (tmp_path / "m.desc").write_bytes(data)
    try:
        read.schema(f"{tmp_path}/m.desc:M")
    except BadInput:
        return


def test_a_name_that_is_not_utf8_is_refused(tmp_path: Path, sets: list[bytes]) -> None:
    broken = sets[1].replace(b"google/protobuf/wrappers.proto", b"google/protobuf/wrappers.prot\xff")
    (tmp_path / "m.desc").write_bytes(broken)
    with pytest.raises(BadInput, match="not a FileDescriptorSet"):
        read.schema(f"{tmp_path}/m.desc:M")


def test_another_message_of_the_name_of_protobufs_own_is_refused(tmp_path: Path) -> None:
    files = descriptor_pb2.FileDescriptorSet()
    file = files.file.add(name="a.proto", package="google.protobuf", syntax="proto3")
    field = file.message_type.add(name="Timestamp").field.add(name="when", number=1)
    field.type, field.label = field.TYPE_STRING, field.LABEL_OPTIONAL
    (tmp_path / "m.desc").write_bytes(files.SerializeToString())
    with pytest.raises(BadInput, match=r"google\.protobuf\.Timestamp has other fields than Protobuf's"):
        read.schema(f"{tmp_path}/m.desc:google.protobuf.Timestamp")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('import "m.proto"; message M { int32 a = 1; }', "File recursively imports itself"),
        ("message M {" * 200 + "int32 a = 1;" + "}" * 200, "maximum recursion limit"),
        (
            "".join(f"message M{i} {{ M{i + 1} a = 1; }}" for i in range(100)) + "message M100 {}",
            "nested deeper",
        ),
        ("message M { int32 a = 1; } " + " " * 2**22, "larger than 4 MiB"),
        ("message M {" + "".join(f"int32 a{i} = {i + 1};" for i in range(5_000)) + "}", "fields or records"),
    ],
    ids=["cycle", "messages in messages", "chain", "size", "fields"],
)
def test_a_proto_beyond_the_limits_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "m.proto").write_text(PROTO + text)
    with pytest.raises(BadInput, match=complaint):
        read.schema(f"{tmp_path}/m.proto")
