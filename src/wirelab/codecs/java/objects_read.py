"""From a library's objects to native ones, and reading all of them."""

from __future__ import annotations

from wirelab.codecs.java.glue import Reading
from wirelab.codecs.java.model import fold_scalar
from wirelab.codecs.java.names import boxed, native
from wirelab.codecs.java.objects_populate import Glue, as_box, cast, inner_of
from wirelab.codecs.positional_names import is_above_i64
from wirelab.model.schema import (
    AnyType,
    Base64,
    Int,
    List,
    Map,
    Ref,
    Timestamp,
)
from wirelab.schema.emitters.common import Slot, Table, plain


class Read(Glue, Reading):
    """From the library's objects to native ones, and reading all of them."""

    def given(self, table: Table) -> str:
        return f"{self.dialect.package}.{table.name} o"

    def take_slot(self, kind: AnyType, optional: bool, slot: Slot) -> str:
        inner = plain(kind)
        value = self.convert(inner, slot.type, self.dialect.get(slot))
        if not (optional or kind.nullable):
            return value
        return f"({self.is_there(inner, slot)} ? {as_box(inner, value)} : null)"

    def is_there(self, kind: AnyType, slot: Slot) -> str:
        if isinstance(kind, List | Map) and not self.dialect.tells_empty:
            return f"!{self.dialect.get(slot)}.isEmpty()"
        return self.dialect.has(slot)

    def fold_slot(self, kind: AnyType, optional: bool, slot: Slot) -> str:
        inner = plain(kind)
        read = self.fold(inner, slot.type, self.dialect.get(slot))
        many = isinstance(inner, List | Map)
        if not (optional or kind.nullable) or (many and not self.dialect.tells_empty):
            return read
        present = "" if many else "sum.present(); "
        return f"if ({self.dialect.has(slot)}) {{ {present}{read} }} else {{ sum.missing(); }}"

    def convert(self, kind: AnyType, slot: AnyType, value: str) -> str:
        """The native value of a library's one that is there."""
        if isinstance(kind, Ref):
            return f"convert{kind.name}({value})"
        if isinstance(kind, List | Map):
            item = self.convert_element(inner_of(kind), inner_of(slot), "v")
            if item == "v" and self.dialect.shares_lists and isinstance(kind, List):
                return value
            name = self.methods.named(
                "convert",
                (kind, slot),
                lambda name: self.many(name, kind, self.dialect.java(slot), native(kind), item),
            )
            return f"{name}({value})"
        return self.scalar_out(kind, slot, value)

    def fold(self, kind: AnyType, slot: AnyType, value: str) -> str:
        """A statement that reads a library's value that is there."""
        if isinstance(kind, Ref):
            return f"fold{kind.name}({value}, sum);"
        if isinstance(kind, List | Map):
            item = self.fold_element(inner_of(kind), inner_of(slot), "v")
            name = self.methods.named(
                "fold", (kind, slot), lambda name: self.fold_many(name, kind, slot, item)
            )
            return f"{name}({value}, sum);"
        if isinstance(kind, Base64):
            return fold_scalar(kind, self.dialect.from_octets(value))
        unsigned = isinstance(kind, Int) and isinstance(slot, Int) and self.dialect.is_unsigned(slot)
        return fold_scalar(kind, f"Integer.toUnsignedLong({value})" if unsigned else value)

    def fold_many(self, name: str, kind: List | Map, slot: AnyType, item: str) -> str:
        inner = boxed(self.dialect.java(inner_of(slot)))
        loop = f"for ({inner} v : all) {{"
        if isinstance(kind, Map):
            loop = f"for (Map.Entry<String, {inner}> e : Sorted.of(all).entrySet()) {{ sum.text(e.getKey()); {inner} v = e.getValue();"
        return f"""    private static void {name}({self.dialect.java(slot)} all, Sum sum) {{
        sum.word(all.size());
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
        present = "" if isinstance(kind, List | Map) else "sum.present(); "
        return f"if ({value} == null) {{ sum.missing(); }} else {{ {present}{read} }}"

    def scalar_out(self, kind: AnyType, slot: AnyType, value: str) -> str:
        if isinstance(kind, Base64):
            return self.dialect.from_octets(value)
        if isinstance(kind, Timestamp):
            return f"Timestamp.ofNanos({value})"
        if isinstance(kind, Int) and is_above_i64(kind):
            return f"new Unsigned({value})"
        if isinstance(slot, Int) and native(kind) == "long" and self.dialect.is_unsigned(slot):
            return f"Integer.toUnsignedLong({value})"
        return cast(value, self.dialect.java(slot), native(kind))
