"""The common part of libraries that build messages in place and read them through views."""

from __future__ import annotations

from abc import ABC, abstractmethod

from wirelab.codecs.rust.cycles import in_box
from wirelab.codecs.rust.field_paths import FAILURE, RESULT, SUM, Places, folded, held, some
from wirelab.codecs.rust.model import MAP, RUNTIME, number, of_text, wrapped
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
    String,
    Timestamp,
)
from wirelab.schema.emitters.common import Slot, Table


class Views(Places, ABC):
    """Generates `build`, `fold` and `convert` between native messages and builders and views.

    In the generated code `out` is a builder, `view` a view; `native` and `v` are native places or
    references to them.
    """

    @abstractmethod
    def builder(self, table: str) -> str:
        """The type of a table's builder."""

    @abstractmethod
    def view(self, table: str) -> str:
        """The type of a table's view."""

    @abstractmethod
    def set(self, kind: AnyType, slot: Slot, native: str) -> str:
        """The statement that writes a native value into a slot."""

    @abstractmethod
    def read(self, kind: AnyType, slot: Slot, optional: bool, table: str) -> str:
        """A slot of `view`, a view of this table: an Option if it is optional."""

    @abstractmethod
    def choose(self, table: str, arms: list[tuple[AnyType, Slot, str]]) -> str:
        """The expression that runs the arm of the alternative that `view` holds, with its value in
        `v`.
        """

    @abstractmethod
    def item(self, kind: AnyType) -> str:
        """The item `v` of a list's iterator, as read."""

    @abstractmethod
    def entries(self, body: str) -> str:
        """The statement that runs `body` for each entry of the map `all`, in the order of the keys
        `k`.
        """

    @abstractmethod
    def fold_entry(self, values: AnyType) -> str:
        """The statement that reads the value of the current entry into `sum`."""

    @abstractmethod
    def convert_entry(self, values: AnyType) -> str:
        """The native value of the current entry."""

    def module(self) -> str:
        """All functions, and the names of those of the root."""
        root = self.root()
        native = self.native_of(root)
        head = f"""pub type View<'a> = {self.view(root.name)};
pub type Builder<'a> = {self.builder(root.name)};
pub fn build(out: Builder<'_>, native: &{native}) -> {RESULT}<(), {FAILURE}> {{
    build_{root.name}(out, native)
}}
pub fn fold(view: View<'_>, {SUM}) -> {RESULT}<(), {FAILURE}> {{
    fold_{root.name}(view, sum)
}}
pub fn convert(view: View<'_>) -> {RESULT}<{native}, {FAILURE}> {{
    convert_{root.name}(view)
}}
"""
        return head + "".join(self.functions(table) for table in self.plan.tables if table.role != "entry")

    def functions(self, table: Table) -> str:
        if table.role == "union":
            return self.union(table)
        if table.role == "record":
            fields = self.fields(table)
            built = [self.build_slot(f.type, f.optional, s, f"native.{name}") for f, s, name in fields]
            folds = [self.fold_slot(f.type, f.optional, s, table.name) for f, s, _ in fields]
            read = [(name, self.convert_slot(f.type, f.optional, s, table.name)) for f, s, name in fields]
            converted = self.literal(table, read)
        else:
            kind, slot = self.kind(table), table.slots[0]
            built = [self.build_slot(kind, False, slot, "native")]
            folds = [self.fold_slot(kind, False, slot, table.name)]
            converted = f"    Ok({self.convert_slot(kind, False, slot, table.name)})"
        return self.three(table, _lines(built), _lines(folds), converted)

    def union(self, table: Table) -> str:
        """The three functions of a union."""
        every = self.alternatives(table)
        built = " ".join(
            f"{variant}(v) => {{ {self.set(kind, slot, 'v')} }}" for kind, slot, variant, _ in every
        )
        folds = [(kind, slot, f"{word}{self.fold(inside(kind, slot), 'v')}") for kind, slot, _, word in every]
        read = [(kind, slot, f"{v}({self.convert(inside(kind, slot), 'v')})") for kind, slot, v, _ in every]
        converted = f"    Ok({self.choose(table.name, read)})"
        return self.three(table, f"match native {{ {built} }}", self.choose(table.name, folds), converted)

    def three(self, table: Table, built: str, folds: str, converted: str) -> str:
        """The functions `build`, `fold` and `convert` of a table with these bodies."""
        name, native = table.name, self.native_of(table)
        builder, view = self.builder(name).replace("'a", "'_"), self.view(name).replace("'a", "'_")
        return f"""
pub fn build_{name}(mut out: {builder}, native: &{native}) -> {RESULT}<(), {FAILURE}> {{
    {built}
    Ok(())
}}
pub fn fold_{name}(view: {view}, {SUM}) -> {RESULT}<(), {FAILURE}> {{
    {folds}
    Ok(())
}}
pub fn convert_{name}(view: {view}) -> {RESULT}<{native}, {FAILURE}> {{
{converted}
}}
"""

    def build_slot(self, kind: AnyType, optional: bool, slot: Slot, native: str) -> str:
        inner, depth, maybe = held(kind, optional, native)
        if depth == 0:
            return self.set(inner, slot, native)
        return f"if let Some(v) = {maybe} {{ {self.set(inner, slot, 'v')} }}"

    def fold_slot(self, kind: AnyType, optional: bool, slot: Slot, table: str) -> str:
        inner, depth, _ = held(kind, optional, "")
        value, read = self.read(inner, slot, depth > 0, table), inside(inner, slot)
        return folded(inner, value, self.fold(read, "v")) if depth else self.fold(read, value)

    def convert_slot(self, kind: AnyType, optional: bool, slot: Slot, table: str) -> str:
        inner, depth, _ = held(kind, optional, "")
        value, read = self.read(inner, slot, depth > 0, table), inside(inner, slot)
        if depth == 0:
            return self.convert(read, value)
        return f"match {value} {{ Some(v) => {some(self.convert(read, 'v'), depth)}, None => None }}"

    def fold(self, kind: AnyType, value: str) -> str:  # noqa: PLR0911  (one return per type reads best)
        """The statement that reads a value into `sum`."""
        if isinstance(kind, Any):
            return f"{RUNTIME}::FoldTexts::fold_texts({value}.to_str()?, sum);"
        if isinstance(kind, String | Decimal):
            return f"sum.bytes({value}.to_str()?.as_bytes());"
        if isinstance(kind, Base64):
            return f"sum.bytes({value});"
        if isinstance(kind, Ref):
            return f"fold_{kind.name}({value}, sum)?;"
        if isinstance(kind, Map):
            body = self.entries(f"sum.bytes(k.to_str()?.as_bytes()); {self.fold_entry(kind.values)}")
            return f"{{ let all = {value}; sum.word(all.len() as u64); {body} }}"
        if isinstance(kind, List):
            item = self.fold_item(kind.items)
            return f"{{ let all = {value}; sum.word(all.len() as u64); for v in all.iter() {{ {item} }} }}"
        return f"{RUNTIME}::Fold::fold(&{value}, sum);"

    def convert(self, kind: AnyType, value: str) -> str:  # noqa: PLR0911  (one return per type reads best)
        """The native value."""
        if isinstance(kind, String):
            return f"{value}.to_str()?.to_owned()"
        if isinstance(kind, Any | Decimal):
            return of_text(kind, f"{value}.to_str()?")
        if isinstance(kind, Base64):
            return f"{RUNTIME}::Base64({value}.to_vec())"
        if isinstance(kind, Ref):
            return in_box(f"convert_{kind.name}({value})?", kind)
        if isinstance(kind, Map):
            body = self.entries(
                f"let value = {self.convert_entry(kind.values)}; map.insert(k.to_str()?.to_owned(), value);"
            )
            return f"{{ let all = {value}; let mut map = {MAP}::new(); {body} map }}"
        if isinstance(kind, List):
            item = self.convert_item(kind.items)
            many = f"{RUNTIME}::try_collect({value}.iter(), |v| Ok({item}))?"
            return f"{value}.iter().collect()" if item == "v" else many
        if isinstance(kind, Timestamp):
            return f"{RUNTIME}::Timestamp::from_nanos({value})"
        return wrapped(kind, value)

    def fold_item(self, kind: AnyType) -> str:
        """The statement that reads the item `v` into `sum`."""
        wrapper = self.wrapper(kind)
        return f"fold_{wrapper}(v, sum)?;" if wrapper else self.fold(kind, self.item(kind))

    def convert_item(self, kind: AnyType) -> str:
        """The native value of the item `v`."""
        wrapper = self.wrapper(kind)
        return f"convert_{wrapper}(v)?" if wrapper else self.convert(kind, self.item(kind))


def inside(kind: AnyType, slot: Slot) -> AnyType:
    """The type in a slot: a table where the format needs one for the type."""
    return slot.type if isinstance(slot.type, Ref) else kind


def scalar(kind: AnyType, native: str) -> str:
    """A copied scalar from a reference or a place."""
    if isinstance(kind, Timestamp):
        return f"{native}.nanos()"
    assert isinstance(kind, Bool | Int | Float)
    return number(kind, native)


def _lines(statements: list[str]) -> str:
    return "\n    ".join(statements)
