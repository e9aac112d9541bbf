"""Generates the conversion from Cap'n Proto readers to native objects and checksums."""

from __future__ import annotations

from wirelab.codecs.java.capnp_fill import CapnpConverter, is_union
from wirelab.codecs.java.capnp_types import STRUCTS, reader
from wirelab.codecs.java.model import fold_scalar
from wirelab.codecs.java.names import boxed, capital, native
from wirelab.codecs.java.table_conversion import TableReader
from wirelab.codecs.positional_names import is_above_i64
from wirelab.model.schema import (
    AnyType,
    Base64,
    Int,
    List,
    Map,
    Ref,
    String,
    Text,
    Timestamp,
)
from wirelab.schema.emitters.common import Slot, Table, canonical, plain, width


class CapnpReader(CapnpConverter, TableReader):
    """Generates the methods that convert readers to native objects and add them to a checksum."""

    def parameter(self, table: Table) -> str:
        return f"{STRUCTS}.{table.name}.Reader r"

    def take_slot(self, kind: AnyType, optional: bool, slot: Slot, reader: str = "r") -> str:
        inner, (present, got) = plain(kind), _access(slot, reader)
        value = self.convert(inner, slot.type, got)
        if not (optional or kind.nullable):
            return value
        return f"({present} ? ({boxed(native(inner))}) {value} : null)"

    def convert(self, kind: AnyType, slot: AnyType, value: str) -> str:
        if isinstance(kind, Ref):
            return f"convert{kind.name}({value})"
        if isinstance(kind, List | Map):
            name = self.methods.named(
                "convert", (kind, slot), lambda name: self.convert_collection(name, kind, slot)
            )
            return f"{name}({value})"
        return _to_native(kind, value)

    def convert_collection(self, name: str, kind: List | Map, slot: AnyType) -> str:
        made = native(kind)
        if isinstance(kind, Map):
            table = self.tables[self.plan.entries[canonical(kind.values)]]
            value = self.take_slot(kind.values, False, table.slots[1], "e")
            body = f"{STRUCTS}.{table.name}.Reader e = from.get(i); all.put(e.getKey().toString(), {value});"
            new = f"new {made}()"
        else:
            assert isinstance(slot, List)
            wrapper = self.wrapper(kind.items)
            item = "from.get(i)"
            item = (
                f"{self.unwrap(kind.items, wrapper)}({item})"
                if wrapper
                else self.convert(kind.items, slot.items, item)
            )
            body, new = f"all.add({item});", "new ArrayList<>(n)"
        return f"""    private static {made} {name}({reader(slot)} from) {{
        int n = from.size();
        {made} all = {new};
        for (int i = 0; i < n; i++) {{ {body} }}
        return all;
    }}
"""

    def fold_slot(self, kind: AnyType, optional: bool, slot: Slot, reader: str = "r") -> str:
        inner, (present, got) = plain(kind), _access(slot, reader)
        read = self.fold(inner, slot.type, got)
        if not (optional or kind.nullable):
            return read
        mark = "" if isinstance(inner, List | Map) else "sum.addPresent(); "
        return f"if ({present}) {{ {mark}{read} }} else {{ sum.addAbsent(); }}"

    def fold(self, kind: AnyType, slot: AnyType, value: str) -> str:
        if isinstance(kind, Ref):
            return f"fold{kind.name}({value}, sum);"
        if isinstance(kind, List | Map):
            name = self.methods.named(
                "fold", (kind, slot), lambda name: self.fold_collection(name, kind, slot)
            )
            return f"{name}({value}, sum);"
        if isinstance(kind, Int):
            is_unsigned = width(kind) == "u32"
            return f"sum.addWord({f'Integer.toUnsignedLong({value})' if is_unsigned else value});"
        if isinstance(kind, Text):
            return fold_scalar(kind, f"{value}.toString()")
        return fold_scalar(kind, value if isinstance(kind, Timestamp) else _to_native(kind, value))

    def fold_collection(self, name: str, kind: List | Map, slot: AnyType) -> str:
        if isinstance(kind, Map):
            table = self.tables[self.plan.entries[canonical(kind.values)]]
            read = self.fold_slot(kind.values, False, table.slots[1], "e")
            body = (
                f"{STRUCTS}.{table.name}.Reader e = from.get(i); sum.addText(e.getKey().toString()); {read}"
            )
        else:
            assert isinstance(slot, List)
            wrapper = self.wrapper(kind.items)
            body = (
                f"{self.fold_wrapper(kind.items, wrapper)}(from.get(i), sum);"
                if wrapper
                else self.fold(kind.items, slot.items, "from.get(i)")
            )
        return f"""    private static void {name}({reader(slot)} from, Checksum sum) {{
        int n = from.size();
        sum.addWord(n);
        for (int i = 0; i < n; i++) {{ {body} }}
    }}
"""


def _access(slot: Slot, reader: str) -> tuple[str, str]:
    """The expressions for whether a slot has a value, and for the value."""
    name = capital(slot.name)
    if is_union(slot):
        return f"{reader}.get{name}().isValue()", f"{reader}.get{name}().getValue()"
    return f"{reader}.has{name}()", f"{reader}.get{name}()"


def _to_native(kind: AnyType, value: str) -> str:
    """The library's scalar as a native value."""
    if isinstance(kind, Text):
        text = f"{value}.toString()"
        return text if isinstance(kind, String) else f"{native(kind)}.parse({text})"
    if isinstance(kind, Base64):
        return f"{value}.toArray()"
    if isinstance(kind, Timestamp):
        return f"Timestamp.ofNanos({value})"
    if isinstance(kind, Int):
        if is_above_i64(kind):
            return f"new Unsigned({value})"
        return (
            f"Integer.toUnsignedLong({value})" if width(kind) == "u32" and native(kind) == "long" else value
        )
    return value
