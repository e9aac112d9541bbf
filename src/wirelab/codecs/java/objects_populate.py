"""Generates the conversion from native objects to a library's own."""

from __future__ import annotations

from wirelab.codecs.java.names import boxed, native, read_field
from wirelab.codecs.java.object_model import ObjectModel
from wirelab.codecs.java.table_conversion import TableConverter
from wirelab.codecs.positional_names import is_above_i64
from wirelab.model.schema import (
    Any,
    AnyType,
    Base64,
    Decimal,
    Field,
    Int,
    List,
    Map,
    Ref,
    Schema,
    Timestamp,
)
from wirelab.schema.emitters.common import Layout, Slot, Table, plain


class ObjectConverter(TableConverter):
    """The common part of both directions."""

    def __init__(self, schema: Schema, plan: Layout, library: ObjectModel) -> None:
        super().__init__(schema, plan)
        self.library = library

    def convert_collection(self, name: str, kind: List | Map, given: str, made: str, item: str) -> str:
        new, room = f"ArrayList{made.removeprefix('List')}", "all.size()"
        if made.startswith("Map<"):
            new, room = f"java.util.HashMap{made.removeprefix('Map')}", "2 * all.size()"
        if made.startswith("SortedKeys<"):
            new, room = made, ""
        inner = given.split("<", 1)[1].removesuffix(">").removeprefix("String, ")
        if isinstance(kind, Map):
            body = f"for (Map.Entry<String, {inner}> e : all.entrySet()) {{ {inner} v = e.getValue(); out.put(e.getKey(), {item}); }}"
        else:
            body = f"for ({inner} v : all) {{ out.add({item}); }}"
        return f"""    private static {made} {name}({given} all) {{
        {new} out = new {new}({room});
        {body}
        return out;
    }}
"""


class ObjectPopulator(ObjectConverter):
    """Generates the methods from native objects to the library's."""

    def set_field(self, field: Field, slot: Slot) -> str:
        inner = plain(field.type)
        if not (field.optional or field.type.nullable):
            return f"{self.library.set(slot, self.populate(inner, slot.type, f'm.{field.name}'))};"
        name = f"v{field.name}"
        call = self.library.set(slot, self.populate(inner, slot.type, name))
        value = read_field(field, "m")
        return f"{boxed(native(inner))} {name} = {value}; if ({name} != null) {{ {call}; }}"

    def populate(self, kind: AnyType, slot: AnyType, value: str) -> str:
        """The library's value for a native value that is present."""
        if isinstance(kind, Ref):
            return f"populate{kind.name}({value})"
        if isinstance(kind, List | Map):
            item = self.populate_element(inner_of(kind), inner_of(slot), "v")
            if item == "v" and (self.library.shares_lists or isinstance(kind, Map)):
                return value
            name = self.methods.named(
                "populate",
                (kind, slot),
                lambda name: self.convert_collection(name, kind, native(kind), self.library.java(slot), item),
            )
            return f"{name}({value})"
        return self.scalar_in(kind, slot, value)

    def populate_element(self, kind: AnyType, slot: AnyType, value: str) -> str:
        wrapper = self.wrapper(kind)
        if wrapper:
            return f"{self.wrap(kind, wrapper)}({value})"
        made = self.populate(plain(kind), slot, value)
        return f"({value} == null ? null : {as_box(slot, made)})" if kind.nullable and made != value else made

    def wrap(self, kind: AnyType, table: Table) -> str:
        """The method from a native value, which may be null, to a table with one field for it."""
        slot = table.slots[0]
        call = f"{self.library.set(slot, self.populate(plain(kind), slot.type, 'v'))};"
        body = self.library.create(table.name, [f"if (v != null) {{ {call} }}" if kind.nullable else call])
        return self.methods.named(
            "wrap",
            (kind, table.name),
            lambda name: (
                f"""    private static {self.library.package}.{table.name} {name}({boxed(native(kind))} v) {{
        {body}
    }}
"""
            ),
        )

    def scalar_in(self, kind: AnyType, slot: AnyType, value: str) -> str:
        if isinstance(kind, Base64):
            return self.library.to_octets(value)
        if isinstance(kind, Timestamp):
            return self.instant_in(slot, f"{value}.nanos()")
        if isinstance(kind, Int) and is_above_i64(kind):
            return f"{value}.bits()"
        if isinstance(kind, Any | Decimal):
            return f"{value}.text()"
        return cast(value, native(kind), self.library.java(slot))

    def instant_in(self, slot: AnyType, nanos: str) -> str:
        """ns since 1970 in a slot: as they are, or in a message of seconds and nanos."""
        if not isinstance(slot, Ref):
            return nanos
        java = f"{self.library.package}.{slot.name}"
        seconds = "b.setSeconds(Math.floorDiv(nanos, 1000000000L));"
        rest = "b.setNanos((int) Math.floorMod(nanos, 1000000000L));"
        body = self.library.create(slot.name, [seconds, rest])
        method = self.methods.named(
            "instant",
            (slot, java),
            lambda name: f"    private static {java} {name}(long nanos) {{\n        {body}\n    }}\n",
        )
        return f"{method}({nanos})"


def instant_out(slot: AnyType, value: str) -> str:
    """ns since 1970 from the value of a slot."""
    if not isinstance(slot, Ref):
        return value
    return f"({value}.getSeconds() * 1000000000L + {value}.getNanos())"


def inner_of(kind: AnyType) -> AnyType:
    """The type of a list's item or a map's value."""
    if isinstance(kind, List):
        return kind.items
    assert isinstance(kind, Map)
    return kind.values


def cast(value: str, given: str, wanted: str) -> str:
    """A conversion between `int` and `long`, or `float` and `double`, boxed or not."""
    return value if given == wanted else f"({wanted}) ({given}) {value}"


def as_box(kind: AnyType, value: str) -> str:
    """An expression that is not unboxed in a conditional whose other branch is null."""
    box = boxed(native(plain(kind)))
    return f"({box}) {value}" if box in ("Integer", "Long", "Float", "Double", "Boolean") else value
