"""Generates conversions from and to Jackson's JSON tree instead of native objects.

They measure the cost for a program that holds its messages as documents.
"""

from __future__ import annotations

from wirelab.codecs.java import unions
from wirelab.codecs.java.dom_unions import TreeUnions
from wirelab.codecs.java.model import IMPORTS
from wirelab.codecs.java.names import literal
from wirelab.codecs.java.objects import Objects
from wirelab.codecs.java.objects_populate import instant_out
from wirelab.codecs.positional_names import is_above_i64, numbered
from wirelab.model.schema import (
    Any,
    AnyType,
    Base64,
    Bool,
    Decimal,
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
from wirelab.schema.emitters.common import Layout, Slot, Table, plain

TREE = "import com.fasterxml.jackson.databind.JsonNode;\nimport com.fasterxml.jackson.databind.node.*;\n"


def keys_of(schema: Schema) -> dict[str, list[str]]:
    """Numbered record -> the keys of its fields as literals, in order; a tuple's are positions."""
    return {
        new.name: [
            str(i) if old.shape == "tuple" else literal(field.key) for i, field in enumerate(old.fields)
        ]
        for old, new in zip(schema.records, numbered(schema).records, strict=True)
    }


def get_key(field: Field, key: str) -> str:
    """The node of a field of the node `m`; null if there is none. Null is a value of any type."""
    return f"m.get({key})" if isinstance(field.type, Any) else f"Dom.getValue(m, {key})"


def new_node(record: Record) -> str:
    """The declaration of the node `m` for a record."""
    kind = "array" if record.shape == "tuple" else "object"
    return f"{kind.capitalize()}Node m = Dom.NODES.{kind}Node();"


def scalar_of(kind: AnyType, value: str) -> str:
    """A scalar of the tree as a Java value: an integer as 64 bits, a timestamp in ns."""
    calls: dict[type, str] = {
        Base64: f"Dom.decodeBase64({value})",
        Timestamp: f"Dom.parseNanos({value})",
        Any: f"new Any({value}).text()",
        Decimal: f"{value}.asText()",
    }
    if type(kind) in calls:
        return calls[type(kind)]
    if isinstance(kind, Int):
        return f"{value}.bigIntegerValue().longValue()" if is_above_i64(kind) else f"{value}.longValue()"
    if isinstance(kind, Float):
        return f"{value}.doubleValue()" if kind.bits == 64 else f"{value}.floatValue()"
    if isinstance(kind, Bool):
        return f"{value}.booleanValue()"
    assert isinstance(kind, String)
    return f"{value}.textValue()"


def node_of(kind: AnyType, value: str) -> str:
    """The node for a scalar, which has the form that `scalar_of` returns."""
    if isinstance(kind, Any):
        return f"Any.parse({value}).value()"
    if isinstance(kind, Int) and is_above_i64(kind):
        return f"Dom.createUnsigned({value})"
    if isinstance(kind, Timestamp | Decimal):
        return f"Dom.create{type(kind).__name__}({value})"
    calls: dict[type, str] = {Bool: "booleanNode", String: "textNode", Base64: "binaryNode"}
    return f"Dom.NODES.{calls.get(type(kind), 'numberNode')}({value})"


def set_key(record: Record, field: Field, key: str, there: str, value: str) -> str:
    """Statements that set a field of the node `m`."""
    if record.shape == "tuple":
        add = f"m.add({value});"
        return f"if ({there}) {{ {add} }} else {{ m.addNull(); }}" if field.type.nullable else add
    if field.optional:
        return f"if ({there}) {{ m.set({key}, {value}); }}"
    if field.type.nullable:
        return f"if ({there}) {{ m.set({key}, {value}); }} else {{ m.putNull({key}); }}"
    return f"m.set({key}, {value});"


class DomObjects(Objects):
    """Generates the class `DomConverter` for an object model whose lists and maps hold no nulls."""

    def __init__(self, schema: Schema, plan: Layout, library: object) -> None:
        super().__init__(numbered(schema), plan, library)  # type: ignore[arg-type]
        self.keys = keys_of(schema)
        self.unions = TreeUnions(self.schema, self.keys, self.methods)

    def write_class(self) -> str:
        table = self.tables[self.plan.root]
        kind, slot = self.schema.root, self.root_slot
        if table.role == "root":
            made, taken = f"{self.wrap(kind, table)}(m)", f"{self.unwrap(kind, table)}(o)"
        else:
            made, taken = self.populate_element(kind, slot, "m"), self.convert_element(kind, slot, "o")
        records = "".join(map(self.record, self.schema.records))
        return f"""package {self.library.package};

{TREE}{IMPORTS}
public final class DomConverter {{
    public static {self.root} populate(JsonNode m) {{
        return {made};
    }}
    public static JsonNode convert({self.root} o) {{
        return {taken};
    }}
    public static void fold({self.root} o, Checksum sum) {{
        Converter.fold(o, sum);
    }}
{records}{self.methods.text}}}
"""

    def record(self, record: Record) -> str:
        if record.shape == "union":
            return self.union(record)
        java = f"{self.library.package}.{record.name}"
        fields = list(zip(record.fields, self.keys[record.name], self.tables[record.name].slots, strict=True))
        sets = [self.set_from(*field) for field in fields]
        takes = "".join(f"        {self.take_into(record, *field)}\n" for field in fields)
        return f"""
    private static {java} populate{record.name}(JsonNode m) {{
        {self.library.create(record.name, sets)}
    }}
    private static JsonNode convert{record.name}({java} o) {{
        {new_node(record)}
{takes}        return m;
    }}
"""

    def union(self, record: Record) -> str:
        pairs = list(zip(record.fields, self.tables[record.name].slots, strict=True))
        gives = [
            self.library.create_alternative(record.name, slot, self.give_alternative(field.type, slot.type))
            for field, slot in pairs
        ]
        takes = [f"return {self.take_alternative(field.type, slot)};" for field, slot in pairs]
        java = self.library.java(Ref(name=record.name))
        return f"""
    private static {java} populate{record.name}(JsonNode v) {{
{unions.choose(self.unions.pick(record, "v"), map(str, range(len(pairs))), gives)}    }}
    private static JsonNode convert{record.name}({java} o) {{
{self.library.choose([slot for _, slot in pairs], takes)}    }}
"""

    def set_from(self, field: Field, key: str, slot: Slot) -> str:
        call = f"{self.library.set(slot, self.populate(plain(field.type), slot.type, 'v'))};"
        guarded = f"if (v != null) {{ {call} }}" if field.optional or field.type.nullable else call
        return f"{{ JsonNode v = {get_key(field, key)}; {guarded} }}"

    def take_into(self, record: Record, field: Field, key: str, slot: Slot) -> str:
        inner = plain(field.type)
        lacks = field.optional or field.type.nullable
        there = self.is_there(inner, slot) if lacks else ""
        return set_key(record, field, key, there, self.convert(inner, slot.type, self.library.get(slot)))

    def populate(self, kind: AnyType, slot: AnyType, value: str) -> str:
        if not isinstance(kind, List | Map):
            return super().populate(kind, slot, value)
        assert isinstance(slot, List | Map)
        inner = kind.items if isinstance(kind, List) else kind.values
        inside = slot.items if isinstance(slot, List) else slot.values
        item = self.populate_element(inner, inside, "v")
        made = self.library.java(slot)
        name = self.methods.named(
            "populate", (kind, slot), lambda name: self.from_tree(name, kind, made, item)
        )
        return f"{name}({value})"

    def from_tree(self, name: str, kind: List | Map, made: str, item: str) -> str:
        if isinstance(kind, Map):
            new = f"java.util.HashMap{made.removeprefix('Map')}(2 * all.size())"
            body = "for (Map.Entry<String, JsonNode> e : all.properties()) { JsonNode v = e.getValue(); "
            body += f"out.put(e.getKey(), {item}); }}"
        else:
            new = f"ArrayList{made.removeprefix('List')}(all.size())"
            body = f"for (JsonNode v : all) {{ out.add({item}); }}"
        return f"""    private static {made} {name}(JsonNode all) {{
        {made} out = new {new};
        {body}
        return out;
    }}
"""

    def wrap(self, kind: AnyType, table: Table) -> str:
        slot = table.slots[0]
        call = f"{self.library.set(slot, self.populate(plain(kind), slot.type, 'v'))};"
        body = self.library.create(table.name, [f"if (!v.isNull()) {{ {call} }}" if kind.nullable else call])
        return self.methods.named(
            "wrap",
            (kind, table.name),
            lambda name: (
                f"    private static {self.library.package}.{table.name} {name}(JsonNode v) {{ {body} }}\n"
            ),
        )

    def scalar_in(self, kind: AnyType, slot: AnyType, value: str) -> str:
        value = scalar_of(kind, value)
        if isinstance(kind, Base64):
            return self.library.to_octets(value)
        if isinstance(kind, Timestamp):
            return self.instant_in(slot, value)
        return f"(int) {value}" if self.library.java(slot) == "int" else value

    def convert_collection(self, name: str, kind: List | Map, given: str, made: str, item: str) -> str:  # noqa: ARG002
        inner = given.split("<", 1)[1].removesuffix(">").removeprefix("String, ")
        node = "object" if isinstance(kind, Map) else "array"
        body = f"for ({inner} v : all) {{ out.add({item}); }}"
        if isinstance(kind, Map):
            body = f"for (Map.Entry<String, {inner}> e : all.entrySet()) {{ {inner} v = e.getValue(); out.set(e.getKey(), {item}); }}"
        return f"""    private static JsonNode {name}({given} all) {{
        {node.capitalize()}Node out = Dom.NODES.{node}Node();
        {body}
        return out;
    }}
"""

    def take_slot(self, kind: AnyType, optional: bool, slot: Slot) -> str:
        inner = plain(kind)
        value = self.convert(inner, slot.type, self.library.get(slot))
        if not (optional or kind.nullable):
            return value
        return f"({self.is_there(inner, slot)} ? (JsonNode) {value} : Dom.NODES.nullNode())"

    def value_type(self, kind: AnyType) -> str:  # noqa: ARG002
        return "JsonNode"

    def scalar_out(self, kind: AnyType, slot: AnyType, value: str) -> str:
        if isinstance(kind, Base64):
            return node_of(kind, self.library.from_octets(value))
        if isinstance(kind, Timestamp):
            return node_of(kind, instant_out(slot, value))
        unsigned = isinstance(kind, Int) and isinstance(slot, Int) and self.library.is_unsigned(slot)
        return node_of(kind, f"Integer.toUnsignedLong({value})" if unsigned else value)
