"""FlatBuffers: the .fbs file for flatc, and the conversion between native objects and its tables.

Names in the .fbs file get a prefix or suffix, so that none collides with a name in flatc's code.
FlatBuffers does not encode names.
"""

from __future__ import annotations

from msgspec.structs import replace

from wirelab.codecs.rust.cycles import in_box
from wirelab.codecs.rust.mixed_types import variant
from wirelab.codecs.rust.model import DERIVED_FIELDS, RUNTIME, number, of_text, path, text, wrapped
from wirelab.codecs.rust.names import identifier
from wirelab.codecs.rust.protobuf import FAILURE, NATIVE, borrowed
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
    Text,
    Timestamp,
)
from wirelab.schema.emitters import flatbuffers as fbs
from wirelab.schema.emitters.common import Table, canonical, plain

RESULT = "::core::result::Result"
BUILDER = "::flatbuffers::FlatBufferBuilder<'a>"
OFFSET = "::flatbuffers::WIPOffset"


def compiled_schema(schema: Schema) -> Schema:
    """The schema with names for flatc: records end in `Table`, fields begin with `f<n>_`."""
    records = tuple(
        Record(
            f"{record.name}Table",
            tuple(map(_renamed_field, range(len(record.fields)), record.fields)),
            record.shape,
        )
        for record in schema.records
    )
    return Schema(_renamed(schema.root), records)


def _renamed_field(index: int, field: Field) -> Field:
    name = f"f{index}_{field.name.lower()}"
    return Field(name, name, _renamed(field.type), field.optional)


def _renamed(kind: AnyType) -> AnyType:
    if isinstance(kind, List):
        return replace(kind, items=_renamed(kind.items))
    if isinstance(kind, Map):
        return replace(kind, values=_renamed(kind.values))
    return replace(kind, name=f"{kind.name}Table") if isinstance(kind, Ref) else kind


def module(schema: Schema) -> str:
    """The module: `build`, `fold` and `convert` between `model::Message` and `Root`."""
    return _Writer(schema).module()


class _Writer:
    """`self.schema` has the names of flatc's code, `self.native` maps them back to those of the
    native types.
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = compiled_schema(schema)
        self.plan = fbs.tables(self.schema)
        self.records = {
            record.name: given for record, given in zip(self.schema.records, schema.records, strict=True)
        }
        self.wrappers = {**self.plan.boxes, **self.plan.wrappers}
        self.kinds = {name: kind for kind, name in self.wrappers.items()}

    def module(self) -> str:
        root = next(table for table in self.plan.tables if table.name == self.plan.root)
        head = f"pub type Root<'a> = tables::{root.name}<'a>;\n"
        if root.role == "root":
            head += self.single("", root, self.schema.root)
        else:
            head += self.entrance(root)
        return head + "".join(map(self.functions, self.plan.tables))

    def entrance(self, root: Table) -> str:
        native = self.path(self.schema.root)
        return f"""
pub fn build<'a>(out: &mut {BUILDER}, native: &{native}) -> {OFFSET}<Root<'a>> {{
    build_{root.name}(out, native)
}}
pub fn fold(table: Root<'_>, sum: &mut {RUNTIME}::Checksum) {{
    fold_{root.name}(table, sum);
}}
pub fn convert(table: Root<'_>) -> {RESULT}<{native}, {FAILURE}> {{
    convert_{root.name}(table)
}}
"""

    def functions(self, table: Table) -> str:
        if table.role == "record":
            return self.record(table)
        if table.role == "wrapper":
            return self.single(f"_{table.name}", table, self.kinds[table.name])
        return self.union(table) if table.role == "union" else ""

    def path(self, kind: AnyType) -> str:
        """The native Rust type of a renamed type."""
        return path(self.original(kind), f"{NATIVE}::")

    def original(self, kind: AnyType) -> AnyType:
        if isinstance(kind, List):
            return replace(kind, items=self.original(kind.items))
        if isinstance(kind, Map):
            return replace(kind, values=self.original(kind.values))
        return replace(kind, name=self.records[kind.name].name) if isinstance(kind, Ref) else kind

    def single(self, suffix: str, table: Table, kind: AnyType) -> str:
        """The three functions of a table whose only field is a whole native value."""
        slot, native = table.slots[0], self.path(kind)
        before, value = self.build_slot(kind, False, "native", "only")
        return f"""
pub fn build{suffix}<'a>(out: &mut {BUILDER}, native: &{native}) -> {OFFSET}<tables::{table.name}<'a>> {{
    {before}
    tables::{table.name}::create(out, &tables::{table.name}Args {{ {slot.name}: {value} }})
}}
pub fn fold{suffix}(table: tables::{table.name}<'_>, sum: &mut {RUNTIME}::Checksum) {{
    {self.fold_slot(kind, False, f"table.{slot.name}()")}
}}
pub fn convert{suffix}(table: tables::{table.name}<'_>) -> {RESULT}<{native}, {FAILURE}> {{
    Ok({self.convert_slot(kind, False, f"table.{slot.name}()")})
}}
"""

    def union(self, table: Table) -> str:
        """The three functions of a union's table."""
        original = self.records[table.name]
        native = f"{NATIVE}::{identifier(original.name)}"
        tag = f"tables::{fbs.union_name(self.plan, table)}"
        built = folds = taken = ""
        for index, (field, slot) in enumerate(zip(original.fields, table.slots, strict=True)):
            assert isinstance(slot.type, Ref)
            member, case = slot.type.name, f"{native}::{variant(field)}"
            # Safety: the verifier, or who trusts the bytes, has matched the type of the union to
            # its table.
            read = f"unsafe {{ tables::{member}::init_from_table(table.value()) }}"
            built += f"        {case}(v) => ({tag}::{member}, build_{member}(out, v).as_union_value()),\n"
            folds += f"        {tag}::{member} => {{ sum.word({index}); fold_{member}({read}, sum); }}\n"
            converted = in_box(f"convert_{member}({read})?", slot.type)
            taken += f"        {tag}::{member} => {case}({converted}),\n"
        return f"""
pub fn build_{table.name}<'a>(out: &mut {BUILDER}, native: &{native}) -> {OFFSET}<tables::{table.name}<'a>> {{
    let (value_type, value) = match native {{
{built}    }};
    tables::{table.name}::create(out, &tables::{table.name}Args {{ value_type, value: Some(value) }})
}}
pub fn fold_{table.name}(table: tables::{table.name}<'_>, sum: &mut {RUNTIME}::Checksum) {{
    match table.value_type() {{
{folds}        _ => sum.missing(),
    }}
}}
pub fn convert_{table.name}(table: tables::{table.name}<'_>) -> {RESULT}<{native}, {FAILURE}> {{
    Ok(match table.value_type() {{
{taken}        _ => return Err("{original.name}: no alternative is set".into()),
    }})
}}
"""

    def record(self, table: Table) -> str:
        original = self.records[table.name]
        fields = self.schema.record(table.name).fields
        names = [identifier(field.name) for field in original.fields]
        native = f"{NATIVE}::{identifier(original.name)}"
        built = [
            self.build_slot(field.type, field.optional, f"native.{name}", field.name)
            for field, name in zip(fields, names, strict=True)
        ]
        before = "\n    ".join(line for line, _ in built if line)
        values = ", ".join(f"{field.name}: {value}" for field, (_, value) in zip(fields, built, strict=True))
        folds = "\n    ".join(
            self.fold_slot(field.type, field.optional, f"table.{field.name}()") for field in fields
        )
        values_read = [
            (name, self.convert_slot(field.type, field.optional, f"table.{field.name}()"))
            for field, name in zip(fields, names, strict=True)
        ]
        if len(fields) > DERIVED_FIELDS:
            taken = "".join(f"    out.{name} = {value};\n" for name, value in values_read)
            converted = f"let mut out = {native}::default();\n{taken}    Ok(out)"
        else:
            taken = "".join(f"\n        {name}: {value}," for name, value in values_read)
            converted = f"Ok({native} {{{taken}\n    }})"
        unused = "" if fields else "let _ = native;"
        arguments = (
            f"tables::{table.name}Args {{ {values} }}" if fields else f"tables::{table.name}Args::default()"
        )
        return f"""
pub fn build_{table.name}<'a>(out: &mut {BUILDER}, native: &{native}) -> {OFFSET}<tables::{table.name}<'a>> {{
    {before}{unused}
    tables::{table.name}::create(out, &{arguments})
}}
pub fn fold_{table.name}(table: tables::{table.name}<'_>, sum: &mut {RUNTIME}::Checksum) {{
    {folds or "let _ = (table, sum);"}
}}
pub fn convert_{table.name}(table: tables::{table.name}<'_>) -> {RESULT}<{native}, {FAILURE}> {{
    {"" if fields else "let _ = table;"}
    {converted}
}}
"""

    def build_slot(self, kind: AnyType, optional: bool, native: str, name: str) -> tuple[str, str]:
        """Statements that write a value behind an offset, and the argument for the field."""
        inner, depth = plain(kind), int(optional) + int(kind.nullable)
        maybe = f"{native}.as_ref()" + (".and_then(|v| v.as_ref())" if depth == 2 else "")
        if fbs.is_inline(inner):
            return "", f"{maybe}.map(|v| {_scalar(inner, 'v')})" if depth else _scalar(inner, native)
        value = (
            f"{maybe}.map(|v| {self.build(inner, 'v')})" if depth else f"Some({self.build(inner, native)})"
        )
        return f"let at_{name} = {value};", f"at_{name}"

    def build(self, kind: AnyType, native: str) -> str:  # noqa: PLR0911  (one return per type reads best)
        """An expression that writes a value and returns its offset."""
        if isinstance(kind, Text):
            return f"out.create_string({text(kind, native)})"
        if isinstance(kind, Base64):
            return f"out.create_vector(&{native}.0)"
        if isinstance(kind, Ref):
            return f"build_{kind.name}(out, {borrowed(native)})"
        if isinstance(kind, Map):
            return self.build_map(kind, native)
        assert isinstance(kind, List)
        wrapper = self.plan.wrappers.get(canonical(kind.items))
        if wrapper is None and fbs.is_inline(kind.items):
            if _scalar(kind.items, "v") != "*v":
                return f"out.create_vector_from_iter({native}.iter().map(|v| {_scalar(kind.items, 'v')}))"
            return f"out.create_vector({borrowed(native)})"
        item = f"build_{wrapper}(out, v)" if wrapper else self.build(kind.items, "v")
        return f"{{ let all: ::std::vec::Vec<_> = {native}.iter().map(|v| {item}).collect(); out.create_vector(&all) }}"

    def build_map(self, kind: Map, native: str) -> str:
        entry = self.plan.entries[canonical(kind.values)]
        before, value = self.build_slot(kind.values, False, "v", "value")
        return f"""{{
        let all: ::std::vec::Vec<_> = {native}.iter().map(|(k, v)| {{
            let key = Some(out.create_string(k));
            {before}
            tables::{entry}::create(out, &tables::{entry}Args {{ key, value: {value} }})
        }}).collect();
        out.create_vector(&all)
    }}"""

    def fold_slot(self, kind: AnyType, optional: bool, value: str) -> str:
        """A statement that reads a field into `sum`, as `Fold` does for its native value."""
        inner = plain(kind)
        if not (optional or kind.nullable):
            return self.fold(inner, value)
        marker = "" if isinstance(inner, List | Map) else "sum.word(1); "
        return f"match {value} {{ Some(v) => {{ {marker}{self.fold(inner, 'v')} }} None => sum.missing() }}"

    def fold(self, kind: AnyType, value: str) -> str:
        if isinstance(kind, Any):
            return f"{RUNTIME}::FoldTexts::fold_texts({value}, sum);"
        if isinstance(kind, Base64):
            return f"sum.bytes({value}.bytes());"
        if isinstance(kind, Ref):
            return f"fold_{kind.name}({value}, sum);"
        if isinstance(kind, Map):
            item = f"sum.bytes(e.key().as_bytes()); {self.fold_slot(kind.values, False, 'e.value()')}"
            return f"{{ let all = {value}; sum.word(all.len() as u64); for e in all.iter() {{ {item} }} }}"
        if isinstance(kind, List):
            wrapper = self.plan.wrappers.get(canonical(kind.items))
            item = f"fold_{wrapper}(v, sum);" if wrapper else self.fold(kind.items, "v")
            return f"{{ let all = {value}; sum.word(all.len() as u64); for v in all.iter() {{ {item} }} }}"
        return f"{RUNTIME}::Fold::fold(&{value}, sum);"

    def convert_slot(self, kind: AnyType, optional: bool, value: str) -> str:
        inner, depth = plain(kind), int(optional) + int(kind.nullable)
        if depth == 0:
            return self.convert(inner, value)
        some = "Some(" * depth + self.convert(inner, "v") + ")" * depth
        return f"match {value} {{ Some(v) => {some}, None => None }}"

    def convert(self, kind: AnyType, value: str) -> str:  # noqa: PLR0911  (one return per type reads best)
        closure, collect = f"-> {RESULT}<_, {FAILURE}>", f"collect::<{RESULT}<_, {FAILURE}>>()?"
        if isinstance(kind, String):
            return f"{value}.to_owned()"
        if isinstance(kind, Any | Decimal):
            return of_text(kind, value)
        if isinstance(kind, Base64):
            return f"{RUNTIME}::Base64({value}.bytes().to_vec())"
        if isinstance(kind, Ref):
            return in_box(f"convert_{kind.name}({value})?", kind)
        if isinstance(kind, Map):
            item = self.convert_slot(kind.values, False, "e.value()")
            return f"{value}.iter().map(|e| {closure} {{ Ok((e.key().to_owned(), {item})) }}).{collect}"
        if isinstance(kind, List):
            wrapper = self.plan.wrappers.get(canonical(kind.items))
            item = f"convert_{wrapper}(v)?" if wrapper else self.convert(kind.items, "v")
            many = f"{RUNTIME}::try_collect({value}.iter(), |v| Ok({item}))?"
            return f"{value}.iter().collect()" if item == "v" else many
        if isinstance(kind, Timestamp):
            return f"{RUNTIME}::Timestamp::from_nanos({value})"
        return wrapped(kind, value)


def _scalar(kind: AnyType, native: str) -> str:
    """A copied scalar from a reference or a place."""
    if isinstance(kind, Timestamp):
        return f"{native}.nanos()"
    assert isinstance(kind, Bool | Int | Float)
    return number(kind, native)
