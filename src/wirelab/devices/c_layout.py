"""A schema and its messages as C structures, sized by the longest texts and lists of the corpus.

The tables are those of the emitted Protobuf schema without maps. Our structures thus have the
same fields as those that nanopb generates. A map is a list of entries. A list in a list and a
null in a list are in wrapper structures.
"""

from __future__ import annotations

import base64
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

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
    Record,
    Ref,
    Schema,
    String,
    Timestamp,
)
from wirelab.schema.emitters.common import Role, Style, Width, canonical, layout, width
from wirelab.schema.values import timestamp_ns

STYLE = Style(nested=False, maps=False, byte_items=True)


class Member(Struct):
    """A field of a C structure.

    `absent` and `null`: whether the field may be absent or null. `count` and `size` are the maxima
    of the corpus: items of a list, bytes of a text or byte string (without NUL). `is_map`: a list
    of entries for an object. `number` is Protobuf's if the schema sets it, else 0.
    """

    name: str
    key: str
    kind: AnyType
    absent: bool = False
    null: bool = False
    is_map: bool = False
    is_list: bool = False
    count: int = 0
    size: int = 0
    number: int = 0

    @property
    def marked(self) -> bool:
        """Whether presence is recorded."""
        return self.absent or self.null


class Table(Struct):
    """A C structure. The emitter's `Table` explains the roles."""

    name: str
    role: Role
    members: list[Member]


class Shape(Struct):
    """All structures, each before its users; the name of the root; the messages as trees for
    `load`.
    """

    root: str
    tables: dict[str, Table]
    messages: list[Any]

    @property
    def top(self) -> Table:
        """The structure of one message."""
        return self.tables[self.root]


def shape(schema: Schema, messages: list[Any], texts: bool) -> Shape:
    """Structures for `schema` with the maxima of `messages` (as JSON values, typed by the schema).

    `texts`: timestamps and base64 stay text, as in JSON. Otherwise they are ns in 64 bits, and
    bytes. Raises BadInput.
    """
    lowered = _lowered(schema, texts)
    plan = layout(lowered, STYLE)
    inner: dict[str, AnyType] = {name: kind for kind, name in plan.wrappers.items()}
    entries = {name: kind for kind, name in plan.entries.items()}
    tables: dict[str, Table] = {}
    for table in plan.tables:
        if table.role == "record":
            fields = lowered.record(table.name).fields
            members = [_member(field) for field in fields]
            for member, slot in zip(members, table.slots, strict=True):
                member.kind = slot.type
        else:
            kind = lowered.root if table.role == "root" else inner.get(table.name) or entries[table.name]
            members = [Member(s.name, s.name, s.type) for s in table.slots]
            members[-1].null = kind.nullable
            members[-1].is_map = isinstance(kind, Map)
        for member in members:
            if isinstance(member.kind, List):
                member.is_list, member.kind = True, member.kind.items
        tables[table.name] = Table(table.name, table.role, members)
    _check_names(tables)
    result = Shape(plan.root, tables, [])
    filler = _Filler(schema, result, plan.wrappers, plan.entries, texts)
    result.messages = [filler.root(message) for message in messages]
    return result


def _member(field: Field) -> Member:
    return Member(
        field.name,
        field.key,
        field.type,
        absent=field.optional,
        null=field.type.nullable,
        is_map=isinstance(field.type, Map),
        number=field.number,
    )


def _check_names(tables: dict[str, Table]) -> None:
    for table in tables.values():
        for member in table.members:
            if "\0" in member.key:
                raise BadInput(f"key {member.key!r}", "C text cannot hold a NUL", "rename the key")


def _lowered(schema: Schema, texts: bool) -> Schema:
    records = tuple(
        Record(r.name, tuple(replace(f, type=_kind(f.type, texts)) for f in r.fields)) for r in schema.records
    )
    return Schema(_kind(schema.root, texts), records)


def _kind(kind: AnyType, texts: bool) -> AnyType:
    if isinstance(kind, List):
        return replace(kind, items=_kind(kind.items, texts))
    if isinstance(kind, Map):
        return replace(kind, values=_kind(kind.values, texts))
    if isinstance(kind, Timestamp | Base64) and texts:
        return String(nullable=kind.nullable)
    return kind


class _Filler:
    """Messages as trees: a dict by member name for a structure (absent: no key), a list for a list."""

    def __init__(
        self,
        schema: Schema,
        result: Shape,
        wrappers: dict[AnyType, str],
        entries: dict[AnyType, str],
        texts: bool,
    ) -> None:
        self.schema, self.shape, self.texts = schema, result, texts
        self.wrappers, self.entries = wrappers, entries

    def root(self, message: Any) -> Any:
        root = self.schema.root
        if isinstance(root, Ref) and not root.nullable:
            return self.record(root.name, message)
        member = self.shape.top.members[0]
        return {member.name: self.place(member, root, message)}

    def record(self, name: str, value: dict[str, Any]) -> dict[str, Any]:
        members = self.shape.tables[name].members
        fields = self.schema.record(name).fields
        return {
            member.name: self.place(member, field.type, value[field.key])
            for member, field in zip(members, fields, strict=True)
            if field.key in value
        }

    def place(self, member: Member, kind: AnyType, value: Any) -> Any:
        """The value of a member; null is None."""
        if value is None:
            return None
        if isinstance(kind, List):
            member.count = max(member.count, len(value))
            return [self.item(member, kind.items, item) for item in value]
        if isinstance(kind, Map):
            member.count = max(member.count, len(value))
            table = self.shape.tables[self.entries[canonical(_kind(kind.values, self.texts))]]
            key, content = table.members
            return [
                {
                    "key": self.scalar(key, String(), name),
                    "value": self.place(content, kind.values, value[name]),
                }
                for name in sorted(value)
            ]
        return self.item(member, kind, value, element=False)

    def item(self, member: Member, kind: AnyType, value: Any, element: bool = True) -> Any:
        if element and (kind.nullable or isinstance(kind, List | Map)):
            table = self.shape.tables[self.wrappers[canonical(_kind(kind, self.texts))]]
            inner = table.members[0]
            return {inner.name: self.place(inner, kind, value)}
        return self.record(kind.name, value) if isinstance(kind, Ref) else self.scalar(member, kind, value)

    def scalar(self, member: Member, kind: AnyType, value: Any) -> Any:
        if isinstance(kind, Timestamp) and not self.texts:
            return timestamp_ns(value)
        if isinstance(kind, Base64) and not self.texts:
            value = base64.b64decode(value)
            member.size = max(member.size, len(value))
        elif isinstance(value, str):
            if "\0" in value:
                raise BadInput(
                    f"a text in '{member.key}'", "C text cannot hold a NUL", "leave the message out"
                )
            member.size = max(member.size, len(value.encode()))
        return value


def whole(kind: Int | Timestamp) -> Width:
    """The width of an integer or timestamp."""
    return "i64" if isinstance(kind, Timestamp) else width(kind)


def c_type(member: Member) -> str:
    """The C type of a value of a scalar member. Text and bytes are arrays and have none."""
    kind = member.kind
    if isinstance(kind, Bool):
        return "bool"
    if isinstance(kind, Int | Timestamp):
        return {"u32": "uint32_t", "i32": "int32_t", "u64": "uint64_t", "i64": "int64_t"}[whole(kind)]
    if isinstance(kind, Float):
        return "double" if kind.bits == 64 else "float"
    if isinstance(kind, Ref):
        return kind.name
    raise ValueError(kind)
