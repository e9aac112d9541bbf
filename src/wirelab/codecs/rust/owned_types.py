"""The common part of libraries with owned structs, converted from and to native objects."""

from __future__ import annotations

from abc import ABC, abstractmethod

from wirelab.codecs.rust.cycles import in_box, is_boxed
from wirelab.codecs.rust.field_paths import CLOSURE, COLLECT, FAILURE, RESULT, SUM, Places, folded, held, some
from wirelab.codecs.rust.model import RUNTIME
from wirelab.model.schema import Any, AnyType, Base64, Decimal, List, Map, Ref, String
from wirelab.schema.emitters.common import Table


class Owned(Places, ABC):
    """Generates `populate`, `fold` and `convert` between native messages and the root's struct.

    In the generated code `native` and `v` are native places or references to them; `object` is a
    struct.
    """

    @abstractmethod
    def struct(self, table: str) -> str:
        """The type of a table."""

    def has_box(self, kind: Ref) -> bool:
        """Whether the library holds a record behind a pointer where it has this type."""
        return is_boxed(kind)

    def put_in(self, value: str) -> str:
        """A value behind the library's pointer."""
        return f"::std::boxed::Box::new({value})"

    def take_out(self, value: str) -> str:
        """A value from behind it."""
        return f"*{value}"

    @abstractmethod
    def give(self, kind: AnyType, native: str) -> str:
        """The library's value of a native scalar, string or byte string."""

    @abstractmethod
    def take(self, kind: AnyType, value: str) -> str:
        """The native value of the library's scalar, string or byte string, which it may move."""

    @abstractmethod
    def give_map(self, kind: Map, native: str) -> str:
        """The library's value of a native map."""

    @abstractmethod
    def take_map(self, kind: Map, value: str) -> str:
        """The native value of the library's map."""

    @abstractmethod
    def fold_map(self, kind: Map, value: str) -> str:
        """The statement that reads a map into `sum`."""

    def module(self) -> str:
        """All functions, and the names of those of the root."""
        root = self.root()
        native = self.native_of(root)
        head = f"""pub type Root = {self.struct(root.name)};
pub fn populate(native: &{native}) -> {RESULT}<Root, {FAILURE}> {{
    populate_{root.name}(native)
}}
pub fn fold(object: &Root, {SUM}) {{
    fold_{root.name}(object, sum)
}}
pub fn convert(object: Root) -> {RESULT}<{native}, {FAILURE}> {{
    convert_{root.name}(object)
}}
"""
        return head + "".join(self.functions(table) for table in self.plan.tables if table.role != "entry")

    def functions(self, table: Table) -> str:
        if table.role == "union":
            return self.union(table)
        if table.role == "record":
            fields = self.fields(table)
            given = [(s.name, self.give_slot(f.type, f.optional, f"native.{name}")) for f, s, name in fields]
            folds = [self.fold_slot(f.type, f.optional, f"object.{s.name}") for f, s, _ in fields]
            taken = [(name, self.take_slot(f.type, f.optional, f"object.{s.name}")) for f, s, name in fields]
            converted = self.literal(table, taken)
        else:
            kind, slot = self.kind(table), table.slots[0]
            given = [(slot.name, self.give_slot(kind, False, "native"))]
            folds = [self.fold_slot(kind, False, f"object.{slot.name}")]
            converted = f"    Ok({self.take_slot(kind, False, f'object.{slot.name}')})"
        name, native, struct = table.name, self.native_of(table), self.struct(table.name)
        values = "".join(f"        {field}: {value},\n" for field, value in given)
        statements = "\n    ".join(folds)
        return f"""
pub fn populate_{name}(native: &{native}) -> {RESULT}<{struct}, {FAILURE}> {{
    Ok({struct} {{
{values}    }})
}}
pub fn fold_{name}(object: &{struct}, {SUM}) {{
    {statements}
}}
pub fn convert_{name}(object: {struct}) -> {RESULT}<{native}, {FAILURE}> {{
{converted}
}}
"""

    def union(self, table: Table) -> str:
        """The functions of a union, which the library has as an enum."""
        name, native, struct = table.name, self.native_of(table), self.struct(table.name)
        given = folds = taken = ""
        for kind, slot, variant, word in self.alternatives(table):
            own = f"{struct}::{slot.name.upper()}"
            given += f"        {variant}(v) => {own}({self.give_value(kind, 'v')}),\n"
            folds += f"        {own}(v) => {{ {word}{self.fold_value(kind, '(*v)')} }}\n"
            taken += f"        {own}(v) => {variant}({self.take_value(kind, 'v')}),\n"
        return f"""
pub fn populate_{name}(native: &{native}) -> {RESULT}<{struct}, {FAILURE}> {{
    Ok(match native {{
{given}    }})
}}
pub fn fold_{name}(object: &{struct}, {SUM}) {{
    match object {{
{folds}    }}
}}
pub fn convert_{name}(object: {struct}) -> {RESULT}<{native}, {FAILURE}> {{
    Ok(match object {{
{taken}    }})
}}
"""

    def give_slot(self, kind: AnyType, optional: bool, native: str) -> str:
        """The library's value of a field."""
        inner, depth, maybe = held(kind, optional, native)
        if depth == 0:
            return self.give_value(inner, native)
        return f"match {maybe} {{ Some(v) => Some({self.give_value(inner, 'v')}), None => None }}"

    def take_slot(self, kind: AnyType, optional: bool, value: str) -> str:
        """The native value of a field."""
        inner, depth, _ = held(kind, optional, "")
        if depth == 0:
            return self.take_value(inner, value)
        return f"match {value} {{ Some(v) => {some(self.take_value(inner, 'v'), depth)}, None => None }}"

    def fold_slot(self, kind: AnyType, optional: bool, place: str) -> str:
        """The statement that reads a field into `sum`."""
        inner, depth, _ = held(kind, optional, "")
        if depth == 0:
            return self.fold_value(inner, place)
        return folded(inner, f"&{place}", self.fold_value(inner, "(*v)"))

    def give_value(self, kind: AnyType, native: str) -> str:
        if isinstance(kind, List):
            item = self.give_item(kind.items, "v")
            return f"{RUNTIME}::try_collect({native}.iter(), |v| Ok({item}))?"
        if isinstance(kind, Map):
            return self.give_map(kind, native)
        if isinstance(kind, Ref):
            made = f"populate_{kind.name}({f'&{native}' if '.' in native else native})?"
            return self.put_in(made) if self.has_box(kind) else made
        return self.give(kind, native)

    def take_value(self, kind: AnyType, value: str) -> str:
        if isinstance(kind, List):
            item = self.take_item(kind.items, "v")
            many = f"{value}.into_iter().map(|v| {CLOSURE} {{ Ok({item}) }}).{COLLECT}"
            return value if item == "v" else many
        if isinstance(kind, Map):
            return self.take_map(kind, value)
        if isinstance(kind, Ref):
            held = self.take_out(value) if self.has_box(kind) else value
            return in_box(f"convert_{kind.name}({held})?", kind)
        return self.take(kind, value)

    def fold_value(self, kind: AnyType, place: str) -> str:
        if isinstance(kind, List):
            item = self.fold_item(kind.items)
            return f"sum.word({place}.len() as u64); for v in {place}.iter() {{ {item} }}"
        if isinstance(kind, Map):
            return self.fold_map(kind, place)
        if isinstance(kind, Ref):
            return f"fold_{kind.name}(&{place}, sum);"
        if isinstance(kind, Any):
            return f"{RUNTIME}::FoldTexts::fold_texts(&{place}[..], sum);"
        if isinstance(kind, String | Decimal | Base64):
            return f"sum.bytes({place}.as_ref());"
        return f"{RUNTIME}::Fold::fold(&{self.take(kind, place)}, sum);"

    def give_item(self, kind: AnyType, native: str) -> str:
        """The library's value of a list's item."""
        wrapper = self.wrapper(kind)
        return f"populate_{wrapper}({native})?" if wrapper else self.give_value(kind, native)

    def take_item(self, kind: AnyType, value: str) -> str:
        """The native value of a list's item."""
        wrapper = self.wrapper(kind)
        return f"convert_{wrapper}({value})?" if wrapper else self.take_value(kind, value)

    def fold_item(self, kind: AnyType) -> str:
        """The statement that reads the item `v`, a reference, into `sum`."""
        wrapper = self.wrapper(kind)
        return f"fold_{wrapper}(v, sum);" if wrapper else self.fold_value(kind, "(*v)")
