"""Protobuf by Google: conversion between native objects and protoc's messages for upb."""

from __future__ import annotations

from wirelab.codecs.positional_names import numbered
from wirelab.codecs.rust import upb_free
from wirelab.codecs.rust.borrowed_types import Views, inside, scalar
from wirelab.codecs.rust.field_paths import held
from wirelab.codecs.rust.model import MAP, RUNTIME, text
from wirelab.codecs.rust.protobuf import KEYS
from wirelab.model.schema import AnyType, Base64, List, Map, Ref, Schema, Text
from wirelab.schema.emitters import protobuf
from wirelab.schema.emitters.common import Slot, Table

TABLES = "structs_proto"


def schema_text(schema: Schema) -> str:
    """The .proto file to compile."""
    return protobuf.emit(numbered(schema))


def module(schema: Schema) -> str:
    """The module: `build`, `fold` and `convert` between `model::Message` and a message's builder
    and view.
    """
    plan = protobuf.tables(numbered(schema))
    return f"pub type Root = {TABLES}::{plan.root};\n" + _Upb(schema, plan).module()


class _Upb(Views):
    def builder(self, table: str) -> str:
        return f"{TABLES}::{table}Mut<'a>"

    def view(self, table: str) -> str:
        return f"{TABLES}::{table}View<'a>"

    def functions(self, table: Table) -> str:
        if table.role == "value":
            return upb_free.functions(self.plan)
        if table.role in ("struct", "list"):
            return ""
        if table.role != "instant":
            return super().functions(table)
        nanos = "view.seconds().wrapping_mul(1_000_000_000).wrapping_add(i64::from(view.nanos()))"
        return self.three(
            table,
            "let (seconds, nanos) = native.seconds(); out.set_seconds(seconds); out.set_nanos(nanos);",
            f"sum.word({nanos} as u64);",
            f"    {RUNTIME}::Timestamp::from_seconds(view.seconds(), view.nanos())",
        )

    def set(self, kind: AnyType, slot: Slot, native: str) -> str:
        name = slot.name
        message = inside(kind, slot)
        if isinstance(message, Ref):
            return f"build_{message.name}(out.{name}_mut(), {_borrowed(native)})?;"
        if isinstance(kind, List):
            return f"{{ let mut list = out.{name}_mut(); for v in {native}.iter() {{ {self.push(kind.items)} }} }}"
        if isinstance(kind, Map):
            item = self.insert(kind)
            return f"{{ let mut map = out.{name}_mut(); for (k, v) in {native}.iter() {{ {item} }} }}"
        return f"out.set_{name}({_plain(kind, native)});"

    def push(self, kind: AnyType) -> str:
        table = self.table(kind)
        return f"build_{table}(list.push_default(), v)?;" if table else f"list.push({_plain(kind, 'v')});"

    def insert(self, kind: Map) -> str:
        table = self.table(kind.values)
        key = f"k.parse::<{KEYS[kind.keys]}>()?" if kind.keys else "k.as_str()"
        if not table:
            return f"map.insert({key}, {_plain(kind.values, 'v')});"
        made = f"let mut made = {TABLES}::{table}::new(); build_{table}(made.as_mut(), v)?;"
        return f"{made} map.insert({key}, made);"

    def table(self, kind: AnyType) -> str:
        """The message type of an item, "" if it has none."""
        return self.wrapper(kind) or (kind.name if isinstance(kind, Ref) else "")

    def read(self, kind: AnyType, slot: Slot, optional: bool, table: str) -> str:  # noqa: ARG002
        get = f"view.{slot.name}()"
        if not optional:
            return get
        if isinstance(kind, List | Map):
            return f"(if {get}.is_empty() {{ None }} else {{ Some({get}) }})"
        return f"(if view.has_{slot.name}() {{ Some({get}) }} else {{ None }})"

    def choose(self, table: str, arms: list[tuple[AnyType, Slot, str]]) -> str:
        tests = [
            f"if view.has_{slot.name}() {{ let v = view.{slot.name}(); {arm} }}" for _, slot, arm in arms
        ]
        return " else ".join([*tests, f'{{ return Err("{table}: no alternative is set".into()) }}'])

    def item(self, kind: AnyType) -> str:  # noqa: ARG002
        return "v"

    def entries(self, body: str) -> str:
        # A map has no order here; the checksum needs the order of the keys.
        sort = "pairs.sort_unstable_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));"
        return f"let mut pairs: ::std::vec::Vec<_> = all.iter().collect(); {sort} for (k, v) in pairs {{ {body} }}"

    def fold(self, kind: AnyType, value: str) -> str:
        if not isinstance(kind, Map) or not kind.keys:
            return super().fold(kind, value)
        body = f"sum.bytes(k.as_bytes()); {self.fold_item(kind.values)}"
        return f"{{ let all = {value}; sum.word(all.len() as u64); {_keyed(body)} }}"

    def convert(self, kind: AnyType, value: str) -> str:
        if not isinstance(kind, Map) or not kind.keys:
            return super().convert(kind, value)
        body = f"let value = {self.convert_item(kind.values)}; map.insert(k, value);"
        return f"{{ let all = {value}; let mut map = {MAP}::new(); {_keyed(body)} map }}"

    def fold_entry(self, values: AnyType) -> str:
        return self.fold_item(values)

    def convert_entry(self, values: AnyType) -> str:
        return self.convert_item(values)


def _keyed(body: str) -> str:
    """The statements that run `body` for each entry of `all` in the order of the texts of its keys."""
    pairs = "let mut pairs: ::std::vec::Vec<_> = all.iter().map(|(k, v)| (k.to_string(), v)).collect();"
    return f"{pairs} pairs.sort_unstable_by(|a, b| a.0.cmp(&b.0)); for (k, v) in pairs {{ {body} }}"


def _plain(kind: AnyType, native: str) -> str:
    if isinstance(kind, Text):
        return text(kind, native)
    return f"&{native}.0[..]" if isinstance(kind, Base64) else scalar(held(kind, False, "")[0], native)


def _borrowed(native: str) -> str:
    return f"&{native}" if "." in native else native
