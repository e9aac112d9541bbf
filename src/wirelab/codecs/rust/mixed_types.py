"""The native types of unions and tuples: an enum with a variant for each alternative, a struct with
a field for each item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    String,
    Timestamp,
)
from wirelab.schema.emitters import avro
from wirelab.schema.emitters.common import Slot, width

RUNTIME = "::wirelab_pack_runtime"
_RESULT = "::core::result::Result"
_ITEMS = "::serde::de::value::SeqAccessDeserializer::new(items)"
_ENTRIES = "::serde::de::value::MapAccessDeserializer::new(entries)"
_TEXTS = {Timestamp: "Timestamp", Base64: "Base64"}


def variant(field: Field | Slot) -> str:
    """The name of an alternative's variant: `int_value` is `IntValue`."""
    return "".join(part.capitalize() for part in field.name.split("_"))


def union(
    record: Record,
    types: Sequence[str],
    marked: Sequence[str],
    records: Mapping[str, Record],
    derived: Sequence[str],
    above: str,
    default: int,
) -> str:
    """The enum of a union whose alternatives have these native types, and how serde writes and
    reads it. `marked` are the types with their attributes, `above` the enum's; `default` is the
    index of the alternative that a default value has.
    """
    name = identifier(record.name)
    pairs = list(zip(record.fields, types, strict=True))
    variants = "".join(
        f"    {variant(field)}({kind}),\n" for field, kind in zip(record.fields, marked, strict=True)
    )
    names = ", ".join(
        f"({literal(f.name)}, {literal(avro.alternative(f.type, records))})" for f in record.fields
    )
    listed = ", ".join(literal(field.name) for field in record.fields)
    writes = "".join(map(_write, range(len(pairs)), record.fields))
    tagged = "".join(
        f"            {index} => content.newtype_variant().map({name}::{variant(field)}),\n"
        for index, field in enumerate(record.fields)
    )
    asks_sign = any(isinstance(field.type, Int) and field.type.high >= 2**63 for field in record.fields)
    plain = f"Plain {{ is_signed: {RUNTIME}::is_signed_only::<D>() }}" if asks_sign else "Plain"
    derive = f"#[derive({', '.join(derived)})]\n" if derived else ""
    return f"""{derive}{above}pub enum {name} {{
{variants}}}
impl ::core::default::Default for {name} {{
    fn default() -> Self {{
        Self::{variant(record.fields[default])}(::core::default::Default::default())
    }}
}}
{fold(record, name)}
const _: () = {{
    const NAMES: &[(&str, &str)] = &[{names}];
    struct Tagged;
    struct Plain{" { is_signed: bool }" if asks_sign else ";"}
    impl ::serde::Serialize for {name} {{
        fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> {_RESULT}<S::Ok, S::Error> {{
            match self {{
{writes}            }}
        }}
    }}
    impl<'de> ::serde::Deserialize<'de> for {name} {{
        fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> {_RESULT}<Self, D::Error> {{
            if {RUNTIME}::tags_unions::<D>() {{
                return deserializer.deserialize_enum({literal(record.name)}, &[{listed}], Tagged);
            }}
            deserializer.deserialize_any({plain})
        }}
    }}
    impl<'de> ::serde::de::Visitor<'de> for Tagged {{
        type Value = {name};
        fn expecting(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {{
            f.write_str({literal("an alternative of " + record.name)})
        }}
        fn visit_enum<A: ::serde::de::EnumAccess<'de>>(self, data: A) -> {_RESULT}<{name}, A::Error> {{
            use ::serde::de::VariantAccess as _;
            let (index, content) = data.variant_seed({RUNTIME}::Alternative(NAMES))?;
            match index {{
{tagged}                _ => Err({RUNTIME}::no_alternative(index)),
            }}
        }}
    }}
    impl<'de> ::serde::de::Visitor<'de> for Plain {{
        type Value = {name};
        fn expecting(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {{
            f.write_str({literal("a value of " + record.name)})
        }}
{_visits(name, pairs, records)}    }}
}};
"""


def tuple_serde(record: Record) -> str:
    """How serde writes and reads a tuple: a list, or a record of its items where a format writes
    records by position.
    """
    name, count = identifier(record.name), len(record.fields)
    listed = ", ".join(literal(field.name) for field in record.fields)
    fields = "".join(
        f"            out.serialize_field({literal(f.name)}, &self.{f.name})?;\n" for f in record.fields
    )
    items = "".join(f"        out.serialize_element(&self.{field.name})?;\n" for field in record.fields)
    by_place = "".join(
        f"                {field.name}: {RUNTIME}::read_item(&mut items, {index})?,\n"
        for index, field in enumerate(record.fields)
    )
    by_name = "".join(
        f"                {f.name}: {RUNTIME}::read_named(&mut entries, {literal(f.name)})?,\n"
        for f in record.fields
    )
    return f"""impl ::serde::Serialize for {name} {{
    fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> {_RESULT}<S::Ok, S::Error> {{
        use ::serde::ser::{{SerializeSeq as _, SerializeStruct as _}};
        if {RUNTIME}::tags_unions::<S>() {{
            let mut out = serializer.serialize_struct({literal(record.name)}, {count})?;
{fields}            return out.end();
        }}
        let mut out = serializer.serialize_seq(Some({count}))?;
{items}        out.end()
    }}
}}
const _: () = {{
    struct Visitor;
    impl<'de> ::serde::de::Visitor<'de> for Visitor {{
        type Value = {name};
        fn expecting(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {{
            f.write_str("a list of {count}")
        }}
        fn visit_seq<A: ::serde::de::SeqAccess<'de>>(self, mut items: A) -> {_RESULT}<{name}, A::Error> {{
            let out = {name} {{
{by_place}            }};
            {RUNTIME}::end_of_items(items, {count})?;
            Ok(out)
        }}
        fn visit_map<A: ::serde::de::MapAccess<'de>>(self, mut entries: A) -> {_RESULT}<{name}, A::Error> {{
            let out = {name} {{
{by_name}            }};
            {RUNTIME}::end_of_entries(entries, {count})?;
            Ok(out)
        }}
    }}
    impl<'de> ::serde::Deserialize<'de> for {name} {{
        fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> {_RESULT}<Self, D::Error> {{
            if {RUNTIME}::tags_unions::<D>() {{
                return deserializer.deserialize_struct({literal(record.name)}, &[{listed}], Visitor);
            }}
            deserializer.deserialize_seq(Visitor)
        }}
    }}
}};
"""


def fold(record: Record, name: str) -> str:
    """The checksum of a union's enum of this name: the alternative's number, then its value."""
    arms = "".join(
        f"            Self::{variant(field)}(v) => {{ sum.word({index}); {RUNTIME}::Fold::fold(v, sum); }}\n"
        for index, field in enumerate(record.fields)
    )
    return f"""impl {RUNTIME}::Fold for {name} {{
    fn fold(&self, sum: &mut {RUNTIME}::Checksum) {{
        match self {{
{arms}        }}
    }}
}}
"""


def _write(index: int, field: Field) -> str:
    write = "write_timestamp" if isinstance(field.type, Timestamp) else "write_alternative"
    call = f"{RUNTIME}::{write}(serializer, {index}, &NAMES[{index}], v)"
    return f"                Self::{variant(field)}(v) => {call},\n"


def _visits(name: str, pairs: list[tuple[Field, str]], records: Mapping[str, Record]) -> str:
    """What a value of each kind is; the first alternative that takes it."""
    by_kind: dict[type, tuple[Field, str]] = {type(field.type): (field, kind) for field, kind in pairs}
    lists = [(f, k) for f, k in pairs if isinstance(f.type, List) or _is(f.type, records, "tuple")]
    objects = [(f, k) for f, k in pairs if isinstance(f.type, Map) or _is(f.type, records, "object")]
    found: list[str] = []
    if Bool in by_kind:
        found.append(_visit("bool", "value: bool", f"Ok({name}::BoolValue(value))"))
    if Int in by_kind:
        found += _int(name, by_kind[Int][0].type)
    if Float in by_kind:
        found += _float(name, by_kind[Float][0].type)
    if {Timestamp, Base64, String} & by_kind.keys() or _is_nonfinite(by_kind):
        found.append(_text(name, by_kind))
    if Base64 in by_kind:
        found.append(
            _visit("bytes", "value: &[u8]", f"Ok({name}::BytesValue({RUNTIME}::Base64(value.to_vec())))")
        )
    if lists:
        found.append(_access("seq", "SeqAccess", "items", _first(name, lists, records, _ITEMS, "items")))
    if objects:
        found.append(
            _access("map", "MapAccess", "entries", _first(name, objects, records, _ENTRIES, "entries"))
        )
    return "".join(found)


def _is(kind: AnyType, records: Mapping[str, Record], shape: str) -> bool:
    return isinstance(kind, Ref) and records[kind.name].shape == shape


def _visit(kind: str, parameter: str, body: str) -> str:
    separator = ", " if parameter else ""
    head = f"        fn visit_{kind}<E: ::serde::de::Error>(self{separator}{parameter})"
    return f"{head} -> {_RESULT}<Self::Value, E> {{\n            {body}\n        }}\n"


def _access(kind: str, trait: str, parameter: str, body: str) -> str:
    head = f"        fn visit_{kind}<A: ::serde::de::{trait}<'de>>(self, {parameter}: A)"
    return f"{head} -> {_RESULT}<Self::Value, A::Error> {{\n            {body}\n        }}\n"


def _int(name: str, kind: AnyType) -> list[str]:
    assert isinstance(kind, Int)
    if kind.high >= 2**63:
        made = f"{name}::IntValue({RUNTIME}::Unsigned(value as u64))"
        negative = (
            f"if value >= 0 || self.is_signed {{ Ok({made}) }} else {{ Err({RUNTIME}::out_of_range(value)) }}"
        )
        return [_visit("i64", "value: i64", negative), _visit("u64", "value: u64", f"Ok({made})")]
    native = width(kind)
    body = f"{native}::try_from(value).map({name}::IntValue).map_err(|_| {RUNTIME}::out_of_range(value))"
    return [_visit(number, f"value: {number}", body) for number in ("i64", "u64")]


def _float(name: str, kind: AnyType) -> list[str]:
    assert isinstance(kind, Float)
    value = f"value as f{kind.bits}"
    made = f"Ok({name}::FloatValue({f'{RUNTIME}::Real({value})' if kind.nonfinite else value}))"
    visits = [_visit(number, f"value: {number}", made) for number in ("i64", "u64", "f64")]
    if kind.nonfinite:  # JSON's libraries write null for NaN
        nan = f"Ok({name}::FloatValue({RUNTIME}::Real(f{kind.bits}::NAN)))"
        visits.append(_visit("unit", "", nan))
    return visits


def _is_nonfinite(by_kind: Mapping[type, tuple[Field, str]]) -> bool:
    kind = by_kind[Float][0].type if Float in by_kind else None
    return isinstance(kind, Float) and kind.nonfinite


def _text(name: str, by_kind: Mapping[type, tuple[Field, str]]) -> str:
    tries = [
        f"if let Some(read) = {RUNTIME}::{native}::parse(value) {{ return Ok({name}::{variant(by_kind[kind][0])}(read)); }}"
        for kind, native in _TEXTS.items()
        if kind in by_kind
    ]
    if _is_nonfinite(by_kind):
        tries = [
            f"if let Some(read) = {RUNTIME}::Real::parse(value) {{ return Ok({name}::FloatValue(read)); }}",
            *tries,
        ]
    last = f"Ok({name}::StringValue(value.to_owned()))"
    if String not in by_kind:
        last = "Err(E::invalid_value(::serde::de::Unexpected::Str(value), &self))"
    return _visit("str", "value: &str", "\n            ".join([*tries, last]))


def _first(
    name: str, alternatives: list[tuple[Field, str]], records: Mapping[str, Record], reader: str, access: str
) -> str:
    """The value of the only alternative, or of the first that takes what was read into memory."""
    if len(alternatives) == 1:
        return f"::serde::Deserialize::deserialize({reader}).map({name}::{variant(alternatives[0][0])})"
    lines = [f"let all = {RUNTIME}::Buffered::{access}({access})?;"]
    for field, kind in alternatives:
        taken = f"return Ok({name}::{variant(field)}(read));"
        test = f"let Ok(read) = <{kind} as ::serde::Deserialize>::deserialize(&all)"
        if isinstance(field.type, Ref) and records[field.type.name].shape == "object":
            fields = records[field.type.name].fields
            known = ", ".join(literal(one.key) for one in fields)
            needed = ", ".join(literal(one.key) for one in fields if not one.optional)
            test = f"all.has_keys(&[{known}], &[{needed}]) && {test}"
        lines.append(f"if {test} {{ {taken} }}")
    lines.append(f'Err({RUNTIME}::no_alternative("of this shape"))')
    return "\n            ".join(lines)
