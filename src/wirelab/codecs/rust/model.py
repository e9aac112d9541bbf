"""The native objects: plain structs, as in an application, that serde reads and writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirelab.codecs.rust import mixed_types
from wirelab.codecs.rust.cycles import is_boxed, is_cyclic
from wirelab.codecs.rust.names import identifier, literal
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
from wirelab.schema.emitters.common import width
from wirelab.schema.recursion import endings

RUNTIME = "::wirelab_pack_runtime"
OPTION = "::core::option::Option"
VEC = "::std::vec::Vec"
BOX = "::std::boxed::Box"
STRING = "::std::string::String"
MAP = "::std::collections::BTreeMap"
_AS_TEXT: dict[type, str] = {String: "as_str", Decimal: "text"}
DERIVED_FIELDS = 64
"""Records with more fields use a call per field: inlined, 500 fields compile for minutes."""


def module(
    schema: Schema,
    derived: Sequence[str] = (),
    additions: Sequence[str] = (),
    cyclic: Sequence[tuple[str, str]] = (),
) -> str:
    """The module of native types; `Message` is the type of one message.

    `derived` are traits that the libraries derive on records, `additions` are items that they also
    need. `cyclic` are attributes of recursive records, and of their fields that close a cycle.
    """
    head = f"pub type Message = {path(schema.root, '')};\n"
    named = {record.name: record for record in schema.records}
    records = [_record(record, named, derived, cyclic) for record in schema.records]
    return "\n".join([head, *records, *additions])


def reading(record: Record, types: Sequence[str], lifetime: str = "", cyclic: str = "") -> str:
    """A record that serde reads, and its fold. `lifetime` is `<'a>` if a field borrows.

    `cyclic` are the attributes of fields that close a cycle.
    """
    name = identifier(record.name)
    is_wide = len(record.fields) > DERIVED_FIELDS
    fields = "".join(
        _attribute(field, cyclic) + _field(field, kind, not is_wide)
        for field, kind in zip(record.fields, types, strict=True)
    )
    return f"""pub struct {name}{lifetime} {{
{fields}}}
{_wide_deserialize(record, lifetime) if is_wide else ""}
{_fold(record, lifetime)}"""


def path(kind: AnyType, prefix: str = "") -> str:
    """The Rust type of a native value."""
    plain = _plain(kind, prefix)
    return f"{OPTION}<{plain}>" if kind.nullable else plain


def field_path(field: Field, prefix: str = "") -> str:
    """The Rust type of a native field: absent and null each add an Option."""
    inner = path(field.type, prefix)
    return f"{OPTION}<{inner}>" if field.optional else inner


def text(kind: AnyType, native: str) -> str:
    """The text of a native string, decimal or value of any type, as a `&str`."""
    return f"&{native}.text()" if isinstance(kind, Any) else f"{native}.{_AS_TEXT[type(kind)]}()"


def own_text(kind: AnyType, native: str) -> str:
    """The text of a native string, decimal or value of any type, as a `String`."""
    if isinstance(kind, Any):
        return f"{native}.text()"
    return f"{native}.text().to_owned()" if isinstance(kind, Decimal) else f"{native}.clone()"


def of_text(kind: AnyType, value: str) -> str:
    """The native decimal or value of any type in a `&str`."""
    return f"{RUNTIME}::{type(kind).__name__}::parse({value})?"


def newtype(kind: AnyType) -> str:
    """The native type around a number: of integers beyond i64, and of floats with NaN. "" if none."""
    if isinstance(kind, Int) and kind.high >= 2**63:
        return f"{RUNTIME}::Unsigned"
    return f"{RUNTIME}::Real" if isinstance(kind, Float) and kind.nonfinite else ""


def number(kind: AnyType, native: str) -> str:
    """A copied number from a reference to a native one or a place of one."""
    if newtype(kind):
        return f"{native}.0"
    return native if "." in native else f"*{native}"


def wrapped(kind: AnyType, value: str) -> str:
    """The native number with this value."""
    return f"{newtype(kind)}({value})" if newtype(kind) else value


def _plain(kind: AnyType, prefix: str) -> str:  # noqa: PLR0911  (one return per type reads best)
    if isinstance(kind, Int):
        return newtype(kind) or width(kind)
    if isinstance(kind, List):
        return f"{VEC}<{path(kind.items, prefix)}>"
    if isinstance(kind, Map):
        return f"{MAP}<{STRING}, {path(kind.values, prefix)}>"
    if isinstance(kind, Ref):
        name = f"{prefix}{identifier(kind.name)}"
        return f"{BOX}<{name}>" if is_boxed(kind) else name
    if isinstance(kind, Float):
        return f"{newtype(kind)}<f{kind.bits}>" if newtype(kind) else f"f{kind.bits}"
    if isinstance(kind, Bool):
        return "bool"
    if isinstance(kind, Timestamp | Any | Decimal):
        return f"{RUNTIME}::{type(kind).__name__}"
    return f"{RUNTIME}::Base64" if isinstance(kind, Base64) else STRING


def _record(
    record: Record,
    records: Mapping[str, Record],
    derived: Sequence[str],
    cyclic: Sequence[tuple[str, str]],
) -> str:
    types = [field_path(field) for field in record.fields]
    has_cycle = any(is_cyclic(field.type) for field in record.fields)
    of_fields = "".join(field for _, field in cyclic)
    above = "".join(whole for whole, _ in cyclic) if has_cycle else ""
    if record.shape == "union":
        marked = [
            _attribute(field, of_fields) + kind for field, kind in zip(record.fields, types, strict=True)
        ]
        return mixed_types.union(record, types, marked, records, [*derived], above, _ending(record, records))
    if record.shape == "tuple":
        fields = "".join(
            f"{_attribute(field, of_fields)}    pub {field.name}: {kind},\n"
            for field, kind in zip(record.fields, types, strict=True)
        )
        head = f"#[derive({', '.join(['Default', *derived])})]\n{above}pub struct {identifier(record.name)}"
        return f"{head} {{\n{fields}}}\n{fold(record, identifier(record.name))}\n{mixed_types.tuple_serde(record)}"
    return f"""{derives(record, derived)}
{above}{reading(record, types, cyclic=of_fields)}
{_serialize(record)}"""


def _attribute(field: Field, cyclic: str) -> str:
    return cyclic if is_cyclic(field.type) else ""


def _ending(record: Record, records: Mapping[str, Record]) -> int:
    """The alternative of a union whose default value ends."""
    order = endings(list(records.values()))
    return next(
        index
        for index, field in enumerate(record.fields)
        if not isinstance(field.type, Ref) or order[field.type.name] < order[record.name]
    )


def derives(record: Record, derived: Sequence[str] = ()) -> str:
    """The attribute with the traits of a record that is read."""
    read = ["::serde::Deserialize"] if len(record.fields) <= DERIVED_FIELDS else []
    return f"#[derive({', '.join(['Default', *read, *derived])})]"


def _fold(record: Record, lifetime: str) -> str:
    return fold(record, identifier(record.name) + ("<'_>" if lifetime else ""))


def fold(record: Record, kind: str) -> str:
    """The fold of a Rust type that has a record's fields under their names, or a union's variants."""
    if record.shape == "union":
        return mixed_types.fold(record, kind)
    return f"""impl {RUNTIME}::Fold for {kind} {{
    fn fold(&self, sum: &mut {RUNTIME}::Checksum) {{
        {_folds(record)}
    }}
}}
"""


def _field(field: Field, kind: str, has_attributes: bool) -> str:
    declaration = f"    pub {identifier(field.name)}: {kind},\n"
    if not has_attributes:
        return declaration
    attributes = [f"rename = {literal(field.key)}"]
    if "'a" in kind:
        attributes.append("borrow")
    if field.optional:
        attributes.append("default")
    deeper = is_cyclic(field.type)
    if field.optional and field.type.nullable:
        module = "levels" if deeper else "optional"
        attributes.append(f'deserialize_with = "{RUNTIME}::{module}::present"')
    elif deeper:
        attributes.append(f'deserialize_with = "{RUNTIME}::levels::deeper"')
    elif field.optional and isinstance(field.type, Any):
        attributes.append(f'deserialize_with = "{RUNTIME}::optional::any"')
    return f"    #[serde({', '.join(attributes)})]\n{declaration}"


def _wide_deserialize(record: Record, lifetime: str) -> str:
    """Like `derive(Deserialize)`, but into one object instead of one variable per field.

    The compile time is therefore linear in the number of fields.
    """
    name = identifier(record.name)
    made = f"{name}<'de>" if lifetime else name
    bounds = "'de: 'a, 'a" if lifetime else "'de"
    keys = "".join(f"{literal(field.key)} => {index}, " for index, field in enumerate(record.fields))
    known = ", ".join(literal(field.key) for field in record.fields)
    reads = "".join(
        f"                    {index} => out.{identifier(field.name)} = {_read(field)},\n"
        for index, field in enumerate(record.fields)
    )
    in_order = "".join(
        f"            out.{identifier(field.name)} = {_read_item(field, index)};\n"
        for index, field in enumerate(record.fields)
    )
    needed = ", ".join(str(i) for i, f in enumerate(record.fields) if not (f.optional or f.type.nullable))
    return f"""const _: () = {{
    const KEYS: &[&str] = &[{known}];
    const NEEDED: &[usize] = &[{needed}];
    fn index(key: &str) -> usize {{
        match key {{ {keys}_ => usize::MAX }}
    }}
    struct Visitor;
    impl<'de> ::serde::de::Visitor<'de> for Visitor {{
        type Value = {made};
        fn expecting(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {{
            f.write_str({literal("struct " + record.name)})
        }}
        fn visit_map<A: ::serde::de::MapAccess<'de>>(self, mut map: A) -> ::core::result::Result<{made}, A::Error> {{
            let mut out = {name}::default();
            let mut seen = {RUNTIME}::SeenFields::<{len(record.fields)}>::new();
            while let Some(index) = map.next_key_seed({RUNTIME}::Key(index))? {{
                match index {{
{reads}                    _ => {{ map.next_value::<::serde::de::IgnoredAny>()?; }}
                }}
                seen.add(index, KEYS)?;
            }}
            seen.check(NEEDED, KEYS)?;
            Ok(out)
        }}
        fn visit_seq<A: ::serde::de::SeqAccess<'de>>(self, mut items: A) -> ::core::result::Result<{made}, A::Error> {{
            let mut out = {name}::default();
{in_order}            Ok(out)
        }}
    }}
    impl<{bounds}> ::serde::Deserialize<'de> for {name}{lifetime} {{
        fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {{
            deserializer.deserialize_struct({literal(record.name)}, KEYS, Visitor)
        }}
    }}
}};
"""


def _read(field: Field) -> str:
    if field.optional and isinstance(field.type, Any):
        return f"{RUNTIME}::read_value::<_, {RUNTIME}::optional::PresentAny>(&mut map)?.0"
    value = f"{RUNTIME}::read_value(&mut map)?"
    if is_cyclic(field.type):
        value = f"{RUNTIME}::read_value::<_, {RUNTIME}::levels::Deeper<_>>(&mut map)?.0"
    return f"Some({value})" if field.optional and field.type.nullable else value


def _read_item(field: Field, index: int) -> str:
    if field.optional and field.type.nullable:
        present = f"{RUNTIME}::optional::Present<_>"
        if is_cyclic(field.type):
            return (
                f"{RUNTIME}::read_item::<_, {RUNTIME}::levels::Deeper<{present}>>(&mut items, {index})?.0.0"
            )
        return f"{RUNTIME}::read_item::<_, {present}>(&mut items, {index})?.0"
    if is_cyclic(field.type):
        return f"{RUNTIME}::read_item::<_, {RUNTIME}::levels::Deeper<_>>(&mut items, {index})?.0"
    if field.optional and isinstance(field.type, Any):
        return f"{RUNTIME}::read_item::<_, {RUNTIME}::optional::PresentAny>(&mut items, {index})?.0"
    return f"{RUNTIME}::read_item(&mut items, {index})?"


def _folds(record: Record) -> str:
    calls = [f"{RUNTIME}::Fold::fold(&self.{identifier(field.name)}, sum);" for field in record.fields]
    return "\n        ".join(calls) or "let _ = sum;"


def _serialize(record: Record) -> str:
    """Like `derive(Serialize)`, except that formats that need every field get every field."""
    name = identifier(record.name)
    length = " + ".join(["0", *(_written(field) for field in record.fields)])
    is_wide = len(record.fields) > DERIVED_FIELDS
    body = "".join(_write(field, is_wide) for field in record.fields)
    every = (
        f"let every = {RUNTIME}::needs_every_field::<S>();" if any(f.optional for f in record.fields) else ""
    )
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


def _write(field: Field, is_wide: bool) -> str:
    name, key = identifier(field.name), literal(field.key)
    write = f"out.serialize_field({key}, &self.{name})?;"
    if is_wide:
        write = f"{RUNTIME}::write_field(&mut out, {key}, &self.{name})?;"
    if not field.optional:
        return f"        {write}\n"
    return f"        if every || self.{name}.is_some() {{ {write} }} else {{ out.skip_field({key})?; }}\n"
