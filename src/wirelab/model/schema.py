"""The schema of a payload: inferred, edited by users, and the source of every format's schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct
from msgspec.structs import force_setattr


class Type(Struct, frozen=True, tag_field="type"):
    """A type in a schema. `nullable`: JSON null is a valid value."""

    nullable: bool = False


class Bool(Type, frozen=True, tag="bool"):
    """True or false."""


class Int(Type, frozen=True, tag="int"):
    """An integer with the range seen (or set); every value fits 64 bits: -2**63 <= low <= high <
    2**64.

    `coding` is Protobuf's encoding if a .proto sets it: `varint` (int32, int64: ten bytes below
    zero) or `fixed` (fixed32, sfixed64 ...); with "" the range decides.
    """

    low: int = 0
    high: int = 0
    coding: Literal["", "varint", "fixed"] = ""


class Float(Type, frozen=True, tag="float"):
    """A binary floating point number of 32 or 64 bits.

    `nonfinite`: NaN and the infinities are among its values. JSON text here has them as the strings
    of Protobuf's JSON mapping: "NaN", "Infinity" and "-Infinity".
    """

    bits: int = 64
    nonfinite: bool = False


class Decimal(Type, frozen=True, tag="decimal"):
    """A number of any size whose digits matter: `1.00` is not `1.0`. Its text is kept."""


class String(Type, frozen=True, tag="string"):
    """Unicode text."""


class Timestamp(Type, frozen=True, tag="timestamp"):
    """An RFC 3339 string. Formats carry it as ns since the epoch and give the same string back.

    With the `coding` `message`, Protobuf carries it as google.protobuf.Timestamp.
    """

    coding: Literal["", "message"] = ""


class Base64(Type, frozen=True, tag="base64"):
    """Standard base64 text. Binary formats carry the bytes and give the same string back."""


class Any(Type, frozen=True, tag="any"):
    """Any JSON value, null too: `nullable` is never set.

    With a `coding`, Protobuf carries it as google.protobuf.Value, Struct (objects) or ListValue.
    """

    coding: Literal["", "value", "struct", "list"] = ""

    def __post_init__(self) -> None:
        """Null is among the values already."""
        force_setattr(self, "nullable", False)


class List(Type, frozen=True, tag="list"):
    """A list of one item type."""

    items: AnyType = String()


MapKeys = Literal[
    "",
    "bool",
    "fixed32",
    "fixed64",
    "int32",
    "int64",
    "sfixed32",
    "sfixed64",
    "sint32",
    "sint64",
    "uint32",
    "uint64",
]


class Map(Type, frozen=True, tag="map"):
    """An object whose keys are data: string keys, one value type.

    `keys` is Protobuf's type of the keys if a .proto sets another one than string.
    """

    values: AnyType = String()
    keys: MapKeys = ""


class Ref(Type, frozen=True, tag="record"):
    """A use of the record `name`."""

    name: str = ""


class Tuple(Type, frozen=True, tag="tuple"):
    """A JSON list of fixed length whose items have a type by position; at least one item."""

    items: tuple[AnyType, ...] = ()


class Union(Type, frozen=True, tag="union"):
    """A value of one of several types, at least two.

    Null is said by `nullable`, never by an alternative. Alternatives are in the order of
    `schema.unions.ordered`; no alternative is a union or nullable. A JSON value belongs to the
    first alternative that takes it.
    """

    alternatives: tuple[AnyType, ...] = ()


AnyType = Bool | Int | Float | Decimal | String | Timestamp | Base64 | Any | List | Map | Ref | Tuple | Union


FieldCoding = Literal["", "required", "expanded", "group", "wrapped"]


Text = String | Decimal | Any
"""The types that formats without decimals and free values write as text."""


class Field(Struct, frozen=True):
    """A field of a record.

    `key` is the JSON key, `name` an identifier that is valid in every format. `optional` means the
    key may be absent; `type.nullable` that it may be null. `number` is the field number a given
    .proto sets; 0 leaves it to the field's position. All fields of a record have one or none has.
    """

    key: str
    name: str
    type: AnyType
    optional: bool = False
    number: int = 0
    coding: FieldCoding = ""


class Record(Struct, frozen=True, omit_defaults=True):
    """An object with known keys.

    `schema.lowering` makes records of other shapes: a `tuple` is a JSON list with its items in
    `fields`, a `union` is one value, whose alternatives are `fields`.
    """

    name: str
    fields: tuple[Field, ...]
    shape: Literal["object", "tuple", "union"] = "object"


class Schema(Struct, frozen=True):
    """Records, and the type of one message. Records precede their users, but for those of a cycle."""

    root: AnyType
    records: tuple[Record, ...] = ()

    def record(self, name: str) -> Record:
        """The record called `name`. Raises KeyError."""
        for record in self.records:
            if record.name == name:
                return record
        raise KeyError(name)


def walk(kind: AnyType) -> Iterator[AnyType]:
    """A type and the types inside it, outermost first; records are not entered."""
    yield kind
    if isinstance(kind, List):
        yield from walk(kind.items)
    elif isinstance(kind, Map):
        yield from walk(kind.values)
    elif isinstance(kind, Tuple):
        for item in kind.items:
            yield from walk(item)
    elif isinstance(kind, Union):
        for alternative in kind.alternatives:
            yield from walk(alternative)
