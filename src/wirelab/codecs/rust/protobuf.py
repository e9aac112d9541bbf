"""Protobuf: structs like prost-build's for the emitted .proto, and conversion to native objects."""

from __future__ import annotations

from wirelab.codecs.rust.cycles import in_box, is_boxed, out_of_box
from wirelab.codecs.rust.mixed_types import variant
from wirelab.codecs.rust.model import (
    BOX,
    MAP,
    OPTION,
    RUNTIME,
    STRING,
    VEC,
    newtype,
    of_text,
    own_text,
    path,
    wrapped,
)
from wirelab.codecs.rust.names import identifier
from wirelab.model.schema import (
    Any,
    AnyType,
    Base64,
    Decimal,
    Field,
    Float,
    Int,
    List,
    Map,
    MapKeys,
    Ref,
    Schema,
    Text,
    Timestamp,
)
from wirelab.schema.emitters import protobuf as proto
from wirelab.schema.emitters.common import Layout, Slot, Table, canonical, innermost, plain, width

FAILURE = f"{RUNTIME}::Failure"
NATIVE = "super::model"
CLOSURE = f"-> ::core::result::Result<_, {FAILURE}>"
COLLECT = f"collect::<::core::result::Result<_, {FAILURE}>>()?"


def module(schema: Schema) -> str:
    """The module: messages, `populate` and `convert` between `model::Message` and `Root`."""
    return _Writer(schema).module()


class _Writer:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.plan: Layout = proto.tables(schema)
        tables = (*self.plan.wrappers.items(), *self.plan.boxes.items())
        self.kinds = {name: kind for kind, name in tables}

    def module(self) -> str:
        root = next(table for table in self.plan.tables if table.name == self.plan.root)
        native = path(self.schema.root, f"{NATIVE}::")
        head = f"pub type Root = messages::{identifier(root.name)};\n"
        if root.role == "root":
            head += self.pair("populate", "convert", root, self.schema.root, native)
        else:
            head += _entrance(identifier(root.name), native)
        structs = "".join(map(_message, self.plan.tables))
        return f"{head}\npub mod messages {{\n{structs}}}\n" + "".join(map(self.functions, self.plan.tables))

    def functions(self, table: Table) -> str:
        if table.role == "record":
            return self.record(table)
        if table.role == "union":
            return self.union(table)
        if table.role == "root":
            return ""
        if table.role == "instant":
            return _instant(identifier(table.name))
        name = identifier(table.name)
        if table.role in FREE:
            return _free(name)
        kind = self.kinds[table.name]
        return self.pair(f"populate_{name}", f"convert_{name}", table, kind, path(kind, f"{NATIVE}::"))

    def pair(self, populate: str, convert: str, table: Table, kind: AnyType, native: str) -> str:
        """Both conversions of a message whose only field is a whole native value."""
        name, slot = f"messages::{identifier(table.name)}", table.slots[0]
        given = self.populate_slot(kind, False, "native", slot)
        taken = self.convert_slot(kind, False, f"message.{slot.name}", slot)
        return f"""
pub fn {populate}(native: &{native}) -> {name} {{
    {name} {{ {slot.name}: {given} }}
}}
pub fn {convert}(message: {name}) -> ::core::result::Result<{native}, {FAILURE}> {{
    Ok({taken})
}}
"""

    def record(self, table: Table) -> str:
        name = identifier(table.name)
        fields = self.schema.record(table.name).fields
        pairs = list(zip(fields, table.slots, strict=True))
        given = "".join(self.give(field, slot) for field, slot in pairs)
        taken = "".join(self.take(field, slot) for field, slot in pairs)
        return f"""
pub fn populate_{name}(native: &{NATIVE}::{name}) -> messages::{name} {{
    {"" if fields else "let _ = native;"}
    messages::{name} {{
{given}    }}
}}
pub fn convert_{name}(message: messages::{name}) -> ::core::result::Result<{NATIVE}::{name}, {FAILURE}> {{
    {"" if fields else "let _ = message;"}
    Ok({NATIVE}::{name} {{
{taken}    }})
}}
"""

    def union(self, table: Table) -> str:
        name = identifier(table.name)
        own, native = f"messages::{name}Value", f"{NATIVE}::{name}"
        given = taken = ""
        for field in self.schema.record(table.name).fields:
            case = variant(field)
            given += (
                f"        {native}::{case}(v) => {own}::{case}({self.populate_element(field.type, 'v')}),\n"
            )
            taken += f"        Some({own}::{case}(v)) => {native}::{case}({self.convert_element(field.type, 'v')}),\n"
        return f"""
pub fn populate_{name}(native: &{native}) -> messages::{name} {{
    messages::{name} {{ value: Some(match native {{
{given}    }}) }}
}}
pub fn convert_{name}(message: messages::{name}) -> ::core::result::Result<{native}, {FAILURE}> {{
    Ok(match message.value {{
{taken}        None => return Err("{name}: no alternative is set".into()),
    }})
}}
"""

    def give(self, field: Field, slot: Slot) -> str:
        name = identifier(field.name)
        return f"        {name}: {self.populate_slot(field.type, field.optional, f'native.{name}', slot)},\n"

    def take(self, field: Field, slot: Slot) -> str:
        name = identifier(field.name)
        return f"        {name}: {self.convert_slot(field.type, field.optional, f'message.{name}', slot)},\n"

    def populate_slot(self, kind: AnyType, optional: bool, native: str, slot: Slot) -> str:
        """A field's value from its native value, a reference or a place like `native.field`."""
        inner = plain(kind)
        if not (optional or kind.nullable):
            value = self.populate_in(inner, slot, native)
            return f"Some({value})" if isinstance(slot.type, Ref) else value
        maybe = f"{native}.as_ref()" + (".and_then(|v| v.as_ref())" if optional and kind.nullable else "")
        mapped = f"{maybe}.map(|v| {self.populate_in(inner, slot, 'v')})"
        return f"{mapped}.unwrap_or_default()" if isinstance(inner, List | Map) else mapped

    def populate_in(self, kind: AnyType, slot: Slot, native: str) -> str:
        """A value in the place of a field, where a message may hold a scalar."""
        if isinstance(slot.type, Ref):
            return in_box(f"populate_{identifier(slot.type.name)}({borrowed(native)})", slot.type)
        return self.populate(kind, native)

    def populate(self, kind: AnyType, native: str) -> str:
        if isinstance(kind, List):
            return f"{native}.iter().map(|v| {self.populate_element(kind.items, 'v')}).collect()"
        if isinstance(kind, Map):
            value = self.populate_element(kind.values, "v")
            # A key that the .proto has as a number was read from one.
            key = "k.parse().unwrap_or_default()" if kind.keys else "k.clone()"
            return f"{native}.iter().map(|(k, v)| ({key}, {value})).collect()"
        if isinstance(kind, Ref):
            return in_box(f"populate_{identifier(kind.name)}({borrowed(native)})", kind)
        if isinstance(kind, Timestamp):
            return f"{native}.nanos()"
        if isinstance(kind, Base64) or newtype(kind):
            return f"{native}.0.clone()"
        return own_text(kind, native) if isinstance(kind, Text) else f"{native}.clone()"

    def populate_element(self, kind: AnyType, native: str) -> str:
        wrapper = self.plan.wrappers.get(canonical(kind))
        return (
            f"populate_{identifier(wrapper)}({borrowed(native)})" if wrapper else self.populate(kind, native)
        )

    def convert_slot(self, kind: AnyType, optional: bool, value: str, slot: Slot) -> str:
        """The native value of a field. A missing required message ends the function."""
        inner = plain(kind)
        depth = int(optional) + int(kind.nullable)
        if isinstance(inner, List | Map):
            whole = self.convert(inner, value)
            return (
                whole if depth == 0 else f"if {value}.is_empty() {{ None }} else {{ {_some(whole, depth)} }}"
            )
        if depth == 0:
            present = f'{value}.ok_or("a message lacks {value.removeprefix("message.")}")?'
            return self.convert_in(inner, slot, present if isinstance(slot.type, Ref) else value)
        return (
            f"match {value} {{ Some(v) => {_some(self.convert_in(inner, slot, 'v'), depth)}, None => None }}"
        )

    def convert_in(self, kind: AnyType, slot: Slot, value: str) -> str:
        """The native value of a field that is present."""
        if isinstance(slot.type, Ref):
            held = out_of_box(value, slot.type)
            return in_box(f"convert_{identifier(slot.type.name)}({held})?", slot.type)
        return self.convert(kind, value)

    def convert(self, kind: AnyType, value: str) -> str:  # noqa: PLR0911  (one return per type reads best)
        if isinstance(kind, List):
            item = self.convert_element(kind.items, "v")
            many = f"{value}.into_iter().map(|v| {CLOSURE} {{ Ok({item}) }})"
            return value if item == "v" else f"{many}.{COLLECT}"
        if isinstance(kind, Map):
            item = self.convert_element(kind.values, "v")
            key = "k.to_string()" if kind.keys else "k"
            many = f"{value}.into_iter().map(|(k, v)| {CLOSURE} {{ Ok(({key}, {item})) }})"
            return value if item == "v" and not kind.keys else f"{many}.{COLLECT}"
        if isinstance(kind, Ref):
            return in_box(f"convert_{identifier(kind.name)}({out_of_box(value, kind)})?", kind)
        if isinstance(kind, Any | Decimal):
            return of_text(kind, f"&{value}")
        if isinstance(kind, Timestamp):
            return f"{RUNTIME}::Timestamp::from_nanos({value})"
        if isinstance(kind, Base64):
            return f"{RUNTIME}::Base64({value})"
        return wrapped(kind, value)

    def convert_element(self, kind: AnyType, value: str) -> str:
        wrapper = self.plan.wrappers.get(canonical(kind))
        return f"convert_{identifier(wrapper)}({value})?" if wrapper else self.convert(kind, value)


def borrowed(native: str) -> str:
    """A reference to a native value, which is a reference or a place like `native.field`."""
    return f"&{native}" if "." in native else native


def _instant(name: str) -> str:
    """The conversions of a timestamp in seconds and nanos."""
    return f"""
pub fn populate_{name}(native: &{RUNTIME}::Timestamp) -> messages::{name} {{
    let (seconds, nanos) = native.seconds();
    messages::{name} {{ seconds, nanos }}
}}
pub fn convert_{name}(message: messages::{name}) -> ::core::result::Result<{RUNTIME}::Timestamp, {FAILURE}> {{
    {RUNTIME}::Timestamp::from_seconds(message.seconds, message.nanos)
}}
"""


FREE = {"value": "Value", "struct": "Struct", "list": "List"}
"""The structs in packs/rust/pack/src/protobuf/free.rs by the role of a table."""


def _free(name: str) -> str:
    """The conversions of a value of any type."""
    return f"""
pub fn populate_{name}(native: &{RUNTIME}::Any) -> messages::{name} {{
    crate::protobuf::free::Free::populate(native)
}}
pub fn convert_{name}(message: messages::{name}) -> ::core::result::Result<{RUNTIME}::Any, {FAILURE}> {{
    crate::protobuf::free::Free::convert(message)
}}
"""


def _some(value: str, depth: int) -> str:
    return "Some(" * depth + value + ")" * depth


def _entrance(root: str, native: str) -> str:
    return f"""
pub fn populate(native: &{native}) -> Root {{
    populate_{root}(native)
}}
pub fn convert(message: Root) -> ::core::result::Result<{native}, {FAILURE}> {{
    convert_{root}(message)
}}
"""


def _message(table: Table) -> str:
    name = identifier(table.name)
    if table.role == "union":
        return _oneof(name, table)
    if table.role in FREE:
        return f"    pub use crate::protobuf::free::{FREE[table.role]} as {name};\n"
    fields = "".join(map(_field, table.slots))
    folds = "\n            ".join(map(_fold, table.slots)) or "let _ = sum;"
    if table.role == "instant":  # as the native timestamp and those of other formats
        folds = (
            "sum.word(self.seconds.wrapping_mul(1_000_000_000).wrapping_add(i64::from(self.nanos)) as u64);"
        )
    return f"""    #[derive(Clone, PartialEq, ::prost::Message)]
    pub struct {name} {{
{fields}    }}
    impl {RUNTIME}::Fold for {name} {{
        fn fold(&self, sum: &mut {RUNTIME}::Checksum) {{
            {folds}
        }}
    }}
"""


def _oneof(name: str, table: Table) -> str:
    tags = ", ".join(str(slot.number) for slot in table.slots)
    cases = folds = ""
    for index, slot in enumerate(table.slots):
        case = variant(slot)
        cases += f'        #[prost({_kind(slot.type)}{_boxed(slot.type)}, tag = "{slot.number}")]\n        {case}({_rust(slot.type)}),\n'
        folds += f"                Some({name}Value::{case}(v)) => {{ sum.word({index}); {RUNTIME}::Fold::fold(v, sum); }}\n"
    return f"""    #[derive(Clone, PartialEq, ::prost::Message)]
    pub struct {name} {{
        #[prost(oneof = "{name}Value", tags = "{tags}")]
        pub value: {OPTION}<{name}Value>,
    }}
    #[derive(Clone, PartialEq, ::prost::Oneof)]
    pub enum {name}Value {{
{cases}    }}
    impl {RUNTIME}::Fold for {name} {{
        fn fold(&self, sum: &mut {RUNTIME}::Checksum) {{
            match &self.value {{
{folds}                None => sum.missing(),
            }}
        }}
    }}
"""


def _field(slot: Slot) -> str:
    name = identifier(slot.name)
    tag = f'tag = "{slot.number}"'
    if isinstance(slot.type, List):
        packed = 'packed = "false", ' if slot.coding == "expanded" else ""
        attribute = f"{_kind(slot.type.items, slot)}, repeated, {packed}{tag}"
        kind = f"{VEC}<{_rust(slot.type.items)}>"
    elif isinstance(slot.type, Map):
        pair = f'btree_map = "{slot.type.keys or "string"}, {_map_value(slot.type.values)}"'
        attribute = f"{pair}, {tag}"
        kind = f"{MAP}<{KEYS[slot.type.keys]}, {_rust(slot.type.values)}>"
    elif isinstance(slot.type, Ref) or slot.optional:
        attribute = f"{_kind(slot.type, slot)}, optional{_boxed(slot.type)}, {tag}"
        kind = f"{OPTION}<{_rust(slot.type)}>"
    else:
        label = "required, " if slot.coding == "required" else ""
        attribute, kind = f"{_kind(slot.type)}, {label}{tag}", _rust(slot.type)
    return f"        #[prost({attribute})]\n        pub {name}: {kind},\n"


def _fold(slot: Slot) -> str:
    field = f"&self.{identifier(slot.name)}"
    if isinstance(slot.type, Ref) and not slot.optional:
        return f"match {field} {{ Some(v) => {RUNTIME}::Fold::fold(v, sum), None => sum.missing() }}"
    if isinstance(slot.type, Map) and slot.type.keys:
        return f"{RUNTIME}::fold_keyed({field}, sum);"
    if isinstance(innermost(slot.type), Any):
        return f"{RUNTIME}::FoldTexts::fold_texts({field}, sum);"
    return f"{RUNTIME}::Fold::fold({field}, sum);"


KEYS: dict[MapKeys, str] = {
    "": STRING,
    "bool": "bool",
    **dict.fromkeys(("int32", "sint32", "sfixed32"), "i32"),
    **dict.fromkeys(("int64", "sint64", "sfixed64"), "i64"),
    **dict.fromkeys(("uint32", "fixed32"), "u32"),
    **dict.fromkeys(("uint64", "fixed64"), "u64"),
}
"""Protobuf's types of the keys of a map as Rust types."""


def _kind(kind: AnyType, slot: Slot | None = None) -> str:
    if isinstance(kind, Ref):
        return "group" if slot and slot.coding == "group" else "message"
    return 'bytes = "vec"' if isinstance(kind, Base64) else proto.scalar(kind)


def _boxed(kind: AnyType) -> str:
    return ", boxed" if is_boxed(kind) else ""


def _map_value(kind: AnyType) -> str:
    return "message" if isinstance(kind, Ref) else proto.scalar(kind)


def _rust(kind: AnyType) -> str:
    if isinstance(kind, Ref):
        return f"{BOX}<{identifier(kind.name)}>" if is_boxed(kind) else identifier(kind.name)
    if isinstance(kind, Int):
        return width(kind)
    if isinstance(kind, Float):
        return f"f{kind.bits}"
    names = {"bool": "bool", "string": STRING, "bytes": f"{VEC}<u8>", "int64": "i64"}
    return names[proto.scalar(kind)]
