"""Cap'n Proto: readers and builders as its compiler's plugin for Java would write them, and the code between them and native objects.

That plugin is a C++ program which neither Debian nor Maven has; the runtime of capnproto-java is at Maven. Where a
field lies is asked of the official compiler (`capnp compile -ocapnp`), so only the accessors are ours.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from msgspec import Struct

from wirelab.codecs.java.model import IMPORTS, fold_scalar
from wirelab.codecs.java.names import MODEL, PACKAGE, Methods, boxed, native, read_field
from wirelab.codecs.java.objects import capital
from wirelab.codecs.java.toolchain import require
from wirelab.codecs.numbered import is_above_i64, numbered
from wirelab.model.errors import BadInput
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
from wirelab.schema.emit import capnp
from wirelab.schema.emit.common import Slot, Table, canonical, plain, width

CP = f"{PACKAGE}.cp"
LIB = "org.capnproto"

_STRUCT = re.compile(r"struct (\w+) @\w+ \{  # (\d+) bytes, (\d+) ptrs")
_FIELD = re.compile(r"  (\w+) @\d+ :.*;  # (?:bits|ptr)\[(\d+)")
_GROUP = re.compile(r"  (\w+) :group \{")
_TAG = re.compile(r"    union \{  # tag bits \[(\d+)")
_VALUE = re.compile(r"      value @\d+ :.*;  # bits\[(\d+)")


class Place(Struct, frozen=True):
    """Where a field lies: its first bit or its pointer, and the bits of its union's tag, -1 where there is none."""

    at: int
    tag: int = -1


class Shape(Struct, frozen=True):
    """A struct: words of data, pointers, and the places of its fields by name."""

    words: int
    pointers: int
    places: dict[str, Place]


def shapes(text: str) -> dict[str, Shape]:
    """The shapes of a .capnp file, as the official compiler lays them out. Raises BadInput with its complaint."""
    with tempfile.TemporaryDirectory(prefix="wirelab-capnp-") as folder:
        source = Path(folder, "schema.capnp")
        source.write_text(text, encoding="utf-8")
        words = [require("capnp"), "compile", "-ocapnp", source.name]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BadInput("Cap'n Proto schema", done.stderr.strip(), "rename or change the field")
    found: dict[str, Shape] = {}
    shape, name, tag = Shape(0, 0, {}), "", -1
    for line in done.stdout.splitlines():
        if match := _STRUCT.match(line):
            shape = Shape(int(match[2]) // 8, int(match[3]), {})
            found[match[1]] = shape
        elif match := _GROUP.match(line):
            name = match[1]
        elif match := _TAG.match(line):
            tag = int(match[1])
        elif match := _VALUE.match(line):
            shape.places[name] = Place(int(match[1]), tag)
        elif match := _FIELD.match(line):
            shape.places[match[1]] = Place(int(match[2]))
    return found


def sources(schema: Schema) -> dict[str, str]:
    """The .capnp, the structs, the glue and the codec."""
    renamed = numbered(schema)
    text = capnp.emit(renamed)
    writer = _Writer(renamed)
    laid = shapes(text)
    structs = {f"cp/{table.name}.java": _struct(table, laid[table.name]) for table in writer.plan.tables}
    message, root = boxed(native(renamed.root)), f"{CP}.{writer.plan.root}"
    codec = f"""package {CP};

{IMPORTS}import java.io.IOException;
import java.nio.ByteBuffer;
import {LIB}.*;

public final class CapnpCodec extends Codec<{message}, java.lang.Void> {{
    private final boolean isPacked;

    public CapnpCodec(boolean isPacked) {{
        this.isPacked = isPacked;
    }}

    @Override
    public void serialize({message} message, Output out) throws IOException {{
        MessageBuilder builder = new MessageBuilder();
        Glue.fill(builder.initRoot({root}.factory), message);
        if (isPacked) {{
            SerializePacked.writeToUnbuffered(out, builder);
        }} else {{
            Serialize.write(out, builder);
        }}
    }}

    @Override
    public {root}.Reader access(byte[] bytes) throws IOException {{
        // The library's own limits are those of a network server.
        ReaderOptions limits = new ReaderOptions(Long.MAX_VALUE, 1000);
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        MessageReader reader = isPacked
                ? SerializePacked.read(new ArrayInputStream(buffer), limits)
                : Serialize.read(buffer, limits);
        return reader.getRoot({root}.factory);
    }}

    @Override
    public void decode(byte[] bytes, Sum sum) throws IOException {{
        Glue.fold(access(bytes), sum);
    }}

    @Override
    public {message} convert(byte[] bytes) throws IOException {{
        return Glue.convert(access(bytes));
    }}
}}
"""
    return structs | {"schema.capnp": text, "cp/Glue.java": writer.glue(), "cp/CapnpCodec.java": codec}


def _struct(table: Table, shape: Shape) -> str:
    places = [(slot, shape.places[slot.name]) for slot in table.slots]
    setters = "".join(_setter(slot, place) for slot, place in places)
    getters = "".join(_getter(slot, place) for slot, place in places)
    parameters = "segment, int data, int pointers, int dataSize, short pointerCount"
    given = "segment, data, pointers, dataSize, pointerCount"
    return f"""package {CP};

import {LIB}.*;

public final class {table.name} {{
    public static final StructSize SIZE = new StructSize((short) {shape.words}, (short) {shape.pointers});
    public static final Factory factory = new Factory();
    public static final StructList.Factory<Builder, Reader> list = new StructList.Factory<>(factory);

    public static final class Factory extends StructFactory<Builder, Reader> {{
        public Reader constructReader(SegmentReader {parameters}, int nestingLimit) {{
            return new Reader({given}, nestingLimit);
        }}
        public Builder constructBuilder(SegmentBuilder {parameters}) {{
            return new Builder({given});
        }}
        public StructSize structSize() {{
            return SIZE;
        }}
        public Reader asReader(Builder builder) {{
            return builder.asReader();
        }}
    }}

    public static final class Builder extends StructBuilder {{
        Builder(SegmentBuilder {parameters}) {{
            super({given});
        }}
        public Reader asReader() {{
            return new Reader({given}, 0x7fffffff);
        }}
{setters}    }}

    public static final class Reader extends StructReader {{
        Reader(SegmentReader {parameters}, int nestingLimit) {{
            super({given}, nestingLimit);
        }}
{getters}    }}
}}
"""


def _setter(slot: Slot, place: Place) -> str:
    name = capital(slot.name)
    if isinstance(slot.type, String | Base64):
        kind = "Text" if isinstance(slot.type, String) else "Data"
        return f"""        public void set{name}({kind}.Reader value) {{
            _setPointerField({kind}.factory, {place.at}, value);
        }}
"""
    if isinstance(slot.type, List | Ref):
        size = "int size" if isinstance(slot.type, List) else ""
        return f"""        public {_builder(slot.type)} init{name}({size}) {{
            return _initPointerField({_factory(slot.type)}, {place.at}, {"size" if size else 0});
        }}
"""
    word, bits = _field(slot.type)
    tag = f"_setShortField({place.tag // 16}, (short) 1); " if slot.optional else ""
    return f"""        public void set{name}({word.lower()} value) {{
            {tag}_set{word}Field({place.at // bits}, value);
        }}
"""


def _getter(slot: Slot, place: Place) -> str:
    name = capital(slot.name)
    there = f"!_pointerFieldIsNull({place.at})"
    if isinstance(slot.type, String | Base64):
        kind = "Text" if isinstance(slot.type, String) else "Data"
        read, made = f"_getPointerField({kind}.factory, {place.at}, null, 0, 0)", f"{kind}.Reader"
    elif isinstance(slot.type, List | Ref):
        read, made = f"_getPointerField({_factory(slot.type)}, {place.at})", _reader(slot.type)
    else:
        word, bits = _field(slot.type)
        read, made = f"_get{word}Field({place.at // bits})", word.lower()
        there = f"_getShortField({place.tag // 16}) == 1"
    has = f"""        public boolean has{name}() {{
            return {there};
        }}
"""
    return f"""        public {made} get{name}() {{
            return {read};
        }}
{has if slot.optional else ""}"""


def _field(kind: AnyType) -> tuple[str, int]:
    """The word in the library's names for a scalar, and its bits."""
    if isinstance(kind, Bool):
        return "Boolean", 1
    if isinstance(kind, Float):
        return ("Double", 64) if kind.bits == 64 else ("Float", 32)
    return ("Int", 32) if isinstance(kind, Int) and width(kind).endswith("32") else ("Long", 64)


def _list(kind: AnyType) -> str:
    """The library's class for lists of these items."""
    if isinstance(kind, String):
        return f"{LIB}.TextList"
    return f"{LIB}.DataList" if isinstance(kind, Base64) else f"{LIB}.PrimitiveList.{_field(kind)[0]}"


def _factory(kind: AnyType) -> str:
    if isinstance(kind, Ref):
        return f"{CP}.{kind.name}.factory"
    assert isinstance(kind, List)
    if isinstance(kind.items, Ref):
        return f"{CP}.{kind.items.name}.list"
    if isinstance(kind.items, List):
        return f"new {LIB}.ListList.Factory<>({_factory(kind.items)})"
    return f"{_list(kind.items)}.factory"


def _builder(kind: AnyType) -> str:
    return _side(kind, "Builder")


def _reader(kind: AnyType) -> str:
    return _side(kind, "Reader")


def _side(kind: AnyType, side: str) -> str:
    if isinstance(kind, Ref):
        return f"{CP}.{kind.name}.{side}"
    assert isinstance(kind, List)
    if isinstance(kind.items, Ref):
        return f"{LIB}.StructList.{side}<{_side(kind.items, side)}>"
    if isinstance(kind.items, List):
        return f"{LIB}.ListList.{side}<{_side(kind.items, side)}>"
    return f"{_list(kind.items)}.{side}"


class _Writer:
    """Writes `fill`, `convert` and `fold`; `slot` is always the lowered type of a native `kind`."""

    def __init__(self, schema: Schema) -> None:
        self.schema, self.plan, self.methods = schema, capnp.tables(schema), Methods()
        self.tables = {table.name: table for table in self.plan.tables}

    def glue(self) -> str:
        root, kind = self.tables[self.plan.root], self.schema.root
        message, struct = boxed(native(kind)), f"{CP}.{root.name}"
        if root.role == "root":
            filled, taken = f"{self.wrap(kind, root)}(b, m);", f"{self.unwrap(kind, root)}(r)"
            read = f"{self.fold_wrapper(kind, root)}(r, sum);"
        else:
            filled, taken, read = (
                f"fill{root.name}(b, m);",
                f"convert{root.name}(r)",
                f"fold{root.name}(r, sum);",
            )
        records = "".join(map(self.record, self.schema.records))
        return f"""package {CP};

{IMPORTS}
public final class Glue {{
    public static void fill({struct}.Builder b, {message} m) {{
        {filled}
    }}
    public static {message} convert({struct}.Reader r) {{
        return {taken};
    }}
    public static void fold({struct}.Reader r, Sum sum) {{
        {read}
    }}
{records}{self.methods.text}}}
"""

    def record(self, record: Record) -> str:
        struct, mine = f"{CP}.{record.name}", f"{MODEL}.{record.name}"
        pairs = list(zip(record.fields, self.tables[record.name].slots, strict=True))
        fills = "".join(f"        {self.fill_field(field, slot)}\n" for field, slot in pairs)
        takes = "".join(f"        {self.take_field(field, slot)}\n" for field, slot in pairs)
        folds = "".join(
            f"        {self.fold_slot(field.type, field.optional, slot)}\n" for field, slot in pairs
        )
        return f"""
    private static void fill{record.name}({struct}.Builder b, {mine} m) {{
{fills}    }}
    private static {mine} convert{record.name}({struct}.Reader r) {{
        {mine} m = new {mine}();
{takes}        return m;
    }}
    private static void fold{record.name}({struct}.Reader r, Sum sum) {{
{folds}    }}
"""

    def fill_field(self, field: Field, slot: Slot) -> str:
        if not (field.optional or field.type.nullable):
            return self.fill_slot(field.type, slot, f"m.{field.name}")
        name = f"v{field.name}"
        given = f"{boxed(native(field.type))} {name} = {read_field(field, 'm')};"
        return f"{given} if ({name} != null) {{ {self.fill_slot(plain(field.type), slot, name)} }}"

    def fill_slot(self, kind: AnyType, slot: Slot, value: str) -> str:
        """A statement that sets a slot of `b` to a native value that is there."""
        name = capital(slot.name)
        if isinstance(kind, List | Map):
            method = self.many(kind, slot.type)
            return f"{method}(b.init{name}({value}.size()), {value});"
        if isinstance(kind, Ref):
            return f"fill{kind.name}(b.init{name}(), {value});"
        return f"b.set{name}({_stored(kind, value)});"

    def many(self, kind: AnyType, slot: AnyType) -> str:
        return self.methods.named("fill", (kind, slot), lambda name: self.fill_many(name, kind, slot))

    def fill_many(self, name: str, kind: AnyType, slot: AnyType) -> str:
        assert isinstance(slot, List)
        if isinstance(kind, Map):
            inner, table = boxed(native(kind.values)), self.tables[self.plan.entries[canonical(kind.values)]]
            value = self.fill_slot(plain(kind.values), table.slots[1], "v")
            value = f"if (v != null) {{ {value} }}" if kind.values.nullable else value
            entry = self.methods.named(
                "entry",
                kind,
                lambda name: (
                    f"""    private static void {name}({CP}.{table.name}.Builder b, String k, {inner} v) {{
        b.setKey(new {LIB}.Text.Reader(k));
        {value}
    }}
"""
                ),
            )
            loop = f"for (Map.Entry<String, {inner}> e : all.entrySet())"
            item = f"{entry}(to.get(i++), e.getKey(), e.getValue());"
        else:
            assert isinstance(kind, List)
            loop, item = f"for ({boxed(native(kind.items))} v : all)", self.fill_item(kind.items, slot.items)
        return f"""    private static void {name}({_builder(slot)} to, {native(kind)} all) {{
        int i = 0;
        {loop} {{ {item} }}
    }}
"""

    def fill_item(self, kind: AnyType, slot: AnyType) -> str:
        wrapper = self.wrapper(kind)
        if wrapper:
            return f"{self.wrap(kind, wrapper)}(to.get(i++), v);"
        if isinstance(kind, Ref):
            return f"fill{kind.name}(to.get(i++), v);"
        if isinstance(kind, List | Map):
            return f"{self.many(kind, slot)}(to.init(i++, v.size()), v);"
        return f"to.set(i++, {_stored(kind, 'v')});"

    def wrapper(self, kind: AnyType) -> Table | None:
        return self.tables.get(self.plan.wrappers.get(canonical(kind), ""))

    def wrap(self, kind: AnyType, table: Table) -> str:
        body = self.fill_slot(plain(kind), table.slots[0], "v")
        body = f"if (v != null) {{ {body} }}" if kind.nullable else body
        return self.methods.named(
            "wrap",
            (kind, table.name),
            lambda name: (
                f"""    private static void {name}({CP}.{table.name}.Builder b, {boxed(native(kind))} v) {{
        {body}
    }}
"""
            ),
        )

    def unwrap(self, kind: AnyType, table: Table) -> str:
        value = self.take_slot(kind, False, table.slots[0])
        return self.methods.named(
            "unwrap",
            (kind, table.name),
            lambda name: (
                f"""    private static {boxed(native(kind))} {name}({CP}.{table.name}.Reader r) {{
        return {value};
    }}
"""
            ),
        )

    def fold_wrapper(self, kind: AnyType, table: Table) -> str:
        read = self.fold_slot(kind, False, table.slots[0])
        return self.methods.named(
            "foldWrapper",
            (kind, table.name),
            lambda name: (
                f"""    private static void {name}({CP}.{table.name}.Reader r, Sum sum) {{
        {read}
    }}
"""
            ),
        )

    def take_field(self, field: Field, slot: Slot) -> str:
        value = self.take_slot(field.type, field.optional, slot)
        both = field.optional and field.type.nullable
        return f"m.{field.name} = {f'Buffers.some({value})' if both else value};"

    def take_slot(self, kind: AnyType, optional: bool, slot: Slot, reader: str = "r") -> str:
        inner, name = plain(kind), capital(slot.name)
        value = self.convert(inner, slot.type, f"{reader}.get{name}()")
        if not (optional or kind.nullable):
            return value
        return f"({reader}.has{name}() ? ({boxed(native(inner))}) {value} : null)"

    def convert(self, kind: AnyType, slot: AnyType, value: str) -> str:
        if isinstance(kind, Ref):
            return f"convert{kind.name}({value})"
        if isinstance(kind, List | Map):
            name = self.methods.named(
                "convert", (kind, slot), lambda name: self.convert_many(name, kind, slot)
            )
            return f"{name}({value})"
        return _taken(kind, value)

    def convert_many(self, name: str, kind: List | Map, slot: AnyType) -> str:
        made = native(kind)
        if isinstance(kind, Map):
            table = self.tables[self.plan.entries[canonical(kind.values)]]
            value = self.take_slot(kind.values, False, table.slots[1], "e")
            body = f"{CP}.{table.name}.Reader e = from.get(i); all.put(e.getKey().toString(), {value});"
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
        return f"""    private static {made} {name}({_reader(slot)} from) {{
        int n = from.size();
        {made} all = {new};
        for (int i = 0; i < n; i++) {{ {body} }}
        return all;
    }}
"""

    def fold_slot(self, kind: AnyType, optional: bool, slot: Slot, reader: str = "r") -> str:
        inner, name = plain(kind), capital(slot.name)
        read = self.fold(inner, slot.type, f"{reader}.get{name}()")
        if not (optional or kind.nullable):
            return read
        present = "" if isinstance(inner, List | Map) else "sum.present(); "
        return f"if ({reader}.has{name}()) {{ {present}{read} }} else {{ sum.missing(); }}"

    def fold(self, kind: AnyType, slot: AnyType, value: str) -> str:
        if isinstance(kind, Ref):
            return f"fold{kind.name}({value}, sum);"
        if isinstance(kind, List | Map):
            name = self.methods.named("fold", (kind, slot), lambda name: self.fold_many(name, kind, slot))
            return f"{name}({value}, sum);"
        if isinstance(kind, Int):
            is_unsigned = width(kind) == "u32"
            return f"sum.word({f'Integer.toUnsignedLong({value})' if is_unsigned else value});"
        return fold_scalar(kind, value if isinstance(kind, Timestamp) else _taken(kind, value))

    def fold_many(self, name: str, kind: List | Map, slot: AnyType) -> str:
        if isinstance(kind, Map):
            table = self.tables[self.plan.entries[canonical(kind.values)]]
            read = self.fold_slot(kind.values, False, table.slots[1], "e")
            body = f"{CP}.{table.name}.Reader e = from.get(i); sum.text(e.getKey().toString()); {read}"
        else:
            assert isinstance(slot, List)
            wrapper = self.wrapper(kind.items)
            body = (
                f"{self.fold_wrapper(kind.items, wrapper)}(from.get(i), sum);"
                if wrapper
                else self.fold(kind.items, slot.items, "from.get(i)")
            )
        return f"""    private static void {name}({_reader(slot)} from, Sum sum) {{
        int n = from.size();
        sum.word(n);
        for (int i = 0; i < n; i++) {{ {body} }}
    }}
"""


def _stored(kind: AnyType, value: str) -> str:
    """A native scalar as the library takes it."""
    if isinstance(kind, String):
        return f"new {LIB}.Text.Reader({value})"
    if isinstance(kind, Base64):
        return f"new {LIB}.Data.Reader({value})"
    if isinstance(kind, Timestamp):
        return f"{value}.nanos()"
    if isinstance(kind, Int):
        bits = f"{value}.bits()" if is_above_i64(kind) else value
        return f"(int) ({native(kind)}) {bits}" if width(kind).endswith("32") else bits
    return value


def _taken(kind: AnyType, value: str) -> str:
    """The library's scalar as the native one."""
    if isinstance(kind, String):
        return f"{value}.toString()"
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
