"""The importer of .proto files. Field numbers, names, presence and codings are kept.

Descriptors come from wirelab.schema.importers.protobuf_files. Types follow Protobuf's language
guide:
- `optional`, a member of a oneof and a message may be absent; a proto3 scalar may not, and neither
  may lists and maps.
- An enum is its number, as on the wire.
- google.protobuf.Timestamp is `timestamp`, a single wrapper the value in it, Struct, Value and
  ListValue `any`. Other types of google.protobuf are messages like any other.
- A field whose type cannot be carried is left out if messages do not use it, else refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from wirelab.model.errors import BadInput
from wirelab.model.schema import (
    Any,
    AnyType,
    Base64,
    Bool,
    Field,
    Float,
    Int,
    List,
    Map,
    MapKeys,
    Ref,
    Schema,
    String,
    Timestamp,
)
from wirelab.schema.importers.book import Book, own_name
from wirelab.schema.importers.protobuf_fields import (
    ENUM,
    FREE_FORM,
    TIMESTAMP,
    coding_of,
    fields_of,
    is_map,
    is_wrapped,
    key_of,
    may_be_absent,
)
from wirelab.schema.paths import Every, Part

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

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


class Imported(Struct, frozen=True):
    """The schema of a message, what to know of it, and the full names of fields left out."""

    schema: Schema
    notes: tuple[str, ...]
    left_out: frozenset[str]


def schema_of(
    root: Descriptor,
    source: str,
    json_names: bool,
    used: Collection[str] | None = None,
    numbers: Mapping[str, Collection[int]] | None = None,
) -> Imported:
    """The schema of a message.

    `used` has the full names of the fields that messages set; None: there are no messages.
    `numbers` has those of an enum (by full name) that the file does not name but messages have.
    Raises BadInput for what schemas here cannot hold.
    """
    reader = _Reader(source, json_names, used, numbers or {})
    name = reader.record(root, ())
    return Imported(reader.book.schema(Ref(name=name)), tuple(reader.notes), frozenset(reader.left_out))


class _Reader:
    def __init__(
        self,
        source: str,
        json_names: bool,
        used: Collection[str] | None,
        numbers: Mapping[str, Collection[int]],
    ) -> None:
        self.book, self.json_names = Book(source), json_names
        self.used, self.numbers = used, numbers
        self.names: dict[str, str] = {}
        self.notes: dict[str, None] = {}
        self.left_out: set[str] = set()

    def record(self, message: Descriptor, path: tuple[Part, ...]) -> str:
        self.book.enter(path)
        if message.full_name in self.names:
            return self.names[message.full_name]
        if message.full_name in FREE_FORM or message.GetOptions().message_set_wire_format:
            step = "write its fields into a message of your own"
            raise self.book.refuse(path, f"{message.full_name} has no type here", step)
        name = self.names[message.full_name] = self.book.reserve(message.name)
        taken: set[str] = set()
        fields = []
        for field in fields_of(message):
            try:
                fields.append(self.field(field, taken, path))
            except BadInput as error:
                if self.used is None or field.full_name in self.used:
                    raise
                self.left_out.add(field.full_name)
                self.notes[f"{field.full_name} is left out, no message has it: {error.why}"] = None
        if any(not oneof.name.startswith("_") for oneof in message.oneofs):
            self.notes["members of a oneof are carried as fields of which one at most is present"] = None
        self.book.keep(name, fields, path)
        return name

    def field(self, field: FieldDescriptor, taken: set[str], path: tuple[Part, ...]) -> Field:
        key = key_of(field, self.json_names)
        kind = self.type(field, (*path, key))
        name = own_name(field.name, taken)
        return Field(key, name, kind, may_be_absent(field), field.number, coding_of(field))

    def type(self, field: FieldDescriptor, path: tuple[Part, ...]) -> AnyType:
        if is_map(field):
            key, value = (field.message_type.fields_by_name[name] for name in ("key", "value"))
            values = self.single(value, (*path, Every.VALUE))
            return Map(values=values, keys=_MAP_KEYS[key.type])
        if field.is_repeated:
            return List(items=self.single(field, (*path, Every.ITEM)))
        return self.single(field, path)

    def single(self, field: FieldDescriptor, path: tuple[Part, ...]) -> AnyType:
        if field.type in _INTEGERS:
            (low, high), coding = _INTEGERS[field.type]
            return Int(low=low, high=high, coding=coding)
        if field.type == ENUM:
            self.notes["enums are carried as their numbers, in JSON too"] = None
            return self.enum(field.enum_type)
        if field.message_type is None:
            return _SCALARS[field.type]
        return self.message(field, field.message_type, path)

    def message(self, field: FieldDescriptor, inner: Descriptor, path: tuple[Part, ...]) -> AnyType:
        """The type of a message inside another."""
        if inner.full_name == TIMESTAMP:
            return Timestamp(coding="message")
        if inner.full_name in FREE_FORM:
            self.notes[f"{inner.full_name} is any value: JSON text in binary formats but Protobuf"] = None
            return Any(coding=FREE_FORM[inner.full_name])
        if is_wrapped(field):
            return self.single(inner.fields_by_name["value"], path)
        return Ref(name=self.record(inner, path))

    def enum(self, enum: EnumDescriptor) -> Int:
        numbers = [0, *(value.number for value in enum.values), *self.numbers.get(enum.full_name, ())]
        low = min(numbers)
        return Int(low=low, high=max(numbers), coding="varint" if low < 0 else "")


_MAP_KEYS: dict[int, MapKeys] = {
    3: "int64",
    4: "uint64",
    5: "int32",
    6: "fixed64",
    7: "fixed32",
    8: "bool",
    9: "",
    13: "uint32",
    15: "sfixed32",
    16: "sfixed64",
    17: "sint32",
    18: "sint64",
}
"""FieldDescriptorProto.Type of a map's keys as `model.schema.Map.keys`."""
