"""The native objects: plain structs as an application would hold them, readable and writable by serde."""

from __future__ import annotations

from wirelab.codecs.rust.names import identifier, literal
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
    Timestamp,
)
from wirelab.schema.emit.common import width

RUNTIME = "::wirelab_pack_runtime"
OPTION = "::core::option::Option"
VEC = "::std::vec::Vec"
STRING = "::std::string::String"
MAP = "::std::collections::BTreeMap"


def module(schema: Schema) -> str:
    """The module of native types; `Message` is the type of one message."""
    return "\n".join([f"pub type Message = {path(schema.root, '')};\n", *map(_record, schema.records)])


def path(kind: AnyType, prefix: str = "") -> str:
    """The Rust type of a native value."""
    plain = _plain(kind, prefix)
    return f"{OPTION}<{plain}>" if kind.nullable else plain


def field_path(field: Field, prefix: str = "") -> str:
    """The Rust type of a native field: absent and null each add an Option."""
    inner = path(field.type, prefix)
    return f"{OPTION}<{inner}>" if field.optional else inner


def is_above_i64(kind: Int) -> bool:
    """Whether the range leaves i64."""
    return kind.high >= 2**63


def _plain(kind: AnyType, prefix: str) -> str:
    if isinstance(kind, Int):
        return f"{RUNTIME}::Unsigned" if is_above_i64(kind) else width(kind)
    if isinstance(kind, List):
        return f"{VEC}<{path(kind.items, prefix)}>"
    if isinstance(kind, Map):
        return f"{MAP}<{STRING}, {path(kind.values, prefix)}>"
    if isinstance(kind, Ref):
        return f"{prefix}{identifier(kind.name)}"
    if isinstance(kind, Float):
        return f"f{kind.bits}"
    if isinstance(kind, Bool):
        return "bool"
    if isinstance(kind, Timestamp):
        return f"{RUNTIME}::Timestamp"
    return f"{RUNTIME}::Base64" if isinstance(kind, Base64) else STRING


def _record(record: Record) -> str:
    name = identifier(record.name)
    fields = "".join(map(_field, record.fields))
    return f"""#[derive(::serde::Deserialize)]
pub struct {name} {{
{fields}}}
{_serialize(record)}
impl {RUNTIME}::Fold for {name} {{
    fn fold(&self, sum: &mut {RUNTIME}::Sum) {{
        {_folds(record)}
    }}
}}
"""


def _field(field: Field) -> str:
    attributes = [f"rename = {literal(field.key)}"]
    if field.optional:
        attributes.append("default")
    if field.optional and field.type.nullable:
        attributes.append(f'deserialize_with = "{RUNTIME}::optional::present"')
    return f"    #[serde({', '.join(attributes)})]\n    pub {identifier(field.name)}: {field_path(field)},\n"


def _folds(record: Record) -> str:
    calls = [f"{RUNTIME}::Fold::fold(&self.{identifier(field.name)}, sum);" for field in record.fields]
    return "\n        ".join(calls) or "let _ = sum;"


def _serialize(record: Record) -> str:
    """What `derive(Serialize)` writes, except that a format which needs every field gets every field."""
    name = identifier(record.name)
    length = " + ".join(["0", *(_written(field) for field in record.fields)])
    body = "".join(map(_write, record.fields))
    every = f"let every = {RUNTIME}::needs_every_field::<S>();" if any(f.optional for f in record.fields) else ""
    return f"""impl ::serde::Serialize for {name} {{
    fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {{
        #[allow(unused_imports)]
        use ::serde::ser::SerializeStruct as _;
        {every}
        #[allow(unused_mut)]
        let mut out = serializer.serialize_struct({literal(record.name)}, {length})?;
{body}        out.end()
    }}
}}
"""


def _written(field: Field) -> str:
    return f"usize::from(every || self.{identifier(field.name)}.is_some())" if field.optional else "1"


def _write(field: Field) -> str:
    name, key = identifier(field.name), literal(field.key)
    write = f"out.serialize_field({key}, &self.{name})?;"
    if not field.optional:
        return f"        {write}\n"
    return f"        if every || self.{name}.is_some() {{ {write} }} else {{ out.skip_field({key})?; }}\n"
