"""Generates the conversion from native objects to Cap'n Proto builders."""

from __future__ import annotations

from wirelab.codecs.java.capnp_types import LIB, STRUCTS, builder
from wirelab.codecs.java.names import boxed, capital, native, read_field
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
    String,
    Timestamp,
)
from wirelab.schema.emitters import capnp
from wirelab.schema.emitters.common import Slot, Table, canonical, plain, width


class CapnpConverter(TableConverter):
    """The common part of filling and reading. `slot` is the lowered type of a native `kind`."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema, capnp.tables(schema))


class BuilderFiller(CapnpConverter):
    """Generates the methods that fill builders from native objects."""

    def fill_field(self, field: Field, slot: Slot) -> str:
        if not (field.optional or field.type.nullable):
            return self.fill_slot(field.type, slot, f"m.{field.name}")
        name = f"v{field.name}"
        given = f"{boxed(native(field.type))} {name} = {read_field(field, 'm')};"
        return f"{given} if ({name} != null) {{ {self.fill_slot(plain(field.type), slot, name)} }}"

    def fill_slot(self, kind: AnyType, slot: Slot, value: str) -> str:
        """A statement that sets a slot of `b` to a native value that is present."""
        name = capital(slot.name)
        if isinstance(kind, List | Map):
            method = self.many(kind, slot.type)
            return f"{method}(b.init{name}({value}.size()), {value});"
        if isinstance(kind, Ref):
            return f"fill{kind.name}(b.init{name}(), {value});"
        group = f"init{name}().setValue" if is_union(slot) else f"set{name}"
        return f"b.{group}({_stored(kind, value)});"

    def many(self, kind: AnyType, slot: AnyType) -> str:
        return self.methods.named("fill", (kind, slot), lambda name: self.fill_collection(name, kind, slot))

    def fill_collection(self, name: str, kind: AnyType, slot: AnyType) -> str:
        assert isinstance(slot, List)
        if isinstance(kind, Map):
            inner, table = boxed(native(kind.values)), self.tables[self.plan.entries[canonical(kind.values)]]
            value = self.fill_slot(plain(kind.values), table.slots[1], "v")
            value = f"if (v != null) {{ {value} }}" if kind.values.nullable else value
            entry = self.methods.named(
                "entry",
                kind,
                lambda name: (
                    f"""    private static void {name}({STRUCTS}.{table.name}.Builder b, String k, {inner} v) {{
        b.setKey(new {LIB}.Text.Reader(k));
        {value}
    }}
"""
                ),
            )
            loop = f"for (Map.Entry<String, {inner}> e : all.entrySet())"
            item = f"{entry}(to.get(i++), e.getKey(), e.getValue());"
        else:
            assert isinstance(kind, List)
            loop, item = f"for ({boxed(native(kind.items))} v : all)", self.fill_item(kind.items, slot.items)
        return f"""    private static void {name}({builder(slot)} to, {native(kind)} all) {{
        int i = 0;
        {loop} {{ {item} }}
    }}
"""

    def fill_item(self, kind: AnyType, slot: AnyType) -> str:
        wrapper = self.wrapper(kind)
        if wrapper:
            return f"{self.wrap(kind, wrapper)}(to.get(i++), v);"
        if isinstance(kind, Ref):
            return f"fill{kind.name}(to.get(i++), v);"
        if isinstance(kind, List | Map):
            return f"{self.many(kind, slot)}(to.init(i++, v.size()), v);"
        return f"to.set(i++, {_stored(kind, 'v')});"

    def wrap(self, kind: AnyType, table: Table) -> str:
        body = self.fill_slot(plain(kind), table.slots[0], "v")
        body = f"if (v != null) {{ {body} }}" if kind.nullable else body
        return self.methods.named(
            "wrap",
            (kind, table.name),
            lambda name: (
                f"""    private static void {name}({STRUCTS}.{table.name}.Builder b, {boxed(native(kind))} v) {{
        {body}
    }}
"""
            ),
        )


def is_union(slot: Slot) -> bool:
    """Whether a slot is a union of its value and `absent`, which has a class of its own."""
    return slot.optional and not capnp.is_pointer(slot.type)


def _stored(kind: AnyType, value: str) -> str:
    """A native scalar as the library's setters accept it."""
    if isinstance(kind, String):
        return f"new {LIB}.Text.Reader({value})"
    if isinstance(kind, Any | Decimal):
        return f"new {LIB}.Text.Reader({value}.text())"
    if isinstance(kind, Base64):
        return f"new {LIB}.Data.Reader({value})"
    if isinstance(kind, Timestamp):
        return f"{value}.nanos()"
    if isinstance(kind, Int):
        bits = f"{value}.bits()" if is_above_i64(kind) else value
        return f"(int) ({native(kind)}) {bits}" if width(kind).endswith("32") else bits
    return value
