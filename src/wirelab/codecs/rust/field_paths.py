"""The common part of conversions between native objects and code of official compilers.

Compilers get numbered names (T0, f0 ...); native objects keep theirs. These formats encode no
names.
"""

from __future__ import annotations

from msgspec.structs import replace

from wirelab.codecs.positional_names import numbered
from wirelab.codecs.rust.mixed_types import variant
from wirelab.codecs.rust.model import DERIVED_FIELDS, RUNTIME, path
from wirelab.codecs.rust.names import identifier
from wirelab.model.schema import AnyType, Field, List, Map, Record, Ref, Schema
from wirelab.schema.emitters.common import Layout, Slot, Table, canonical, plain

RESULT = "::core::result::Result"
FAILURE = f"{RUNTIME}::Failure"
NATIVE = "super::model"
SUM = f"sum: &mut {RUNTIME}::Checksum"
CLOSURE = f"-> {RESULT}<_, {FAILURE}>"
COLLECT = f"collect::<{RESULT}<_, {FAILURE}>>()?"


class Places:
    """A schema, its copy with numbered names, the tables for the compiler and the native types."""

    def __init__(self, schema: Schema, plan: Layout) -> None:
        self.schema, self.renamed, self.plan = schema, numbered(schema), plan
        self.twins = {new.name: old for old, new in zip(schema.records, self.renamed.records, strict=True)}
        self.kinds = {name: kind for kind, name in (*plan.wrappers.items(), *plan.boxes.items())}

    def root(self) -> Table:
        """The table of a message."""
        return next(table for table in self.plan.tables if table.name == self.plan.root)

    def kind(self, table: Table) -> AnyType:
        """The type of the only field of a root or wrapper."""
        return self.renamed.root if table.role == "root" else self.kinds[table.name]

    def native(self, kind: AnyType) -> str:
        """The native Rust type for a numbered type."""
        return path(self._original(kind), f"{NATIVE}::")

    def native_of(self, table: Table) -> str:
        """The native Rust type for a table."""
        if table.role in ("record", "union"):
            return f"{NATIVE}::{identifier(self.twins[table.name].name)}"
        return self.native(self.kind(table))

    def wrapper(self, kind: AnyType) -> str | None:
        """The wrapper table of a list's item or a map's value, if it has one."""
        return self.plan.wrappers.get(canonical(kind))

    def fields(self, table: Table) -> list[tuple[Field, Slot, str]]:
        """A record's numbered fields, their slots, and the names of the native fields."""
        record: Record = self.renamed.record(table.name)
        names = [identifier(field.name) for field in self.twins[table.name].fields]
        return list(zip(record.fields, table.slots, names, strict=True))

    def alternatives(self, table: Table) -> list[tuple[AnyType, Slot, str, str]]:
        """A union's numbered types, their slots, the native variants, and the word with which a
        checksum begins.
        """
        native = self.native_of(table)
        variants = [f"{native}::{variant(field)}" for field in self.twins[table.name].fields]
        kinds = [field.type for field in self.renamed.record(table.name).fields]
        words = [f"sum.word({index}); " for index in range(len(kinds))]
        return list(zip(kinds, table.slots, variants, words, strict=True))

    def literal(self, table: Table, values: list[tuple[str, str]]) -> str:
        """The body that returns a native record. Very wide records are filled in place."""
        native = self.native_of(table)
        if len(values) > DERIVED_FIELDS:
            taken = "".join(f"    out.{name} = {value};\n" for name, value in values)
            return f"    let mut out = {native}::default();\n{taken}    Ok(out)"
        taken = "".join(f"        {name}: {value},\n" for name, value in values)
        return f"    Ok({native} {{\n{taken}    }})"

    def _original(self, kind: AnyType) -> AnyType:
        if isinstance(kind, List):
            return replace(kind, items=self._original(kind.items))
        if isinstance(kind, Map):
            return replace(kind, values=self._original(kind.values))
        return replace(kind, name=self.twins[kind.name].name) if isinstance(kind, Ref) else kind


def held(kind: AnyType, optional: bool, native: str) -> tuple[AnyType, int, str]:
    """A native place without its Options: inner type, number of Options, place as one Option."""
    depth = int(optional) + int(kind.nullable)
    maybe = f"{native}.as_ref()" + (".and_then(|v| v.as_ref())" if depth == 2 else "")
    return plain(kind), depth, maybe


def some(value: str, depth: int) -> str:
    """A value wrapped in `depth` Options."""
    return "Some(" * depth + value + ")" * depth


def folded(kind: AnyType, option: str, fold: str) -> str:
    """The statement that reads an Option into `sum`, as `Fold` does: no mark before a list or map."""
    mark = "" if isinstance(kind, List | Map) else "sum.word(1); "
    return f"match {option} {{ Some(v) => {{ {mark}{fold} }} None => sum.missing() }}"
