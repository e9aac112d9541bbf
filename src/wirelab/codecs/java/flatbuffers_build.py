"""Generates the conversion from native objects to FlatBuffers."""

from __future__ import annotations

from wirelab.codecs.java.names import PACKAGE, capital, native
from wirelab.codecs.java.table_conversion import TableConverter
from wirelab.codecs.positional_names import is_above_i64
from wirelab.model.schema import (
    Any,
    AnyType,
    Base64,
    Bool,
    Decimal,
    Float,
    Int,
    List,
    Map,
    Ref,
    Schema,
    String,
    Timestamp,
)
from wirelab.schema.emitters import flatbuffers as fbs
from wirelab.schema.emitters.common import Table, canonical, plain, width

FB = f"{PACKAGE}.fb"
# The parameter for the key of a map entry. It is a String for JSON trees too.
KEY = "k"
BUILDER = "com.google.flatbuffers.FlatBufferBuilder"


class FlatBuffersConverter(TableConverter):
    """The common part of building and reading."""

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema, fbs.tables(schema))


class FlatBuffersWriter(FlatBuffersConverter):
    """Generates the methods that build tables from native objects.

    A subclass for other objects overrides `value_type` and `given_type`.
    """

    # An expression for the entries of a map `all`, in the order of their keys.
    entries = "all.entrySet()"

    def create(self, table: Table, values: dict[str, tuple[AnyType, bool, str]]) -> str:
        """Statements that write the values behind offsets, then the table. Large fields come first,
        which needs the least padding."""
        java, lines = f"{FB}.{table.name}", ""
        for slot in table.slots:
            kind, may_lack, value = values[slot.name]
            if not fbs.is_inline(kind):
                made = self.build(kind, value)
                lines += f"int at{slot.name} = {f'{value} == null ? 0 : {made}' if may_lack else made}; "
        lines += f"{java}.start{table.name}(b); "
        for slot in sorted(reversed(table.slots), key=lambda slot: -self.size(values[slot.name][0])):
            kind, may_lack, value = values[slot.name]
            add = f"{java}.add{capital(slot.name)}(b, "
            if not fbs.is_inline(kind):
                call = f"{add}at{slot.name});"
                lines += f"if (at{slot.name} != 0) {{ {call} }} " if may_lack else f"{call} "
            elif may_lack or isinstance(kind, Float):
                # The generated `add` omits the value 0, which here differs from an absent value,
                # and -0.0.
                stored = self.stored(kind, value)
                there = f"{value} != null" if may_lack else f"Double.doubleToRawLongBits({stored}) != 0"
                call = f"b.{self.adder(kind)}({stored}); b.slot({table.slots.index(slot)});"
                lines += f"if ({there}) {{ {call} }} "
            else:
                lines += f"{add}{self.scalar(kind, value)}); "
        return f"        {lines}return {java}.end{table.name}(b);\n"

    def build(self, kind: AnyType, value: str) -> str:
        """An expression that writes a value and returns its offset."""
        if isinstance(kind, String):
            return f"b.createString({value})"
        if isinstance(kind, Any | Decimal):
            return f"b.createString({value}.text())"
        if isinstance(kind, Base64):
            return f"b.createByteVector({value})"
        if isinstance(kind, Ref):
            return f"build{kind.name}(b, {value})"
        assert isinstance(kind, List | Map)
        name = self.methods.named("build", kind, lambda name: self.vector(name, kind))
        return f"{name}(b, {value})"

    def vector(self, name: str, kind: List | Map) -> str:
        if isinstance(kind, List) and fbs.is_inline(kind.items) and not kind.items.nullable:
            size, call = self.size(kind.items), self.adder(kind.items)
            return f"""    private static int {name}({BUILDER} b, {self.given_type(kind)} all) {{
        b.startVector({size}, all.size(), {size});
        for (int i = all.size() - 1; i >= 0; i--) {{ b.{call}({self.stored(kind.items, "all.get(i)")}); }}
        return b.endVector();
    }}
"""
        if isinstance(kind, Map):
            loop = f"for (Map.Entry<String, {self.value_type(kind.values)}> e : {self.entries})"
            made = f"{self.entry(kind)}(b, e.getKey(), {self.null_to_none(kind.values, 'e.getValue()')})"
        else:
            loop = f"for ({self.value_type(kind.items)} v : all)"
            wrapper = self.wrapper(kind.items)
            made = (
                f"{self.wrap(kind.items, wrapper)}(b, {self.null_to_none(kind.items, 'v')})"
                if wrapper
                else self.build(kind.items, "v")
            )
        return f"""    private static int {name}({BUILDER} b, {self.given_type(kind)} all) {{
        int[] at = new int[all.size()];
        int n = 0;
        {loop} {{ at[n++] = {made}; }}
        b.startVector(4, n, 4);
        for (int i = n - 1; i >= 0; i--) {{ b.addOffset(at[i]); }}
        return b.endVector();
    }}
"""

    def entry(self, kind: Map) -> str:
        table = self.tables[self.plan.entries[canonical(kind.values)]]
        values = {
            "key": (String(), False, KEY),
            "value": (plain(kind.values), kind.values.nullable, "v"),
        }
        return self.methods.named(
            "entry",
            kind,
            lambda name: (
                f"""    private static int {name}({BUILDER} b, String {KEY}, {self.value_type(kind.values)} v) {{
{self.create(table, values)}    }}
"""
            ),
        )

    def wrap(self, kind: AnyType, table: Table) -> str:
        values = {table.slots[0].name: (plain(kind), kind.nullable, "v")}
        return self.methods.named(
            "wrap",
            (kind, table.name),
            lambda name: (
                f"""    private static int {name}({BUILDER} b, {self.value_type(kind)} v) {{
{self.create(table, values)}    }}
"""
            ),
        )

    def given_type(self, kind: AnyType) -> str:
        """The Java type of a collection that `vector` writes."""
        return native(kind)

    def null_to_none(self, kind: AnyType, value: str) -> str:  # noqa: ARG002
        """A member of a list or map; null if it has no value."""
        return value

    def size(self, kind: AnyType) -> int:
        """The number of bytes of a field in its table."""
        if isinstance(kind, Bool):
            return 1
        if isinstance(kind, Int):
            return 8 if width(kind).endswith("64") else 4
        return 8 if isinstance(kind, Timestamp) or (isinstance(kind, Float) and kind.bits == 64) else 4

    def adder(self, kind: AnyType) -> str:
        """The builder's method for a scalar."""
        if isinstance(kind, Bool):
            return "addBoolean"
        if isinstance(kind, Float):
            return "addDouble" if kind.bits == 64 else "addFloat"
        return "addLong" if self.size(kind) == 8 else "addInt"

    def scalar(self, kind: AnyType, value: str) -> str:
        """A native scalar as the generated `add` accepts it: a long for unsigned 32 bits."""
        if isinstance(kind, Timestamp):
            return f"{value}.nanos()"
        return f"{value}.bits()" if isinstance(kind, Int) and is_above_i64(kind) else value

    def stored(self, kind: AnyType, value: str) -> str:
        """A native scalar as the builder's `add` accepts it: an int for 32 bits."""
        is_short = isinstance(kind, Int) and self.size(kind) == 4
        return f"(int) ({native(kind)}) {value}" if is_short else self.scalar(kind, value)
