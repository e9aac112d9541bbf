"""Generates the conversion from a library's objects to native objects and checksums."""

from __future__ import annotations

from wirelab.codecs.java.model import fold_scalar
from wirelab.codecs.java.names import boxed, native
from wirelab.codecs.java.objects_populate import ObjectConverter, as_box, cast, inner_of, instant_out
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
from wirelab.schema.emitters.common import Slot, Table, plain


class ObjectReader(ObjectConverter, TableReader):
    """Generates the methods that convert the library's objects and add them to a checksum."""

    def parameter(self, table: Table) -> str:
        return f"{self.library.package}.{table.name} o"

    def take_slot(self, kind: AnyType, optional: bool, slot: Slot) -> str:
        inner = plain(kind)
        value = self.convert(inner, slot.type, self.library.get(slot))
        if not (optional or kind.nullable):
            return value
        return f"({self.is_there(inner, slot)} ? {as_box(inner, value)} : null)"

    def is_there(self, kind: AnyType, slot: Slot) -> str:
        if isinstance(kind, List | Map) and not self.library.distinguishes_empty:
            return f"!{self.library.get(slot)}.isEmpty()"
        return self.library.has(slot)

    def fold_slot(self, kind: AnyType, optional: bool, slot: Slot) -> str:
        inner = plain(kind)
        read = self.fold(inner, slot.type, self.library.get(slot))
        many = isinstance(inner, List | Map)
        if not (optional or kind.nullable) or (many and not self.library.distinguishes_empty):
            return read
        present = "" if many else "sum.addPresent(); "
        return f"if ({self.library.has(slot)}) {{ {present}{read} }} else {{ sum.addAbsent(); }}"

    def convert(self, kind: AnyType, slot: AnyType, value: str) -> str:
        """The native value for a library's value that is present."""
        if isinstance(kind, Ref):
            return f"convert{kind.name}({value})"
        if isinstance(kind, List | Map):
            item = self.convert_element(inner_of(kind), inner_of(slot), "v")
            if item == "v" and self.library.shares_lists and isinstance(kind, List):
                return value
            name = self.methods.named(
                "convert",
                (kind, slot),
                lambda name: self.convert_collection(name, kind, self.library.java(slot), native(kind), item),
            )
            return f"{name}({value})"
        return self.scalar_out(kind, slot, value)

    def fold(self, kind: AnyType, slot: AnyType, value: str) -> str:
        """A statement that adds a library's value that is present to the checksum."""
        if isinstance(kind, Ref):
            return f"fold{kind.name}({value}, sum);"
        if isinstance(kind, List | Map):
            item = self.fold_element(inner_of(kind), inner_of(slot), "v")
            name = self.methods.named(
                "fold", (kind, slot), lambda name: self.fold_collection(name, kind, slot, item)
            )
            return f"{name}({value}, sum);"
        if isinstance(kind, Base64):
            return fold_scalar(kind, self.library.from_octets(value))
        if isinstance(kind, Timestamp):
            return fold_scalar(kind, instant_out(slot, value))
        unsigned = isinstance(kind, Int) and isinstance(slot, Int) and self.library.is_unsigned(slot)
        return fold_scalar(kind, f"Integer.toUnsignedLong({value})" if unsigned else value)

    def fold_collection(self, name: str, kind: List | Map, slot: AnyType, item: str) -> str:
        inner = boxed(self.library.java(inner_of(slot)))
        loop = f"for ({inner} v : all) {{"
        if isinstance(kind, Map):
            loop = f"for (Map.Entry<String, {inner}> e : SortedKeys.of(all).entrySet()) {{ sum.addText(e.getKey()); {inner} v = e.getValue();"
        return f"""    private static void {name}({self.library.java(slot)} all, Checksum sum) {{
        sum.addWord(all.size());
        {loop} {item} }}
    }}
"""

    def convert_element(self, kind: AnyType, slot: AnyType, value: str) -> str:
        wrapper = self.wrapper(kind)
        if wrapper:
            return f"{self.unwrap(kind, wrapper)}({value})"
        made = self.convert(plain(kind), slot, value)
        return f"({value} == null ? null : {as_box(kind, made)})" if kind.nullable and made != value else made

    def fold_element(self, kind: AnyType, slot: AnyType, value: str) -> str:
        wrapper = self.wrapper(kind)
        if wrapper:
            return f"{self.fold_wrapper(kind, wrapper)}({value}, sum);"
        read = self.fold(plain(kind), slot, value)
        if not kind.nullable:
            return read
        present = "" if isinstance(kind, List | Map) else "sum.addPresent(); "
        return f"if ({value} == null) {{ sum.addAbsent(); }} else {{ {present}{read} }}"

    def scalar_out(self, kind: AnyType, slot: AnyType, value: str) -> str:
        if isinstance(kind, Base64):
            return self.library.from_octets(value)
        if isinstance(kind, Timestamp):
            return f"Timestamp.ofNanos({instant_out(slot, value)})"
        if isinstance(kind, Int) and is_above_i64(kind):
            return f"new Unsigned({value})"
        if isinstance(kind, Any | Decimal):
            return f"{native(kind)}.parse({value})"
        if isinstance(slot, Int) and native(kind) == "long" and self.library.is_unsigned(slot):
            return f"Integer.toUnsignedLong({value})"
        return cast(value, self.library.java(slot), native(kind))
