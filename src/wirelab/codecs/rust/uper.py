"""ASN.1 in unaligned packed encoding: structs like those of rasn's compiler."""

from __future__ import annotations

from wirelab.codecs.positional_names import numbered
from wirelab.codecs.rust.cycles import is_cyclic
from wirelab.codecs.rust.field_paths import CLOSURE, COLLECT
from wirelab.codecs.rust.model import MAP, RUNTIME, VEC, number, of_text, own_text, wrapped
from wirelab.codecs.rust.owned_types import Owned
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
    Text,
    Timestamp,
)
from wirelab.schema.emitters import asn1
from wirelab.schema.emitters.common import Slot, Table, canonical, width

SCALED = "crate::uper::Scaled"
DEEPER = "crate::uper::Deeper"


def module(schema: Schema) -> str:
    """The module: structs, and `populate`, `fold`, `convert` between them and `model::Message`."""
    writer = _Uper(schema, asn1.tables(numbered(schema)))
    structs = "".join(map(_struct, writer.plan.tables))
    return f"{writer.module()}\npub mod structs {{\n    use ::rasn::prelude::*;\n{structs}}}\n"


class _Uper(Owned):
    def struct(self, table: str) -> str:
        return f"structs::{table}"

    def has_box(self, kind: Ref) -> bool:
        return is_cyclic(kind)

    def put_in(self, value: str) -> str:
        return f"{DEEPER}(::std::boxed::Box::new({value}))"

    def take_out(self, value: str) -> str:
        return f"*{value}.0"

    def give(self, kind: AnyType, native: str) -> str:
        if isinstance(kind, Int):
            return number(kind, native)
        if isinstance(kind, Float):
            return f"{SCALED}::from({number(kind, native)})"
        if isinstance(kind, Timestamp):
            return f"{native}.nanos()"
        if isinstance(kind, Base64):
            return f"::rasn::types::OctetString::from({native}.0.clone())"
        return own_text(kind, native) if isinstance(kind, Text) else number(kind, native)

    def take(self, kind: AnyType, value: str) -> str:
        if isinstance(kind, Int):
            return wrapped(kind, value)
        if isinstance(kind, Float):
            return wrapped(kind, f"f{kind.bits}::from(&{value})")
        if isinstance(kind, Timestamp):
            return f"{RUNTIME}::Timestamp::from_nanos({value})"
        if isinstance(kind, Any | Decimal):
            return of_text(kind, f"&{value}")
        return f"{RUNTIME}::Base64({value}.to_vec())" if isinstance(kind, Base64) else value

    def give_map(self, kind: Map, native: str) -> str:
        entry, value = self.entry(kind), self.give_slot(kind.values, False, "v")
        made = f"structs::{entry} {{ key: k.clone(), value: {value} }}"
        return f"{native}.iter().map(|(k, v)| {CLOSURE} {{ Ok({made}) }}).{COLLECT}"

    def take_map(self, kind: Map, value: str) -> str:
        item = self.take_slot(kind.values, False, "e.value")
        pairs = f"{value}.into_iter().map(|e| {CLOSURE} {{ Ok((e.key, {item})) }})"
        return f"{pairs}.collect::<::core::result::Result<{MAP}<_, _>, {RUNTIME}::Failure>>()?"

    def fold_map(self, kind: Map, value: str) -> str:
        item = self.fold_slot(kind.values, False, "e.value")
        body = f"sum.bytes(e.key.as_bytes()); {item}"
        return f"sum.word({value}.len() as u64); for e in {value}.iter() {{ {body} }}"

    def entry(self, kind: Map) -> str:
        return self.plan.entries[canonical(kind.values)]


def _struct(table: Table) -> str:
    if table.role == "union":
        variants = "".join(f"        {slot.name.upper()}({_rust(slot.type)}),\n" for slot in table.slots)
        return f"""    #[derive(AsnType, Decode, Encode, Clone, Debug, PartialEq)]
    #[rasn(choice, automatic_tags)]
    pub enum {table.name} {{
{variants}    }}
"""
    fields = "".join(map(_field, table.slots))
    return f"""    #[derive(AsnType, Decode, Encode, Clone, Debug, PartialEq)]
    #[rasn(automatic_tags)]
    pub struct {table.name} {{
{fields}    }}
"""


def _field(slot: Slot) -> str:
    kind = f"Option<{_rust(slot.type)}>" if slot.optional else _rust(slot.type)
    ranged = ""
    if isinstance(slot.type, Int):
        ranged = f'        #[rasn(value("{slot.type.low}..={slot.type.high}", extensible))]\n'
    return f"{ranged}        pub {slot.name}: {kind},\n"


def _rust(kind: AnyType) -> str:
    if isinstance(kind, List):
        return f"{VEC}<{_rust(kind.items)}>"
    if isinstance(kind, Int):
        return width(kind)
    if isinstance(kind, Ref):
        return f"{DEEPER}<{kind.name}>" if is_cyclic(kind) else kind.name
    names: dict[type, str] = {
        Bool: "bool",
        Float: SCALED,
        Timestamp: "i64",
        Base64: "OctetString",
    }
    return names.get(type(kind), "Utf8String")
