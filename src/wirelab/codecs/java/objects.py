"""Generates the converter between native objects and a library's own (Protobuf, Thrift, Avro)."""

from __future__ import annotations

from wirelab.codecs.java import unions
from wirelab.codecs.java.model import IMPORTS, fold_alternative
from wirelab.codecs.java.names import MODEL, boxed, native
from wirelab.codecs.java.objects_populate import ObjectPopulator
from wirelab.codecs.java.objects_read import ObjectReader
from wirelab.model.schema import (
    AnyType,
    Record,
    Ref,
)
from wirelab.schema.emitters.common import Slot


class Objects(ObjectPopulator, ObjectReader):
    """Generates the class `Converter` of a library: `populate`, `convert` and `fold`."""

    @property
    def root(self) -> str:
        """The library's type for one message."""
        return boxed(self.library.java(self.root_slot))

    @property
    def root_slot(self) -> AnyType:
        """The root's type in the library: a table, or the type itself if there is no table."""
        return Ref(name=self.plan.root) if self.plan.root else self.schema.root

    def write_class(self) -> str:
        """The source of the class."""
        message = boxed(native(self.schema.root))
        table = self.tables.get(self.plan.root)
        kind, slot = self.schema.root, self.root_slot
        if table is not None and table.role == "root":
            given, taken = f"{self.wrap(kind, table)}(m)", f"{self.unwrap(kind, table)}(o)"
            read = f"{self.fold_wrapper(kind, table)}(o, sum);"
        else:
            given = self.populate_element(kind, slot, "m")
            taken = self.convert_element(kind, slot, "o")
            read = self.fold_element(kind, slot, "o")
        records = "".join(map(self.record, self.schema.records))
        return f"""package {self.library.package};

{IMPORTS}
public final class Converter {{
    public static {self.root} populate({message} m) {{
        return {given};
    }}
    public static {message} convert({self.root} o) {{
        return {taken};
    }}
    public static void fold({self.root} o, Checksum sum) {{
        {read}
    }}
{records}{self.methods.text}}}
"""

    def record(self, record: Record) -> str:
        if record.shape == "union":
            return self.union(record)
        slots = self.tables[record.name].slots if self.tables else _slots(record)
        java, mine = f"{self.library.package}.{record.name}", f"{MODEL}.{record.name}"
        pairs = list(zip(record.fields, slots, strict=True))
        sets = [self.set_field(field, slot) for field, slot in pairs]
        takes = "".join(f"        {self.take_field(field, slot)}\n" for field, slot in pairs)
        folds = "".join(
            f"        {self.fold_slot(field.type, field.optional, slot)}\n" for field, slot in pairs
        )
        return f"""
    private static {java} populate{record.name}({mine} m) {{
        {self.library.create(record.name, sets)}
    }}
    private static {mine} convert{record.name}({java} o) {{
        {mine} m = new {mine}();
{takes}        return m;
    }}
    private static void fold{record.name}({java} o, Checksum sum) {{
{folds}    }}
"""

    def union(self, record: Record) -> str:
        slots = self.tables[record.name].slots if self.tables else _slots(record)
        java, mine = self.library.java(Ref(name=record.name)), f"{MODEL}.{record.name}"
        pairs = list(zip(record.fields, slots, strict=True))
        gives = [
            self.library.create_alternative(record.name, slot, self.give_alternative(field.type, slot.type))
            for field, slot in pairs
        ]
        takes = [
            f"return new {unions.alternative(record, field)}({self.take_alternative(field.type, slot)});"
            for field, slot in pairs
        ]
        folds = [
            fold_alternative(index, self.read_alternative(field.type, slot))
            for index, (field, slot) in enumerate(pairs)
        ]
        return f"""
    private static {java} populate{record.name}({mine} m) {{
{unions.switch(record, "m", gives)}    }}
    private static {mine} convert{record.name}({java} o) {{
{self.library.choose(slots, takes)}    }}
    private static void fold{record.name}({java} o, Checksum sum) {{
{self.library.choose(slots, folds)}    }}
"""

    def give_alternative(self, kind: AnyType, slot: AnyType) -> str:
        """The library's value for an alternative's native value `v`."""
        box = self.box(kind, slot)
        return f"{self.wrap(kind, box)}(v)" if box else self.populate(kind, slot, "v")

    def take_alternative(self, kind: AnyType, slot: Slot) -> str:
        """The native value of an alternative of `o`."""
        box, value = self.box(kind, slot.type), self.library.get_alternative(slot)
        return f"{self.unwrap(kind, box)}({value})" if box else self.convert(kind, slot.type, value)

    def read_alternative(self, kind: AnyType, slot: Slot) -> str:
        """A statement that adds an alternative of `o` to the checksum."""
        box, value = self.box(kind, slot.type), self.library.get_alternative(slot)
        return f"{self.fold_wrapper(kind, box)}({value}, sum);" if box else self.fold(kind, slot.type, value)


def _slots(record: Record) -> tuple[Slot, ...]:
    """The slots of a record for a format that has all types of the schema."""
    return tuple(
        Slot(index, field.name, field.type, field.optional or field.type.nullable)
        for index, field in enumerate(record.fields)
    )
