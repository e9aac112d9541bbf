"""C for formats that encode keys: code over structures, common to all libraries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Literal

from wirelab.devices.c_layout import WHICH, Member, Shape, Table
from wirelab.devices.structs import text
from wirelab.model.schema import Base64, Bool, Float, Int, Ref, String

Kind = Literal["bool", "int", "float", "text", "bytes", "array", "map"]


class Keyed(ABC):
    """A library. All methods return C statements. `m` is the structure.

    `writer` and `reader` declare them.
    """

    writer: str
    reader: str
    out: str
    into: str
    put_null: str
    is_null: str
    """A condition that is true at a null."""
    take_null = ""
    failed: str
    """A condition that is true after an error."""
    fail: str

    @abstractmethod
    def put_key(self, key: str, length: int) -> str: ...

    @abstractmethod
    def put_text(self, place: str) -> str: ...

    @abstractmethod
    def put_value(self, member: Member, place: str) -> str: ...

    @abstractmethod
    def put_container(self, kind: str, count: str, content: str) -> str:
        """An `array` or a `map` of `count` items around the statements that write them."""

    @abstractmethod
    def get_value(self, member: Member, place: str) -> str: ...

    @abstractmethod
    def get_record(self, table: Table, cases: list[str], needed: str) -> str:
        """Keys in any order.

        `cases` read the values, in the order of `keys_TABLE`. Fails unless all `needed` keys were
        `found`.
        """

    @abstractmethod
    def get_empty(self) -> str:
        """A map without keys."""

    @abstractmethod
    def get_tuple(self, items: list[str]) -> str:
        """An array of as many items; each of `items` reads one."""

    @abstractmethod
    def is_kind(self, kind: Kind, count: int) -> str:
        """A condition: the value is of a kind; `count` is the length of a tuple, 0 of other arrays."""

    @abstractmethod
    def attempt(self, lines: str) -> str:
        """Read by `lines` and return; if they fail, go back to where they started."""

    @abstractmethod
    def get_array(self, place: str, limit: int, item: Callable[[str], str]) -> str:
        """At most `limit` items; `item` reads the item at an index."""

    @abstractmethod
    def get_map(self, place: str, limit: int, entry: str, key_size: int, value: str) -> str:
        """At most `limit` entries of the type `entry`; `value` reads that of the entry `m`."""

    def functions(self, shape: Shape) -> list[str]:
        """`put` and `get` for every structure except entries of maps, which are handled in place."""
        tables = [table for table in shape.tables.values() if table.role != "entry"]
        return [part for table in tables for part in (self._put(shape, table), self._get(shape, table))]

    def _put(self, shape: Shape, table: Table) -> str:
        if table.role == "union":
            body = self._put_union(table)
        elif table.role == "tuple":
            items = "\n".join(self._put_marked(shape, m) for m in table.members)
            body = self.put_container("array", str(len(table.members)), items)
        elif table.role != "record":
            body = self._put_marked(shape, table.members[0])
        else:
            fixed = sum(not m.absent for m in table.members)
            there = [f"(m->has_{m.name} != 0)" for m in table.members if m.absent]
            fields = "\n".join(self._put_field(shape, m) for m in table.members)
            body = self.put_container("map", " + ".join([str(fixed), *there]), fields)
        return f"static void put_{table.name}({self.writer}, const {table.name} *m) {{\n    (void)m;\n{body}\n}}\n"

    def _put_union(self, table: Table) -> str:
        cases = [
            f"    case {index}: {self._put_one(member, f'm->value.{member.name}')} break;"
            for index, member in enumerate(table.members, start=1)
        ]
        return "\n".join([f"    switch (m->{WHICH}) {{", *cases, "    }"])

    def _put_field(self, shape: Shape, member: Member) -> str:
        key = self.put_key(text(member.key), len(member.key.encode()))
        lines = f"    {key}\n{self._put_marked(shape, member)}"
        return f"    if (m->has_{member.name}) {{\n{lines}\n    }}" if member.absent else lines

    def _put_marked(self, shape: Shape, member: Member) -> str:
        lines = self._put_member(shape, member)
        if not member.null:
            return lines
        return f"    if (m->has_{member.name} != 1) {self.put_null}\n    else {{\n{lines}\n    }}"

    def _put_member(self, shape: Shape, member: Member) -> str:
        place = f"m->{member.name}"
        if not member.is_list:
            return f"    {self._put_one(member, place)}"
        loop = f"    for (uint16_t i = 0; i < {place}_count; i++)"
        if not member.is_map:
            items = f"{loop} {self._put_one(member, f'{place}[i]')}"
            return self.put_container("array", f"{place}_count", items)
        entry = _entry(shape, member)
        content = (
            f"{loop} {{\n    const {entry.name} *entry = &{place}[i];\n    {self.put_text('entry->key')}\n"
            f"    {{ const {entry.name} *m = entry;\n{self._put_marked(shape, entry.members[1])}\n    }}\n    }}"
        )
        return self.put_container("map", f"{place}_count", content)

    def _put_one(self, member: Member, place: str) -> str:
        if isinstance(member.kind, Ref):
            return f"put_{member.kind.name}({self.out}, &{place});"
        return self.put_value(member, place)

    def _get(self, shape: Shape, table: Table) -> str:
        head = f"static void get_{table.name}({self.reader}, {table.name} *m) {{\n    (void)m;\n"
        if table.role == "union":
            return f"{head}{self._get_union(shape, table)}\n}}\n"
        if table.role == "tuple":
            return f"{head}{self.get_tuple([self._get_marked(shape, m) for m in table.members])}\n}}\n"
        if table.role != "record":
            return f"{head}{self._get_marked(shape, table.members[0])}\n}}\n"
        if not table.members:
            return f"{head}{self.get_empty()}\n}}\n"
        keys = ", ".join(text(m.key) for m in table.members)
        absent = "".join(f"    m->has_{m.name} = 0;\n" for m in table.members if m.absent)
        cases = [self._get_marked(shape, m) for m in table.members]
        needed = " && ".join(f"found[{i}]" for i, m in enumerate(table.members) if not m.absent) or "true"
        return (
            f"static const char *const keys_{table.name}[] = {{{keys}}};\n\n{head}"
            f"    bool found[{len(cases)}] = {{false}};\n{absent}{self.get_record(table, cases, needed)}\n}}\n"
        )

    def _get_union(self, shape: Shape, table: Table) -> str:
        """The kind of the value selects the alternative. Of several lists or several objects, the
        first that can be read is taken.
        """
        kinds = [_kind(shape, member) for member in table.members]
        lines = [f"    if ({self.failed}) return;"]
        for index, (member, (kind, count)) in enumerate(zip(table.members, kinds, strict=True)):
            read = f"m->{WHICH} = {index + 1}; {self._get_one(member, f'm->value.{member.name}')}"
            is_last = all(kind != other for other, _ in kinds[index + 1 :])
            read = f"{read} return;" if is_last else self.attempt(read)
            lines.append(f"    if ({self.is_kind(kind, count)}) {{ {read} }}")
        return "\n".join([*lines, f"    {self.fail}"])

    def _get_marked(self, shape: Shape, member: Member) -> str:
        lines = self._get_member(shape, member)
        there = f"    m->has_{member.name} = 1;\n" if member.marked else ""
        if not member.null:
            return there + lines
        null = f"{{ {self.take_null}m->has_{member.name} = 2; }}"
        return f"    if ({self.is_null}) {null}\n    else {{\n{there}{lines}\n    }}"

    def _get_member(self, shape: Shape, member: Member) -> str:
        place, limit = f"m->{member.name}", max(member.count, 1)
        if not member.is_list:
            return f"    {self._get_one(member, place)}"
        if not member.is_map:
            return self.get_array(place, limit, lambda index: self._get_one(member, f"{place}[{index}]"))
        entry = _entry(shape, member)
        key, value = entry.members
        return self.get_map(place, limit, entry.name, key.size, self._get_marked(shape, value))

    def _get_one(self, member: Member, place: str) -> str:
        if isinstance(member.kind, Ref):
            return f"get_{member.kind.name}({self.into}, &{place});"
        return self.get_value(member, place)


def _kind(shape: Shape, member: Member) -> tuple[Kind, int]:
    """The kind of an alternative, and the length of a tuple."""
    kind = member.kind
    if not isinstance(kind, Ref):
        kinds: dict[type, Kind] = {
            Bool: "bool",
            Int: "int",
            Float: "float",
            String: "text",
            Base64: "bytes",
        }
        return kinds[type(kind)], 0
    table = shape.tables[kind.name]
    if table.role == "tuple":
        return "array", len(table.members)
    return ("array" if table.role == "wrapper" and not table.members[0].is_map else "map"), 0


def _entry(shape: Shape, member: Member) -> Table:
    assert isinstance(member.kind, Ref)
    return shape.tables[member.kind.name]
