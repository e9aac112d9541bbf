"""A schema and its messages as C structures, sized by the longest texts and lists of the corpus.

The tables are those of the emitted Protobuf schema without maps. Our structures thus have the
same fields as those that nanopb generates. A map is a list of entries. A list in a list, a
null in a list, and a list or map in a union are in wrapper structures.
"""

from __future__ import annotations

import base64
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from wirelab.devices.alternatives import alternative
from wirelab.devices.free_text import any_text, decimal_text
from wirelab.model import schema as model
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
    Text,
    Timestamp,
    Tuple,
    Union,
)
from wirelab.schema.emitters.common import Role, Style, Width, canonical, layout, width
from wirelab.schema.lowering import lowered
from wirelab.schema.unions import union
from wirelab.schema.values import timestamp_ns

STYLE = Style(nested=False, maps=False, byte_items=True, alternatives="single")
WHICH = "which_value"
"""The member of a union's structure that holds the number of its alternative, from 1."""


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
    """A C structure. The emitter's `Table` explains the roles; a `tuple` is a list in JSON."""

    name: str
    role: Role | Literal["tuple"]
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


def shape(schema: Schema, messages: list[Any], texts: bool, union_texts: bool = False) -> Shape:
    """Structures for `schema` with the maxima of `messages` (as JSON values, typed by the schema).

    `texts`: timestamps and base64 stay text, as in JSON. Otherwise they are ns in 64 bits, and
    bytes. `union_texts`: a timestamp in a union stays text, which tells it from an integer. Raises
    BadInput.
    """
    schema = lowered(_chosen(schema, texts, union_texts))
    plan = layout(schema, STYLE)
    inner: dict[str, AnyType] = {name: kind for kind, name in plan.wrappers.items()}
    entries = {name: kind for kind, name in plan.entries.items()}
    tables: dict[str, Table] = {}
    for table in plan.tables:
        role: Role | Literal["tuple"] = table.role
        if table.role in ("record", "union"):
            record = schema.record(table.name)
            members = [_member(field) for field in record.fields]
            for member, slot in zip(members, table.slots, strict=True):
                member.kind = slot.type
            role = "tuple" if record.shape == "tuple" else role
        else:
            kind = schema.root if table.role == "root" else inner.get(table.name) or entries[table.name]
            members = [Member(s.name, s.name, s.type) for s in table.slots]
            members[-1].null = kind.nullable
            members[-1].is_map = isinstance(kind, Map)
        for member in members:
            if isinstance(member.kind, List):
                member.is_list, member.kind = True, member.kind.items
            if isinstance(member.kind, Text):
                member.kind = String()
        tables[table.name] = Table(table.name, role, members)
    _check_names(tables)
    result = Shape(plan.root, tables, [])
    filler = _Filler(schema, result, plan.wrappers, plan.entries)
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


def _chosen(schema: Schema, texts: bool, union_texts: bool) -> Schema:
    """The schema with the types that are text in the messages. Of two texts in a union one is left."""

    def chosen(kind: AnyType, as_text: tuple[type, ...]) -> AnyType:
        if isinstance(kind, List):
            return replace(kind, items=chosen(kind.items, everywhere))
        if isinstance(kind, Map):
            return replace(kind, values=chosen(kind.values, everywhere))
        if isinstance(kind, Tuple):
            return replace(kind, items=tuple(chosen(item, everywhere) for item in kind.items))
        if isinstance(kind, Union):
            kinds = dict.fromkeys(chosen(one, in_unions) for one in kind.alternatives)
            return replace(union(kinds), nullable=kind.nullable)
        return String(nullable=kind.nullable) if isinstance(kind, as_text) else kind

    everywhere: tuple[type, ...] = (Timestamp, Base64) if texts else ()
    in_unions = (*everywhere, Timestamp) if union_texts else everywhere
    records = tuple(
        Record(r.name, tuple(replace(f, type=chosen(f.type, everywhere)) for f in r.fields))
        for r in schema.records
    )
    return Schema(chosen(schema.root, everywhere), records)


class _Filler:
    """Messages as trees: a dict by member name for a structure (absent: no key), a list for a list.

    A union's structure has `WHICH` and the member of its alternative.
    """

    def __init__(
        self,
        schema: Schema,
        result: Shape,
        wrappers: dict[AnyType, str],
        entries: dict[AnyType, str],
    ) -> None:
        self.schema, self.shape = schema, result
        self.wrappers, self.entries = wrappers, entries

    def root(self, message: Any) -> Any:
        root = self.schema.root
        if isinstance(root, Ref) and not root.nullable:
            return self.record(root.name, message)
        member = self.shape.top.members[0]
        return {member.name: self.place(member, root, message)}

    def record(self, name: str, value: Any) -> dict[str, Any]:
        members = self.shape.tables[name].members
        record = self.schema.record(name)
        if record.shape == "union":
            index = alternative(self.schema, record, value)
            member = members[index]
            return {WHICH: index + 1, member.name: self.item(member, record.fields[index].type, value)}
        if record.shape == "tuple":
            value = {field.key: item for field, item in zip(record.fields, value, strict=True)}
        return {
            member.name: self.place(member, field.type, value[field.key])
            for member, field in zip(members, record.fields, strict=True)
            if field.key in value
        }

    def place(self, member: Member, kind: AnyType, value: Any) -> Any:
        """The value of a member; null is None."""
        if value is None and not isinstance(kind, model.Any):
            return None
        if isinstance(kind, List):
            member.count = max(member.count, len(value))
            return [self.item(member, kind.items, item) for item in value]
        if isinstance(kind, Map):
            member.count = max(member.count, len(value))
            table = self.shape.tables[self.entries[canonical(kind.values)]]
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
            table = self.shape.tables[self.wrappers[canonical(kind)]]
            inner = table.members[0]
            return {inner.name: self.place(inner, kind, value)}
        return self.record(kind.name, value) if isinstance(kind, Ref) else self.scalar(member, kind, value)

    def scalar(self, member: Member, kind: AnyType, value: Any) -> Any:
        if isinstance(kind, Timestamp):
            return timestamp_ns(value)
        if isinstance(kind, model.Any):
            value = any_text(value)
        elif isinstance(kind, model.Decimal):
            value = decimal_text(value)
        if isinstance(kind, Base64):
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
