"""Generates the conversion from FlatBuffers to native objects and checksums."""

from __future__ import annotations

from wirelab.codecs.java.flatbuffers_build import FB, FlatBuffersConverter
from wirelab.codecs.java.model import fold_scalar
from wirelab.codecs.java.names import capital, native
from wirelab.codecs.java.table_conversion import TableReader
from wirelab.codecs.positional_names import is_above_i64
from wirelab.model.schema import (
    Any,
    AnyType,
    Base64,
    Decimal,
    Int,
    List,
    Map,
    Ref,
    Timestamp,
)
from wirelab.schema.emitters import flatbuffers as fbs
from wirelab.schema.emitters.common import Slot, Table, canonical, plain


class FlatBuffersReader(FlatBuffersConverter, TableReader):
    """Generates the methods that convert tables to native objects and add them to a checksum."""

    def parameter(self, table: Table) -> str:
        return f"{FB}.{table.name} t"

    def take_slot(self, kind: AnyType, optional: bool, slot: Slot, table: str = "t") -> str:
        inner = plain(kind)
        value = self.convert(inner, slot, table)
        if not (optional or kind.nullable):
            return value
        return f"({presence_of(inner, slot, table)} ? ({self.value_type(inner)}) {value} : {self.absent})"

    def convert(self, kind: AnyType, slot: Slot, table: str) -> str:
        """The native value of a slot that is present."""
        place = f"{table}.{slot.name}"
        if isinstance(kind, Base64):
            return f"Buffers.copyBytes({place}AsByteBuffer())"
        if isinstance(kind, Ref):
            return f"convert{kind.name}({place}())"
        if isinstance(kind, List | Map):
            owner = self.owner(slot)
            name = self.methods.named(
                "convert",
                (kind, owner, slot.name),
                lambda name: self.convert_collection(name, kind, slot, owner),
            )
            return f"{name}({table})"
        return self.from_scalar(kind, f"{place}()")

    def owner(self, slot: Slot) -> str:
        """The table that this slot belongs to."""
        return next(table.name for table in self.plan.tables if any(one is slot for one in table.slots))

    def convert_collection(self, name: str, kind: List | Map, slot: Slot, owner: str) -> str:
        made = native(kind)
        if isinstance(kind, Map):
            table = self.tables[self.plan.entries[canonical(kind.values)]]
            value = self.take_slot(kind.values, False, table.slots[1], "e")
            body = f"{FB}.{table.name} e = t.{slot.name}(i); all.put(e.key(), {value});"
            new = f"new {made}()"
        else:
            body, new = (
                f"all.add({self.convert_item(kind.items, f't.{slot.name}(i)')});",
                "new ArrayList<>(n)",
            )
        return f"""    private static {made} {name}({FB}.{owner} t) {{
        int n = t.{slot.name}Length();
        {made} all = {new};
        for (int i = 0; i < n; i++) {{ {body} }}
        return all;
    }}
"""

    def convert_item(self, kind: AnyType, value: str) -> str:
        wrapper = self.wrapper(kind)
        if wrapper:
            return f"{self.unwrap(kind, wrapper)}({value})"
        return f"convert{kind.name}({value})" if isinstance(kind, Ref) else self.from_scalar(kind, value)

    def from_scalar(self, kind: AnyType, value: str) -> str:
        """The native value for a scalar that the library returns."""
        if isinstance(kind, Timestamp):
            return f"Timestamp.ofNanos({value})"
        if isinstance(kind, Any | Decimal):
            return f"{native(kind)}.parse({value})"
        if isinstance(kind, Int) and is_above_i64(kind):
            return f"new Unsigned({value})"
        return f"(int) {value}" if isinstance(kind, Int) and native(kind) == "int" else value

    def fold_slot(self, kind: AnyType, optional: bool, slot: Slot, table: str = "t") -> str:
        inner = plain(kind)
        read = self.fold(inner, slot, table)
        if not (optional or kind.nullable):
            return read
        present = "" if isinstance(inner, List | Map) else "sum.addPresent(); "
        return f"if ({presence_of(inner, slot, table)}) {{ {present}{read} }} else {{ sum.addAbsent(); }}"

    def fold(self, kind: AnyType, slot: Slot, table: str) -> str:
        place = f"{table}.{slot.name}"
        if isinstance(kind, Base64):
            return f"sum.addBytes(Buffers.copyBytes({place}AsByteBuffer()));"
        if isinstance(kind, Ref):
            return f"fold{kind.name}({place}(), sum);"
        if isinstance(kind, List | Map):
            owner = self.owner(slot)
            name = self.methods.named(
                "fold", (kind, owner, slot.name), lambda name: self.fold_collection(name, kind, slot, owner)
            )
            return f"{name}({table}, sum);"
        return fold_scalar(kind, f"{place}()")

    def fold_collection(self, name: str, kind: List | Map, slot: Slot, owner: str) -> str:
        if isinstance(kind, Map):
            table = self.tables[self.plan.entries[canonical(kind.values)]]
            read = self.fold_slot(kind.values, False, table.slots[1], "e")
            body = f"{FB}.{table.name} e = t.{slot.name}(i); sum.addText(e.key()); {read}"
        else:
            body = self.fold_item(kind.items, f"t.{slot.name}(i)")
        return f"""    private static void {name}({FB}.{owner} t, Checksum sum) {{
        int n = t.{slot.name}Length();
        sum.addWord(n);
        for (int i = 0; i < n; i++) {{ {body} }}
    }}
"""

    def fold_item(self, kind: AnyType, value: str) -> str:
        wrapper = self.wrapper(kind)
        if wrapper:
            return f"{self.fold_wrapper(kind, wrapper)}({value}, sum);"
        return f"fold{kind.name}({value}, sum);" if isinstance(kind, Ref) else fold_scalar(kind, value)


def presence_of(kind: AnyType, slot: Slot, table: str) -> str:
    """An expression for whether an optional slot is present."""
    if fbs.is_inline(kind):
        return f"{table}.has{capital(slot.name)}()"
    if isinstance(kind, Base64):
        return f"{table}.{slot.name}AsByteBuffer() != null"
    return f"{table}.{slot.name}{'Vector' if isinstance(kind, List | Map) else ''}() != null"
