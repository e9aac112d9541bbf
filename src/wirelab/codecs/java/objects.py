"""Libraries with objects of their own (Protobuf, Thrift, Avro): from native objects to theirs, back, and reading all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod

from wirelab.codecs.java.model import IMPORTS, fold_scalar
from wirelab.codecs.java.names import MODEL, Methods, boxed, native, read_field
from wirelab.codecs.numbered import is_above_i64
from wirelab.model.schema import (
    AnyType,
    Base64,
    Bool,
    Field,
    Float,
    Int,
    List,
    Map,
    Record,
    Ref,
    Schema,
    String,
    Timestamp,
)
from wirelab.schema.emit.common import Layout, Slot, Table, canonical, plain


def capital(name: str) -> str:
    """`f0` as `F0`."""
    return name[:1].upper() + name[1:]


class Dialect(ABC):
    """How a library's generated classes are made and read. `package` is where they are."""

    package: str
    shares_lists = True
    """whether its objects hold any java.util.List as it is"""
    tells_empty = True
    """whether a list that is absent is told from an empty one"""

    @abstractmethod
    def integer(self, slot: Int) -> str:
        """`int` or `long`."""

    @abstractmethod
    def float(self, slot: Float) -> str:
        """`float` or `double`."""

    octets: str
    """the type of a byte string"""

    @abstractmethod
    def to_octets(self, value: str) -> str:
        """From a byte[]."""

    @abstractmethod
    def from_octets(self, value: str) -> str:
        """To a byte[]."""

    def is_unsigned(self, slot: Int) -> bool:  # noqa: ARG002
        """Whether an `int` of this slot stands for 32 bits without sign."""
        return False

    @abstractmethod
    def create(self, table: str, sets: list[str]) -> str:
        """Statements that make an object, run `sets` on `b` and return it."""

    @abstractmethod
    def set(self, slot: Slot, value: str) -> str:
        """A call on `b`."""

    @abstractmethod
    def get(self, slot: Slot) -> str:
        """A field of `o`."""

    @abstractmethod
    def has(self, slot: Slot) -> str:
        """Whether a field of `o` that may be missing is there."""

    def java(self, slot: AnyType) -> str:  # noqa: PLR0911  (one return per type reads best)
        """The library's type of a slot, primitive where there is one."""
        if isinstance(slot, Int):
            return self.integer(slot)
        if isinstance(slot, Float):
            return self.float(slot)
        if isinstance(slot, List):
            return f"List<{boxed(self.java(slot.items))}>"
        if isinstance(slot, Map):
            return f"Map<String, {boxed(self.java(slot.values))}>"
        if isinstance(slot, Ref):
            return f"{self.package}.{slot.name}"
        if isinstance(slot, Base64):
            return self.octets
        names: dict[type, str] = {Bool: "boolean", String: "String", Timestamp: "long"}
        return names[type(slot)]


class Objects:
    """Writes the class `Glue` of a dialect: `populate`, `convert` and `fold` for `Root`."""

    def __init__(self, schema: Schema, plan: Layout, dialect: Dialect) -> None:
        self.schema, self.plan, self.dialect, self.methods = schema, plan, dialect, Methods()
        self.tables = {table.name: table for table in plan.tables}

    @property
    def root(self) -> str:
        """The type of the library's object for one message."""
        return boxed(self.dialect.java(self.root_slot))

    @property
    def root_slot(self) -> AnyType:
        """The root as the library has it: a table, or without one the type itself."""
        return Ref(name=self.plan.root) if self.plan.root else self.schema.root

    def glue(self) -> str:
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
        return f"""package {self.dialect.package};

{IMPORTS}
public final class Glue {{
    public static {self.root} populate({message} m) {{
        return {given};
    }}
    public static {message} convert({self.root} o) {{
        return {taken};
    }}
    public static void fold({self.root} o, Sum sum) {{
        {read}
    }}
{records}{self.methods.text}}}
"""

    def record(self, record: Record) -> str:
        slots = self.tables[record.name].slots if self.tables else _slots(record)
        java, mine = f"{self.dialect.package}.{record.name}", f"{MODEL}.{record.name}"
        pairs = list(zip(record.fields, slots, strict=True))
        sets = [self.set_field(field, slot) for field, slot in pairs]
        takes = "".join(f"        {self.take_field(field, slot)}\n" for field, slot in pairs)
        folds = "".join(
            f"        {self.fold_slot(field.type, field.optional, slot)}\n" for field, slot in pairs
        )
        return f"""
    private static {java} populate{record.name}({mine} m) {{
        {self.dialect.create(record.name, sets)}
    }}
    private static {mine} convert{record.name}({java} o) {{
        {mine} m = new {mine}();
{takes}        return m;
    }}
    private static void fold{record.name}({java} o, Sum sum) {{
{folds}    }}
"""

    def set_field(self, field: Field, slot: Slot) -> str:
        inner = plain(field.type)
        if not (field.optional or field.type.nullable):
            return f"{self.dialect.set(slot, self.populate(inner, slot.type, f'm.{field.name}'))};"
        name = f"v{field.name}"
        call = self.dialect.set(slot, self.populate(inner, slot.type, name))
        value = read_field(field, "m")
        return f"{boxed(native(inner))} {name} = {value}; if ({name} != null) {{ {call}; }}"

    def take_field(self, field: Field, slot: Slot) -> str:
        value = self.take_slot(field.type, field.optional, slot)
        if field.optional and field.type.nullable:
            return f"m.{field.name} = Buffers.some({value});"
        return f"m.{field.name} = {value};"

    def take_slot(self, kind: AnyType, optional: bool, slot: Slot) -> str:
        inner = plain(kind)
        value = self.convert(inner, slot.type, self.dialect.get(slot))
        if not (optional or kind.nullable):
            return value
        return f"({self.is_there(inner, slot)} ? {_as_box(inner, value)} : null)"

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

    def populate(self, kind: AnyType, slot: AnyType, value: str) -> str:
        """The library's value of a native one that is there."""
        if isinstance(kind, Ref):
            return f"populate{kind.name}({value})"
        if isinstance(kind, List | Map):
            item = self.populate_element(_inner(kind), _inner(slot), "v")
            if item == "v" and (self.dialect.shares_lists or isinstance(kind, Map)):
                return value
            name = self.methods.named(
                "populate",
                (kind, slot),
                lambda name: self.many(name, kind, native(kind), self.dialect.java(slot), item),
            )
            return f"{name}({value})"
        return self.scalar_in(kind, slot, value)

    def convert(self, kind: AnyType, slot: AnyType, value: str) -> str:
        """The native value of a library's one that is there."""
        if isinstance(kind, Ref):
            return f"convert{kind.name}({value})"
        if isinstance(kind, List | Map):
            item = self.convert_element(_inner(kind), _inner(slot), "v")
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
            item = self.fold_element(_inner(kind), _inner(slot), "v")
            name = self.methods.named(
                "fold", (kind, slot), lambda name: self.fold_many(name, kind, slot, item)
            )
            return f"{name}({value}, sum);"
        if isinstance(kind, Base64):
            return fold_scalar(kind, self.dialect.from_octets(value))
        unsigned = isinstance(kind, Int) and isinstance(slot, Int) and self.dialect.is_unsigned(slot)
        return fold_scalar(kind, f"Integer.toUnsignedLong({value})" if unsigned else value)

    def many(self, name: str, kind: List | Map, given: str, made: str, item: str) -> str:
        new, room = f"ArrayList{made.removeprefix('List')}", "all.size()"
        if made.startswith("Map<"):
            new, room = f"java.util.HashMap{made.removeprefix('Map')}", "2 * all.size()"
        if made.startswith("Sorted<"):
            new, room = made, ""
        inner = given.split("<", 1)[1].removesuffix(">").removeprefix("String, ")
        if isinstance(kind, Map):
            body = f"for (Map.Entry<String, {inner}> e : all.entrySet()) {{ {inner} v = e.getValue(); out.put(e.getKey(), {item}); }}"
        else:
            body = f"for ({inner} v : all) {{ out.add({item}); }}"
        return f"""    private static {made} {name}({given} all) {{
        {new} out = new {new}({room});
        {body}
        return out;
    }}
"""

    def fold_many(self, name: str, kind: List | Map, slot: AnyType, item: str) -> str:
        inner = boxed(self.dialect.java(_inner(slot)))
        loop = f"for ({inner} v : all) {{"
        if isinstance(kind, Map):
            loop = f"for (Map.Entry<String, {inner}> e : Sorted.of(all).entrySet()) {{ sum.text(e.getKey()); {inner} v = e.getValue();"
        return f"""    private static void {name}({self.dialect.java(slot)} all, Sum sum) {{
        sum.word(all.size());
        {loop} {item} }}
    }}
"""

    def populate_element(self, kind: AnyType, slot: AnyType, value: str) -> str:
        wrapper = self.wrapper(kind)
        if wrapper:
            return f"{self.wrap(kind, wrapper)}({value})"
        made = self.populate(plain(kind), slot, value)
        return (
            f"({value} == null ? null : {_as_box(slot, made)})" if kind.nullable and made != value else made
        )

    def convert_element(self, kind: AnyType, slot: AnyType, value: str) -> str:
        wrapper = self.wrapper(kind)
        if wrapper:
            return f"{self.unwrap(kind, wrapper)}({value})"
        made = self.convert(plain(kind), slot, value)
        return (
            f"({value} == null ? null : {_as_box(kind, made)})" if kind.nullable and made != value else made
        )

    def fold_element(self, kind: AnyType, slot: AnyType, value: str) -> str:
        wrapper = self.wrapper(kind)
        if wrapper:
            return f"{self.fold_wrapper(kind, wrapper)}({value}, sum);"
        read = self.fold(plain(kind), slot, value)
        if not kind.nullable:
            return read
        present = "" if isinstance(kind, List | Map) else "sum.present(); "
        return f"if ({value} == null) {{ sum.missing(); }} else {{ {present}{read} }}"

    def wrapper(self, kind: AnyType) -> Table | None:
        return self.tables.get(self.plan.wrappers.get(canonical(kind), ""))

    def wrap(self, kind: AnyType, table: Table) -> str:
        """The method from a native value, null or not, to a table with one field for it."""
        slot = table.slots[0]
        call = f"{self.dialect.set(slot, self.populate(plain(kind), slot.type, 'v'))};"
        body = self.dialect.create(table.name, [f"if (v != null) {{ {call} }}" if kind.nullable else call])
        return self.methods.named(
            "wrap",
            (kind, table.name),
            lambda name: (
                f"""    private static {self.dialect.package}.{table.name} {name}({boxed(native(kind))} v) {{
        {body}
    }}
"""
            ),
        )

    def unwrap(self, kind: AnyType, table: Table) -> str:
        """The method from such a table to the native value."""
        value = self.take_slot(kind, False, table.slots[0])
        return self.methods.named(
            "unwrap",
            (kind, table.name),
            lambda name: (
                f"""    private static {boxed(native(kind))} {name}({self.dialect.package}.{table.name} o) {{
        return {value};
    }}
"""
            ),
        )

    def fold_wrapper(self, kind: AnyType, table: Table) -> str:
        """The method that reads such a table."""
        read = self.fold_slot(kind, False, table.slots[0])
        return self.methods.named(
            "foldWrapper",
            (kind, table.name),
            lambda name: (
                f"""    private static void {name}({self.dialect.package}.{table.name} o, Sum sum) {{
        {read}
    }}
"""
            ),
        )

    def scalar_in(self, kind: AnyType, slot: AnyType, value: str) -> str:
        if isinstance(kind, Base64):
            return self.dialect.to_octets(value)
        if isinstance(kind, Timestamp):
            return f"{value}.nanos()"
        if isinstance(kind, Int) and is_above_i64(kind):
            return f"{value}.bits()"
        return _cast(value, native(kind), self.dialect.java(slot))

    def scalar_out(self, kind: AnyType, slot: AnyType, value: str) -> str:
        if isinstance(kind, Base64):
            return self.dialect.from_octets(value)
        if isinstance(kind, Timestamp):
            return f"Timestamp.ofNanos({value})"
        if isinstance(kind, Int) and is_above_i64(kind):
            return f"new Unsigned({value})"
        if isinstance(slot, Int) and native(kind) == "long" and self.dialect.is_unsigned(slot):
            return f"Integer.toUnsignedLong({value})"
        return _cast(value, self.dialect.java(slot), native(kind))


def _inner(kind: AnyType) -> AnyType:
    """The type of a list's item or a map's value."""
    if isinstance(kind, List):
        return kind.items
    assert isinstance(kind, Map)
    return kind.values


def _slots(record: Record) -> tuple[Slot, ...]:
    """The slots of a record where the format has all our types as they are."""
    return tuple(
        Slot(index, field.name, field.type, field.optional or field.type.nullable)
        for index, field in enumerate(record.fields)
    )


def _cast(value: str, given: str, wanted: str) -> str:
    """Between `int` and `long`, or `float` and `double`, boxed or not."""
    return value if given == wanted else f"({wanted}) ({given}) {value}"


def _as_box(kind: AnyType, value: str) -> str:
    """An expression that may stand beside null in a conditional without being unboxed."""
    box = boxed(native(plain(kind)))
    return f"({box}) {value}" if box in ("Integer", "Long", "Float", "Double", "Boolean") else value
