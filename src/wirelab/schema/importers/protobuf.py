"""The importer of .proto files. Field numbers, names, presence and integer codings are kept.

The official compiler checks the file and turns it into descriptors. Types follow Protobuf's
language guide:
- `optional`, a member of a oneof and a message may be absent; a proto3 scalar may not, and neither
  may lists and maps.
- An enum is its number, as on the wire. google.protobuf.Timestamp is `timestamp`: RFC 3339 text, 64
  bits of ns.
- Groups, recursive messages and the other types of google.protobuf are refused with their path.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from wirelab.model.errors import BadInput
from wirelab.model.schema import (
    AnyType,
    Base64,
    Bool,
    Field,
    Float,
    Int,
    List,
    Map,
    Ref,
    Schema,
    String,
    Timestamp,
)
from wirelab.model.suggestions import nearest
from wirelab.schema.importers.book import Book, own_name, source
from wirelab.schema.paths import Every, Part
from wirelab.system.python_programs import find_python_program

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor

TIMESTAMP = "google.protobuf.Timestamp"
_I32, _I64 = (-(2**31), 2**31 - 1), (-(2**63), 2**63 - 1)
_U32, _U64 = (0, 2**32 - 1), (0, 2**64 - 1)
_Coding = Literal["", "varint", "fixed"]
_INTEGERS: dict[int, tuple[tuple[int, int], _Coding]] = {
    3: (_I64, "varint"),
    4: (_U64, ""),
    5: (_I32, "varint"),
    6: (_U64, "fixed"),
    7: (_U32, "fixed"),
    13: (_U32, ""),
    15: (_I32, "fixed"),
    16: (_I64, "fixed"),
    17: (_I32, ""),
    18: (_I64, ""),
}
"""FieldDescriptorProto.Type of every integer: its range and coding."""
_SCALARS: dict[int, AnyType] = {
    1: Float(),
    2: Float(bits=32),
    8: Bool(),
    9: String(),
    12: Base64(),
}
_GROUP, _MESSAGE, _ENUM = 10, 11, 14


def compiled(path: Path) -> FileDescriptor:
    """The descriptor of a .proto from protoc, with imports from its folder. Raises BadInput."""
    from google.protobuf import descriptor_pb2, descriptor_pool  # noqa: PLC0415

    source(path)
    folder = path.resolve().parent
    with tempfile.TemporaryDirectory(prefix="wirelab-proto-") as room:
        out = Path(room, "set")
        command = [str(find_python_program("protoc")), f"-I{folder}", "--include_imports"]
        command += [f"--descriptor_set_out={out}", path.name]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
        if done.returncode != 0:
            said = (done.stderr.strip().splitlines() or ["protoc refuses it"])[0]
            raise BadInput(str(path), said, "correct the .proto")
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return pool.FindFileByName(path.name)


def root_of(file: FileDescriptor, path: Path, name: str) -> Descriptor:
    """The message of that name (or full name); without one, the only message no other uses.

    Raises BadInput.
    """
    every = {message.full_name: message for message in _messages(file.message_types_by_name.values())}
    if name:
        fit = [message for full, message in every.items() if name in (full, message.name)]
        if len(fit) == 1:
            return fit[0]
        why = "several messages have that name" if fit else "there is no such message"
        raise BadInput(f"{path}:{name}", why, nearest(name, every))
    used = {
        field.message_type.full_name
        for message in every.values()
        for field in message.fields
        if field.message_type is not None and field.message_type.full_name != message.full_name
    }
    free = [full for full, message in every.items() if full not in used and message.containing_type is None]
    if len(free) != 1:
        choice = ", ".join(free or every) or "none"
        raise BadInput(
            str(path), f"which message is one payload message? ({choice})", f"name it: {path}:NAME"
        )
    return every[free[0]]


def _messages(found: Iterable[Descriptor]) -> Iterable[Descriptor]:
    for message in found:
        if not message.GetOptions().map_entry:
            yield message
            yield from _messages(message.nested_types)


def key_of(field: FieldDescriptor, json_names: bool) -> str:
    """The JSON key of a field: its lowerCamelCase `json_name`, or its name in the .proto."""
    return str(field.json_name if json_names else field.name)


def presence(field: FieldDescriptor) -> bool:
    """Whether a field may be absent."""
    return bool(field.has_presence and not field.is_required)


def schema_of(root: Descriptor, source: str, json_names: bool) -> tuple[Schema, tuple[str, ...]]:
    """The schema of a message, and what to know of it.

    Raises BadInput for what schemas here cannot hold.
    """
    reader = _Reader(source, json_names)
    name = reader.record(root, (), ())
    return Schema(Ref(name=name), tuple(reader.book.records.values())), tuple(reader.notes)


class _Reader:
    def __init__(self, source: str, json_names: bool) -> None:
        self.book, self.json_names = Book(source), json_names
        self.names: dict[str, str] = {}
        self.notes: dict[str, None] = {}

    def record(self, message: Descriptor, path: tuple[Part, ...], users: tuple[str, ...]) -> str:
        self.book.enter(message.full_name, users, path)
        if message.full_name in self.names:
            return self.names[message.full_name]
        if message.file.package == "google.protobuf":
            raise self.book.refuse(
                path, f"{message.full_name} has no type here", "write its fields into a message of your own"
            )
        name = self.book.reserve(message.name)
        taken: set[str] = set()
        users = (*users, message.full_name)
        fields = [self.field(field, taken, path, users) for field in message.fields]
        self.book.keep(name, fields, path)
        self.names[message.full_name] = name
        return name

    def field(
        self, field: FieldDescriptor, taken: set[str], path: tuple[Part, ...], users: tuple[str, ...]
    ) -> Field:
        key = key_of(field, self.json_names)
        kind = self.type(field, (*path, key), users)
        return Field(key, own_name(field.name, taken), kind, presence(field), field.number)

    def type(self, field: FieldDescriptor, path: tuple[Part, ...], users: tuple[str, ...]) -> AnyType:
        if not field.is_repeated:
            return self.single(field, path, users)
        inner = field.message_type
        if inner is not None and inner.GetOptions().map_entry:
            key, value = inner.fields_by_name["key"], inner.fields_by_name["value"]
            if _SCALARS.get(key.type) != String():
                self.notes["keys of maps are carried as text, numbers too"] = None
            return Map(values=self.single(value, (*path, Every.VALUE), users))
        kind = self.single(field, (*path, Every.ITEM), users)
        if not field.is_packed and isinstance(kind, Bool | Int | Float):
            self.notes[
                "repeated numbers are written packed, although the .proto does not pack all of them"
            ] = None
        return List(items=kind)

    def single(self, field: FieldDescriptor, path: tuple[Part, ...], users: tuple[str, ...]) -> AnyType:
        if field.type in _INTEGERS:
            (low, high), coding = _INTEGERS[field.type]
            return Int(low=low, high=high, coding=coding)
        if field.type == _ENUM:
            self.notes["enums are carried as their numbers, in JSON too"] = None
            return _enum(field.enum_type)
        if field.type == _GROUP:
            raise self.book.refuse(path, "groups have no type here", "make it a message")
        if field.type != _MESSAGE:
            return _SCALARS[field.type]
        if field.message_type.full_name == TIMESTAMP:
            self.notes[f"{TIMESTAMP} is carried as 64 bits of ns where a format is binary"] = None
            return Timestamp()
        return Ref(name=self.record(field.message_type, path, users))


def _enum(enum: EnumDescriptor) -> Int:
    numbers = [value.number for value in enum.values]
    low = min(0, *numbers)
    return Int(low=low, high=max(0, *numbers), coding="varint" if low < 0 else "")
