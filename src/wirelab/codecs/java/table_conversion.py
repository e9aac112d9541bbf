"""What the converter to every library's objects shares: its tables, and methods that read a whole table."""

from __future__ import annotations

from abc import ABC, abstractmethod

from wirelab.codecs.java.names import Methods, boxed, native
from wirelab.model.schema import AnyType, Field, Schema
from wirelab.schema.emitters.common import Layout, Slot, Table, canonical


class TableConverter:
    """What all directions share."""

    def __init__(self, schema: Schema, plan: Layout) -> None:
        self.schema, self.plan, self.methods = schema, plan, Methods()
        self.tables = {table.name: table for table in plan.tables}

    def value_type(self, kind: AnyType) -> str:
        """The Java type of a value that may be missing."""
        return boxed(native(kind))

    def wrapper(self, kind: AnyType) -> Table | None:
        """The table made for a type that the format has only inside one."""
        return self.tables.get(self.plan.wrappers.get(canonical(kind), ""))


class TableReader(TableConverter, ABC):
    """From a library's tables to native objects, or to what `value_type` says, and reading all of them."""

    # What stands for a value that is not there.
    absent = "null"

    @abstractmethod
    def parameter(self, table: Table) -> str:
        """The parameter of a method that reads a table."""

    @abstractmethod
    def take_slot(self, kind: AnyType, optional: bool, slot: Slot) -> str:
        """The native value of a slot of that parameter, null where there is none."""

    @abstractmethod
    def fold_slot(self, kind: AnyType, optional: bool, slot: Slot) -> str:
        """A statement that reads a slot of that parameter."""

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
        """The method that reads a wrapper."""
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
