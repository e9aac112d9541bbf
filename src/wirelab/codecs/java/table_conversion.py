"""The common part of all generated converters: the format's tables, and methods to read them."""

from __future__ import annotations

from abc import ABC, abstractmethod

from wirelab.codecs.java.names import Methods, boxed, native
from wirelab.model.schema import AnyType, Field, Ref, Schema
from wirelab.schema.emitters.common import Layout, Slot, Table, canonical


class TableConverter:
    """The common part of both directions."""

    def __init__(self, schema: Schema, plan: Layout) -> None:
        self.schema, self.plan, self.methods = schema, plan, Methods()
        self.tables = {table.name: table for table in plan.tables}

    def value_type(self, kind: AnyType) -> str:
        """The Java type of an optional value."""
        return boxed(native(kind))

    def wrapper(self, kind: AnyType) -> Table | None:
        """The table for a type that the format supports only inside a table."""
        table = self.tables.get(self.plan.wrappers.get(canonical(kind), ""))
        return None if table is None or table.role == "instant" else table

    def box(self, kind: AnyType, slot: AnyType) -> Table | None:
        """The table that holds an alternative of a union where the format does not take it itself."""
        if not isinstance(slot, Ref) or isinstance(kind, Ref):
            return None
        table = self.tables[slot.name]
        return None if table.role == "instant" else table


class TableReader(TableConverter, ABC):
    """Generates methods that convert tables to native objects and add them to a checksum.

    A subclass for other objects overrides `value_type`.
    """

    # The expression for an absent value.
    absent = "null"

    @abstractmethod
    def parameter(self, table: Table) -> str:
        """The parameter declaration of a method that reads a table."""

    @abstractmethod
    def take_slot(self, kind: AnyType, optional: bool, slot: Slot) -> str:
        """The native value of a slot of that parameter; null if it is absent."""

    @abstractmethod
    def fold_slot(self, kind: AnyType, optional: bool, slot: Slot) -> str:
        """A statement that adds a slot of that parameter to the checksum."""

    def take_field(self, field: Field, slot: Slot) -> str:
        """A statement that sets a field of `m`."""
        value = self.take_slot(field.type, field.optional, slot)
        both = field.optional and field.type.nullable
        return f"m.{field.name} = {f'Buffers.toOptional({value})' if both else value};"

    def unwrap(self, kind: AnyType, table: Table) -> str:
        """The method from a wrapper to the native value."""
        value = self.take_slot(kind, False, table.slots[0])
        return self.methods.named(
            "unwrap",
            (kind, table.name),
            lambda name: (
                f"""    private static {self.value_type(kind)} {name}({self.parameter(table)}) {{
        return {value};
    }}
"""
            ),
        )

    def fold_wrapper(self, kind: AnyType, table: Table) -> str:
        """The method that adds a wrapper to the checksum."""
        read = self.fold_slot(kind, False, table.slots[0])
        return self.methods.named(
            "foldWrapper",
            (kind, table.name),
            lambda name: (
                f"""    private static void {name}({self.parameter(table)}, Checksum sum) {{
        {read}
    }}
"""
            ),
        )
