"""The importer of .proto files. Field numbers, names, presence and integer codings are kept.

Descriptors come from wirelab.schema.importers.protobuf_files. Types follow
Protobuf's language guide:
- `optional`, a member of a oneof and a message may be absent; a proto3 scalar may not, and neither
  may lists and maps.
- An enum is its number, as on the wire. google.protobuf.Timestamp is `timestamp`: RFC 3339 text, 64
  bits of ns.
- Groups and the other types of google.protobuf are refused with their path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

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
from wirelab.schema.importers.book import Book, own_name
from wirelab.schema.paths import Every, Part

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

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
    return reader.book.schema(Ref(name=name)), tuple(reader.notes)


class _Reader:
    def __init__(self, source: str, json_names: bool) -> None:
        self.book, self.json_names = Book(source), json_names
        self.names: dict[str, str] = {}
        self.notes: dict[str, None] = {}

    def record(self, message: Descriptor, path: tuple[Part, ...], users: tuple[str, ...]) -> str:
        self.book.enter(path)
        if message.full_name in self.names:
            return self.names[message.full_name]
        if message.file.package == "google.protobuf":
            raise self.book.refuse(
                path, f"{message.full_name} has no type here", "write its fields into a message of your own"
            )
        name = self.names[message.full_name] = self.book.reserve(message.name)
        taken: set[str] = set()
        users = (*users, message.full_name)
        fields = [self.field(field, taken, path, users) for field in message.fields]
        self.book.keep(name, fields, path)
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
