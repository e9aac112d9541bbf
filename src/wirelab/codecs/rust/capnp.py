"""Cap'n Proto: conversion between native objects and the builders and readers of capnpc."""

from __future__ import annotations

from wirelab.codecs.positional_names import numbered
from wirelab.codecs.rust.borrowed_types import Views, scalar
from wirelab.codecs.rust.model import text
from wirelab.model.schema import AnyType, Base64, List, Map, Ref, Schema, Text
from wirelab.schema.emitters import capnp
from wirelab.schema.emitters.common import Slot, canonical

TABLES = "structs_capnp"


def schema_text(schema: Schema) -> str:
    """The .capnp file to compile."""
    return capnp.emit(numbered(schema))


def module(schema: Schema) -> str:
    """The module: `build`, `fold` and `convert` between `model::Message` and a message's builder
    and reader.
    """
    return _Capnp(schema, capnp.tables(numbered(schema))).module()


class _Capnp(Views):
    def builder(self, table: str) -> str:
        return f"{TABLES}::{_module(table)}::Builder<'a>"

    def view(self, table: str) -> str:
        return f"{TABLES}::{_module(table)}::Reader<'a>"

    def set(self, kind: AnyType, slot: Slot, native: str) -> str:
        name = slot.name
        if isinstance(kind, Text):
            return f"out.set_{name}({text(kind, native)});"
        if isinstance(kind, Base64):
            return f"out.set_{name}(&{native}.0[..]);"
        if isinstance(kind, Ref):
            return f"build_{kind.name}(out.reborrow().init_{name}(), {_borrowed(native)})?;"
        if isinstance(kind, List | Map):
            return f"{{ let mut list = out.reborrow().init_{name}({native}.len() as u32); {self.fill(kind, native)} }}"
        target = f"out.reborrow().init_{name}().set_value" if slot.optional else f"out.set_{name}"
        return f"{target}({scalar(kind, native)});"

    def fill(self, kind: List | Map, native: str) -> str:
        """The statement that writes the items of a native list or map into `list`."""
        if isinstance(kind, Map):
            return self.fill_map(kind, native)
        wrapper = self.wrapper(kind.items)
        return f"for (i, v) in {native}.iter().enumerate() {{ {self.put(kind.items, wrapper)} }}"

    def put(self, kind: AnyType, wrapper: str | None) -> str:
        """The statement that writes the item `v` at `i`."""
        if wrapper or isinstance(kind, Ref):
            name = wrapper or (kind.name if isinstance(kind, Ref) else "")
            return f"build_{name}(list.reborrow().get(i as u32), v)?;"
        if isinstance(kind, List | Map):
            return f"let mut list = list.reborrow().init(i as u32, v.len() as u32); {self.fill(kind, 'v')}"
        if isinstance(kind, Text | Base64):
            return f"list.set(i as u32, {text(kind, 'v') if isinstance(kind, Text) else '&v.0[..]'});"
        return f"list.set(i as u32, {scalar(kind, 'v')});"

    def fill_map(self, kind: Map, native: str) -> str:
        slot, _ = self.entry(kind.values)
        value = self.build_slot(kind.values, False, slot, "v")
        head = "let mut out = list.reborrow().get(i as u32); out.set_key(k.as_str());"
        return f"for (i, (k, v)) in {native}.iter().enumerate() {{ {head} {value} }}"

    def read(self, kind: AnyType, slot: Slot, optional: bool, table: str) -> str:
        get = f"view.get_{slot.name}()"
        if isinstance(kind, Text | Base64 | Ref | List | Map):
            return (
                f"(if view.has_{slot.name}() {{ Some({get}?) }} else {{ None }})" if optional else f"{get}?"
            )
        if not optional:
            return get
        union = f"{TABLES}::{_module(table)}::{slot.name}"
        return f"(match {get}.which()? {{ {union}::Absent(()) => None, {union}::Value(v) => Some(v) }})"

    def choose(self, table: str, arms: list[tuple[AnyType, Slot, str]]) -> str:
        module = f"{TABLES}::{_module(table)}"
        cases = ""
        for kind, slot, arm in arms:
            read = "let v = v?; " if capnp.is_pointer(kind) or isinstance(kind, Map) else ""
            cases += f"{module}::{slot.name.upper()}(v) => {{ {read}{arm} }} "
        return f"match view.which()? {{ {cases}}}"

    def item(self, kind: AnyType) -> str:
        return "v?" if isinstance(kind, Text | Base64 | List | Map) else "v"

    def entries(self, body: str) -> str:
        return f"for view in all.iter() {{ let k = view.get_key()?; {body} }}"

    def fold_entry(self, values: AnyType) -> str:
        return self.fold_slot(values, False, *self.entry(values))

    def convert_entry(self, values: AnyType) -> str:
        return self.convert_slot(values, False, *self.entry(values))

    def entry(self, values: AnyType) -> tuple[Slot, str]:
        """The slot of a map's values, and its table."""
        name = self.plan.entries[canonical(values)]
        return next(t for t in self.plan.tables if t.name == name).slots[1], name


def _module(table: str) -> str:
    """The module name that capnpc derives from a struct: underscores before inner capitals."""
    return "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(table))


def _borrowed(native: str) -> str:
    return f"&{native}" if "." in native else native
