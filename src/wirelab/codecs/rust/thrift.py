"""Thrift: conversion between native objects and the structs of the official compiler."""

from __future__ import annotations

from wirelab.codecs.positional_names import numbered
from wirelab.codecs.rust.field_paths import CLOSURE, COLLECT
from wirelab.codecs.rust.model import RUNTIME, number, of_text, own_text, wrapped
from wirelab.codecs.rust.owned_types import Owned
from wirelab.model.schema import Any, AnyType, Base64, Decimal, Float, Int, Map, Ref, Schema, Text, Timestamp
from wirelab.schema.emitters import thrift
from wirelab.schema.emitters.common import Table, fits_int32, width

TABLES = "structs"


def schema_text(schema: Schema) -> str:
    """The .thrift file to compile."""
    return thrift.emit(numbered(schema))


def module(schema: Schema) -> str:
    """The module: `populate`, `fold` and `convert` between `model::Message` and a message's struct."""
    return _Thrift(schema, thrift.tables(numbered(schema))).module()


class _Thrift(Owned):
    def struct(self, table: str) -> str:
        return f"{TABLES}::{table}"

    def functions(self, table: Table) -> str:
        self.current = table.name
        return super().functions(table)

    def has_box(self, kind: Ref) -> bool:
        """The compiler boxes whatever it has not yet read to its end."""
        order = [table.name for table in self.plan.tables]
        return order.index(kind.name) >= order.index(self.current)

    def give(self, kind: AnyType, native: str) -> str:
        if isinstance(kind, Int):
            wide = "i32" if fits_int32(kind) else "i64"
            value = number(kind, native)
            return value if width(kind) == wide else f"{value} as {wide}"
        if isinstance(kind, Float):
            return f"::thrift::OrderedFloat(f64::from({number(kind, native)}))"
        if isinstance(kind, Timestamp):
            return f"{native}.nanos()"
        if isinstance(kind, Text):
            return own_text(kind, native)
        return f"{native}.0.clone()" if isinstance(kind, Base64) else f"{native}.clone()"

    def take(self, kind: AnyType, value: str) -> str:
        if isinstance(kind, Int):
            wide = "i32" if fits_int32(kind) else "i64"
            taken = value if width(kind) == wide else f"({value} as {width(kind)})"
            return wrapped(kind, taken)
        if isinstance(kind, Float):
            return wrapped(kind, f"{value}.0" if kind.bits == 64 else f"({value}.0 as f32)")
        if isinstance(kind, Timestamp):
            return f"{RUNTIME}::Timestamp::from_nanos({value})"
        if isinstance(kind, Any | Decimal):
            return of_text(kind, f"&{value}")
        return f"{RUNTIME}::Base64({value})" if isinstance(kind, Base64) else value

    def give_map(self, kind: Map, native: str) -> str:
        item = self.give_item(kind.values, "v")
        return f"{native}.iter().map(|(k, v)| {CLOSURE} {{ Ok((k.clone(), {item})) }}).{COLLECT}"

    def take_map(self, kind: Map, value: str) -> str:
        item = self.take_item(kind.values, "v")
        many = f"{value}.into_iter().map(|(k, v)| {CLOSURE} {{ Ok((k, {item})) }}).{COLLECT}"
        return value if item == "v" else many

    def fold_map(self, kind: Map, value: str) -> str:
        item = self.fold_item(kind.values)
        body = f"sum.bytes(k.as_bytes()); {item}"
        return f"sum.word({value}.len() as u64); for (k, v) in {value}.iter() {{ {body} }}"
