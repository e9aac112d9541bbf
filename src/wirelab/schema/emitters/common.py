"""The decisions that emitted schemas share: field numbers, integer widths, wrappers, presence.

Generated code that must agree with an emitted schema takes them from here instead of deciding
again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal

import msgspec
from msgspec import Struct

from wirelab.model.schema import (
    Any,
    AnyType,
    Base64,
    Bool,
    Decimal,
    Field,
    FieldCoding,
    Float,
    Int,
    List,
    Map,
    Ref,
    Schema,
    String,
    Timestamp,
)
from wirelab.schema.lowering import lowered

Width = Literal["u32", "i32", "u64", "i64"]
Role = Literal["record", "union", "root", "wrapper", "entry", "instant", "value", "struct", "list"]

FreeRole = Literal["value", "struct", "list"]

RANGES: dict[Width, tuple[int, int]] = {
    "u32": (0, 2**32 - 1),
    "i32": (-(2**31), 2**31 - 1),
    "u64": (0, 2**64 - 1),
    "i64": (-(2**63), 2**63 - 1),
}
LABELS: dict[Width, str] = {"u32": "Uint32", "i32": "Int32", "u64": "Uint64", "i64": "Int64"}
_RESERVED_NUMBERS = (19000, 19999)


def width(kind: Int) -> Width:
    """The integer type for a range: unsigned if nothing is below zero, 32 bits if sufficient.

    At least 32 bits: the range of a sample does not bound the next message.
    """
    unsigned: tuple[Width, Width] = ("u32", "u64")
    signed: tuple[Width, Width] = ("i32", "i64")
    for name in unsigned if kind.low >= 0 else signed:
        low, high = RANGES[name]
        if low <= kind.low and kind.high <= high:
            return name
    raise ValueError(f"no 64-bit integer holds {kind.low}..{kind.high}")


def fits_int32(kind: Int) -> bool:
    """Whether a range fits 32 bits with sign, for formats without unsigned integers."""
    low, high = RANGES["i32"]
    return low <= kind.low and kind.high <= high


def number(index: int) -> int:
    """The field number of the field at `index`: from 1, without the numbers that Protobuf reserves."""
    first, last = _RESERVED_NUMBERS
    return index + 1 if index + 1 < first else index + 1 + (last - first + 1)


def field_number(index: int, field: Field) -> int:
    """The number given for a field, else that of its position."""
    return field.number or number(index)


def plain(kind: AnyType) -> AnyType:
    """The type without null among its values."""
    return msgspec.structs.replace(kind, nullable=False) if kind.nullable else kind


def canonical(kind: AnyType) -> AnyType:
    """The type with every integer range widened to that of its width, so that equal layouts compare
    equal.
    """
    if isinstance(kind, Int):
        low, high = RANGES[width(kind)]
        return Int(nullable=kind.nullable, low=low, high=high, coding=kind.coding)
    if isinstance(kind, List):
        return List(nullable=kind.nullable, items=canonical(kind.items))
    if isinstance(kind, Map):
        return Map(nullable=kind.nullable, values=canonical(kind.values), keys=kind.keys)
    return kind


def label(kind: AnyType) -> str:
    """The part of a wrapper's name that stands for a type: `list<int 0..9|null>` is
    `Uint32OrNullList`. `any` and `decimal` are text.
    """
    if kind.nullable:
        return f"{label(plain(kind))}OrNull"
    if isinstance(kind, List):
        return f"{label(kind.items)}List"
    if isinstance(kind, Map):
        return f"{label(kind.values)}Map"
    return kind.name if isinstance(kind, Ref) else _scalar_label(kind)


def _scalar_label(kind: AnyType) -> str:
    if isinstance(kind, Int):
        return LABELS[width(kind)]
    if isinstance(kind, Float):
        return "Double" if kind.bits == 64 else "Float"
    names: dict[type, str] = {Bool: "Bool", Timestamp: "Timestamp", Base64: "Bytes"}
    return names.get(type(kind), "String")


class Style(Struct, frozen=True):
    """The types that a format supports inside a list or map without a wrapper table."""

    nested: bool
    """lists and maps"""
    maps: bool
    """maps exist at all; else a map is a list of entries sorted by key"""
    byte_items: bool
    """byte strings"""
    given: bool = False
    """numbers and codings of a given .proto are kept; else fields are numbered by position"""
    alternatives: Literal["any", "single", "tables"] = "any"
    """alternatives of a union without a wrapper table: any type, no list or map, or tables only"""


class Slot(Struct, frozen=True):
    """A field of an emitted table. `type` is lowered: it names only what the style can write.

    `key` is the JSON key, None in a table that is not in the JSON. `optional` means that presence
    must be recorded: the field may be absent or null. `coding` is that of a given .proto.
    """

    number: int
    name: str
    type: AnyType
    optional: bool = False
    key: str | None = None
    coding: FieldCoding = ""


class Table(Struct, frozen=True):
    """A message, table or struct of an emitted schema.

    A `record` may be made of a tuple. A `union` has a slot for each alternative. A `root` holds a
    root that is not a record in `value`. A `wrapper` holds a list in `items`, a map in `entries`,
    anything else in `value`. An `entry` is one `key` and `value` of a map. An `instant` is a
    timestamp in `seconds` and `nanos`. `value`, `struct` and `list` are the messages of values of
    any type in google/protobuf/struct.proto.
    """

    name: str
    role: Role
    slots: tuple[Slot, ...]


class Layout(Struct, frozen=True):
    """All tables, each before those that use it. `root` is the name of the table of one message.

    `wrappers` and `entries` name the wrapper table of an element type and the entry table of a
    map's value type, `boxes` the wrapper table of a type that needs one in some fields only. All
    are keyed by `canonical` types.
    """

    root: str
    tables: tuple[Table, ...]
    wrappers: dict[AnyType, str]
    entries: dict[AnyType, str]
    boxes: dict[AnyType, str] = {}


INSTANT = (
    Slot(1, "seconds", Int(low=-(2**63), high=2**63 - 1, coding="varint")),
    Slot(2, "nanos", Int(low=-(2**31), high=2**31 - 1, coding="varint")),
)
"""The fields of google.protobuf.Timestamp."""


def free_tables(names: Mapping[FreeRole, str]) -> tuple[Table, ...]:
    """The messages of google/protobuf/struct.proto under these names; NullValue is its number."""
    value = Ref(name=names["value"])
    kinds: dict[str, AnyType] = {
        "null_value": Int(low=-(2**31), high=2**31 - 1, coding="varint"),
        "number_value": Float(),
        "string_value": String(),
        "bool_value": Bool(),
        "struct_value": Ref(name=names["struct"]),
        "list_value": Ref(name=names["list"]),
    }
    slots = tuple(Slot(index, name, kind) for index, (name, kind) in enumerate(kinds.items(), start=1))
    return (
        Table(names["value"], "value", slots),
        Table(names["struct"], "struct", (Slot(1, "fields", Map(values=value)),)),
        Table(names["list"], "list", (Slot(1, "values", List(items=value)),)),
    )


def layout(schema: Schema, style: Style) -> Layout:
    """The tables of a schema for a format of this style."""
    return _Builder(schema, style).build()


class _Builder:
    def __init__(self, schema: Schema, style: Style) -> None:
        self.schema, self.style = lowered(schema), style
        self.tables: list[Table] = []
        self.wrappers: dict[AnyType, str] = {}
        self.entries: dict[AnyType, str] = {}
        self.boxes: dict[AnyType, str] = {}
        self.free: dict[FreeRole, str] = {}
        self.taken = {record.name.lower() for record in self.schema.records}

    def build(self) -> Layout:
        for record in self.schema.records:
            is_union = record.shape == "union"
            slot = self.alternative if is_union else self.slot
            slots = tuple(slot(index, field) for index, field in enumerate(record.fields))
            self.tables.append(Table(record.name, "union" if is_union else "record", slots))
        root = self.schema.root
        if isinstance(root, Ref) and not root.nullable:
            return self.layout(root.name)
        name = self.name("Message")
        self.tables.append(Table(name, "root", (Slot(1, "value", self.lower(root), root.nullable),)))
        return self.layout(name)

    def layout(self, root: str) -> Layout:
        return Layout(root, tuple(self.tables), self.wrappers, self.entries, self.boxes)

    def slot(self, index: int, field: Field) -> Slot:
        present = field.optional or field.type.nullable
        if not self.style.given:
            return Slot(number(index), field.name, self.lower(field.type), present, field.key)
        kind = Ref(name=self.box(field.type)) if field.coding == "wrapped" else self.lower(field.type)
        return Slot(field_number(index, field), field.name, kind, present, field.key, field.coding)

    def alternative(self, index: int, field: Field) -> Slot:
        """The slot of an alternative."""
        return Slot(number(index), field.name, self.inside_union(field.type))

    def inside_union(self, kind: AnyType) -> AnyType:
        """A type in the place of an alternative."""
        fit = {
            "any": True,
            "single": not isinstance(kind, List | Map),
            "tables": isinstance(kind, Ref),
        }[self.style.alternatives]
        if fit:
            return self.lower(kind)
        is_wrapped = self.style.alternatives == "single" or self.element(kind) != self.lower(kind)
        return Ref(name=self.wrapper(kind) if is_wrapped else self.box(kind))

    def box(self, kind: AnyType) -> str:
        kind = canonical(kind)
        if kind not in self.boxes:
            self.boxes[kind] = self.add_wrapper(kind)
        return self.boxes[kind]

    def lower(self, kind: AnyType) -> AnyType:
        """A type in the place of a field."""
        if isinstance(kind, List):
            return List(items=self.element(kind.items))
        if isinstance(kind, Map):
            if not self.style.maps:
                return self.pairs(kind)
            return Map(values=self.element(kind.values), keys=kind.keys)
        is_message = self.is_instant(kind) or self.is_free(kind)
        return Ref(name=self.wrapper(plain(kind))) if is_message else plain(kind)

    def is_instant(self, kind: AnyType) -> bool:
        """Whether a timestamp is a message of seconds and nanos."""
        return self.style.given and isinstance(kind, Timestamp) and kind.coding == "message"

    def is_free(self, kind: AnyType) -> bool:
        """Whether a value of any type is a message of google/protobuf/struct.proto."""
        return self.style.given and isinstance(kind, Any) and kind.coding != ""

    def element(self, kind: AnyType) -> AnyType:
        """A type in the place of a list's item or a map's value."""
        unfit = isinstance(kind, List | Map) and not self.style.nested
        unfit = unfit or (isinstance(kind, Base64) and not self.style.byte_items)
        return Ref(name=self.wrapper(kind)) if unfit or kind.nullable else self.lower(kind)

    def wrapper(self, kind: AnyType) -> str:
        kind = canonical(kind)
        if kind not in self.wrappers:
            self.wrappers[kind] = self.add_wrapper(kind)
        return self.wrappers[kind]

    def add_wrapper(self, kind: AnyType) -> str:
        if isinstance(kind, Any) and kind.coding and self.style.given:
            return self.free_names()[kind.coding]
        if self.is_instant(kind) and not kind.nullable:
            name = self.name("TimestampMessage")
            self.tables.append(Table(name, "instant", INSTANT))
            return name
        field = "items" if isinstance(kind, List) else "entries" if isinstance(kind, Map) else "value"
        slot = Slot(1, field, self.lower(kind), kind.nullable)
        is_label = isinstance(kind, List | Map) or kind.nullable
        name = self.name(label(kind) if is_label else f"{label(kind)}Value")
        self.tables.append(Table(name, "wrapper", (slot,)))
        return name

    def free_names(self) -> dict[FreeRole, str]:
        """The messages of values of any type, which name one another."""
        if not self.free:
            wishes: dict[FreeRole, str] = {
                "value": "ValueMessage",
                "struct": "StructMessage",
                "list": "ListMessage",
            }
            self.free = {role: self.name(wish) for role, wish in wishes.items()}
            self.tables += free_tables(self.free)
        return self.free

    def pairs(self, kind: Map) -> AnyType:
        values = canonical(kind.values)
        if values not in self.entries:
            slots = (Slot(1, "key", String()), Slot(2, "value", self.lower(values), values.nullable))
            self.entries[values] = self.name(f"{label(values)}Entry")
            self.tables.append(Table(self.entries[values], "entry", slots))
        return List(items=Ref(name=self.entries[values]))

    def name(self, wish: str) -> str:
        name, again = wish, 2
        while name.lower() in self.taken:
            name, again = f"{wish}{again}", again + 1
        self.taken.add(name.lower())
        return name


def camel(name: str) -> str:
    """`first_name` as `firstName`, the style of Protobuf and Cap'n Proto."""
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def innermost(kind: AnyType) -> AnyType:
    """The type of what lists and maps hold at last."""
    while isinstance(kind, List | Map):
        kind = kind.items if isinstance(kind, List) else kind.values
    return kind


def note(slot: Slot) -> str:
    """The comment on a field in an emitted schema: its JSON key if renamed, and its meaning."""
    parts = []
    if slot.key is not None and slot.key not in (slot.name, camel(slot.name)):
        parts.append(f"JSON key {json.dumps(slot.key)}")
    inner = innermost(slot.type)
    meanings: dict[type, str] = {
        Timestamp: "ns since 1970-01-01T00:00:00Z",
        Decimal: "a number as text",
        Any: "any value, as JSON text",
    }
    if type(inner) in meanings:
        parts.append(meanings[type(inner)])
    return "; ".join(parts)
