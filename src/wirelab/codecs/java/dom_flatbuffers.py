"""Generates the conversion between Jackson's JSON tree and FlatBuffers."""

from __future__ import annotations

from wirelab.codecs.java import unions
from wirelab.codecs.java.dom import TREE, get_key, keys_of, new_node, node_of, scalar_of, set_key
from wirelab.codecs.java.dom_unions import TreeUnions
from wirelab.codecs.java.flatbuffers_build import BUILDER, FB, KEY, FlatBuffersWriter
from wirelab.codecs.java.flatbuffers_read import FlatBuffersReader, presence_of
from wirelab.codecs.java.model import IMPORTS
from wirelab.codecs.positional_names import numbered
from wirelab.model.schema import Any, AnyType, Base64, Int, List, Map, Record, Ref, Schema, Text
from wirelab.schema.emitters import flatbuffers as fbs
from wirelab.schema.emitters.common import Slot, canonical, plain, width


class DomTables(FlatBuffersWriter, FlatBuffersReader):
    """Generates the class `DomConverter`: `build` and `convert` for the root table."""

    absent = "Dom.NODES.nullNode()"
    entries = "Dom.sortKeys(all).entrySet()"

    def __init__(self, schema: Schema) -> None:
        super().__init__(numbered(schema))
        self.keys = keys_of(schema)
        self.unions = TreeUnions(self.schema, self.keys, self.methods)

    def write_class(self) -> str:
        """The source of the class."""
        root, kind = self.tables[self.plan.root], self.schema.root
        built, taken = f"build{root.name}(b, m)", f"convert{root.name}(t)"
        if root.role == "root":
            built = f"{self.wrap(kind, root)}(b, {self.null_to_none(kind, 'm')})"
            taken = f"{self.unwrap(kind, root)}(t)"
        records = "".join(map(self.record, self.schema.records))
        return f"""package {FB};

{TREE}{IMPORTS}
public final class DomConverter {{
    public static int build({BUILDER} b, JsonNode m) {{
        return {built};
    }}
    public static JsonNode convert({FB}.{root.name} t) {{
        return {taken};
    }}
{records}{self.methods.text}}}
"""

    def record(self, record: Record) -> str:
        """The methods of a record."""
        if record.shape == "union":
            return self.union(record)
        table = self.tables[record.name]
        fields = list(zip(record.fields, self.keys[record.name], table.slots, strict=True))
        before = "".join(
            f"        JsonNode v{field.name} = {get_key(field, key)};\n" for field, key, _ in fields
        )
        values = {
            slot.name: (plain(field.type), field.optional or field.type.nullable, f"v{field.name}")
            for field, _, slot in fields
        }
        takes = "".join(
            f"        {set_key(record, field, key, presence_of(plain(field.type), slot, 't'), self.convert(plain(field.type), slot, 't'))}\n"
            for field, key, slot in fields
        )
        return f"""
    private static int build{record.name}({BUILDER} b, JsonNode m) {{
{before}{self.create(table, values)}    }}
    private static JsonNode convert{record.name}({FB}.{record.name} t) {{
        {new_node(record)}
{takes}        return m;
    }}
"""

    def union(self, record: Record) -> str:
        """The methods of a union."""
        table = self.tables[record.name]
        java, tag = f"{FB}.{table.name}", f"{FB}.{fbs.union_name(self.plan, table)}"
        builds, takes, labels = [], [], []
        for field, slot in zip(record.fields, table.slots, strict=True):
            assert isinstance(slot.type, Ref)
            member, kind, box = slot.type.name, field.type, self.box(field.type, slot.type)
            read = f"({FB}.{member}) t.value(new {FB}.{member}())"
            built = f"{self.wrap(kind, box)}(b, v)" if box else f"build{member}(b, v)"
            labels.append(f"{tag}.{member}")
            builds.append(f"return {java}.create{table.name}(b, {tag}.{member}, {built});")
            takes.append(f"return {self.unwrap(kind, box) if box else f'convert{member}'}({read});")
        picked = self.unions.pick(record, "v")
        return f"""
    private static int build{record.name}({BUILDER} b, JsonNode v) {{
{unions.choose(picked, map(str, range(len(builds))), builds)}    }}
    private static JsonNode convert{record.name}({java} t) {{
{unions.choose("t.valueType()", labels, takes)}    }}
"""

    def build(self, kind: AnyType, value: str) -> str:
        if isinstance(kind, Ref):
            return f"build{kind.name}(b, {value})"
        if isinstance(kind, Text) and value != KEY:
            return f"b.createString({scalar_of(kind, value)})"
        if isinstance(kind, Base64):
            return f"b.createByteVector({scalar_of(kind, value)})"
        return super().build(kind, value)

    def scalar(self, kind: AnyType, value: str) -> str:
        is_int = isinstance(kind, Int) and width(kind) == "i32"
        return f"(int) {scalar_of(kind, value)}" if is_int else scalar_of(kind, value)

    def stored(self, kind: AnyType, value: str) -> str:
        is_short = isinstance(kind, Int) and self.size(kind) == 4
        return f"(int) {scalar_of(kind, value)}" if is_short else scalar_of(kind, value)

    def null_to_none(self, kind: AnyType, value: str) -> str:
        return value if isinstance(kind, Any) else f"Dom.nullToNone({value})"

    def given_type(self, kind: AnyType) -> str:  # noqa: ARG002
        return "JsonNode"

    def value_type(self, kind: AnyType) -> str:  # noqa: ARG002
        return "JsonNode"

    def convert(self, kind: AnyType, slot: Slot, table: str) -> str:
        if isinstance(kind, Base64):
            return node_of(kind, f"Buffers.copyBytes({table}.{slot.name}AsByteBuffer())")
        return super().convert(kind, slot, table)

    def convert_collection(self, name: str, kind: List | Map, slot: Slot, owner: str) -> str:
        shape = "object" if isinstance(kind, Map) else "array"
        if isinstance(kind, Map):
            table = self.tables[self.plan.entries[canonical(kind.values)]]
            value = self.take_slot(kind.values, False, table.slots[1], "e")
            body = f"{FB}.{table.name} e = t.{slot.name}(i); all.set(e.key(), {value});"
        else:
            body = f"all.add({self.convert_item(kind.items, f't.{slot.name}(i)')});"
        return f"""    private static JsonNode {name}({FB}.{owner} t) {{
        int n = t.{slot.name}Length();
        {shape.capitalize()}Node all = Dom.NODES.{shape}Node();
        for (int i = 0; i < n; i++) {{ {body} }}
        return all;
    }}
"""

    def from_scalar(self, kind: AnyType, value: str) -> str:
        return node_of(kind, value)
