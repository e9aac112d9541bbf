"""FlatBuffers: the .fbs that flatc compiles, and the code between native objects and its builder and readers."""

from __future__ import annotations

from wirelab.codecs.java.model import IMPORTS, fold_scalar
from wirelab.codecs.java.names import MODEL, PACKAGE, Methods, boxed, native, read_field
from wirelab.codecs.java.objects import capital
from wirelab.codecs.numbered import is_above_i64, numbered
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
from wirelab.schema.emit import flatbuffers as fbs
from wirelab.schema.emit.common import Slot, Table, canonical, plain, width

FB = f"{PACKAGE}.fb"
BUILDER = "com.google.flatbuffers.FlatBufferBuilder"


def sources(schema: Schema) -> dict[str, str]:
    """The .fbs, the glue and the codec; flatc adds the classes of the tables."""
    renamed = numbered(schema)
    writer = _Writer(renamed)
    message, root = boxed(native(renamed.root)), f"{FB}.{writer.plan.root}"
    codec = f"""package {FB};

{IMPORTS}import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;

public final class FlatBuffersCodec extends Codec<{message}, Void> {{
    private final FlatBufferBuilder builder = new FlatBufferBuilder(1 << 16);

    @Override
    public void serialize({message} message, Output out) {{
        builder.clear();
        builder.finish(Glue.build(builder, message));
        ByteBuffer data = builder.dataBuffer();
        out.write(data.array(), data.arrayOffset() + data.position(), data.remaining());
    }}

    @Override
    public Object access(byte[] bytes) {{
        return {root}.getRootAs{writer.plan.root}(ByteBuffer.wrap(bytes));
    }}

    @Override
    public void decode(byte[] bytes, Sum sum) {{
        Glue.fold({root}.getRootAs{writer.plan.root}(ByteBuffer.wrap(bytes)), sum);
    }}

    @Override
    public {message} convert(byte[] bytes) {{
        return Glue.convert({root}.getRootAs{writer.plan.root}(ByteBuffer.wrap(bytes)));
    }}
}}
"""
    text = f"namespace {FB};\n{fbs.emit(renamed)}"
    return {"schema.fbs": text, "fb/Glue.java": writer.glue(), "fb/FlatBuffersCodec.java": codec}


class _Writer:
    def __init__(self, schema: Schema) -> None:
        self.schema, self.plan, self.methods = schema, fbs.tables(schema), Methods()
        self.tables = {table.name: table for table in self.plan.tables}

    def glue(self) -> str:
        root, kind = self.tables[self.plan.root], self.schema.root
        if root.role == "root":
            built, taken = f"{self.wrap(kind, root)}(b, m)", f"{self.unwrap(kind, root)}(t)"
            read = f"{self.fold_wrapper(kind, root)}(t, sum);"
        else:
            built, taken, read = (
                f"build{root.name}(b, m)",
                f"convert{root.name}(t)",
                f"fold{root.name}(t, sum);",
            )
        message, table = boxed(native(kind)), f"{FB}.{root.name}"
        records = "".join(map(self.record, self.schema.records))
        return f"""package {FB};

{IMPORTS}
public final class Glue {{
    public static int build({BUILDER} b, {message} m) {{
        return {built};
    }}
    public static {message} convert({table} t) {{
        return {taken};
    }}
    public static void fold({table} t, Sum sum) {{
        {read}
    }}
{records}{self.methods.text}}}
"""

    def record(self, record: Record) -> str:
        table, mine = self.tables[record.name], f"{MODEL}.{record.name}"
        pairs = list(zip(record.fields, table.slots, strict=True))
        values, before = {}, ""
        for field, slot in pairs:
            name, optional = f"v{field.name}", field.optional or field.type.nullable
            if field.optional and field.type.nullable:
                before += f"        {boxed(native(field.type))} {name} = {read_field(field, 'm')};\n"
            values[slot.name] = (
                plain(field.type),
                optional,
                name if field.optional and field.type.nullable else f"m.{field.name}",
            )
        takes = "".join(f"        {self.take_field(field, slot)}\n" for field, slot in pairs)
        folds = "".join(
            f"        {self.fold_slot(field.type, field.optional, slot)}\n" for field, slot in pairs
        )
        return f"""
    private static int build{record.name}({BUILDER} b, {mine} m) {{
{before}{self.create(table, values)}    }}
    private static {mine} convert{record.name}({FB}.{record.name} t) {{
        {mine} m = new {mine}();
{takes}        return m;
    }}
    private static void fold{record.name}({FB}.{record.name} t, Sum sum) {{
{folds}    }}
"""

    def create(self, table: Table, values: dict[str, tuple[AnyType, bool, str]]) -> str:
        """Write what lies behind offsets, then the table, large fields first so that little is lost to alignment."""
        java, lines = f"{FB}.{table.name}", ""
        for slot in table.slots:
            kind, may_lack, value = values[slot.name]
            if not fbs.is_inline(kind):
                made = self.build(kind, value)
                lines += f"int at{slot.name} = {f'{value} == null ? 0 : {made}' if may_lack else made}; "
        lines += f"{java}.start{table.name}(b); "
        for slot in sorted(reversed(table.slots), key=lambda slot: -_bytes(values[slot.name][0])):
            kind, may_lack, value = values[slot.name]
            add = f"{java}.add{capital(slot.name)}(b, "
            if not fbs.is_inline(kind):
                call = f"{add}at{slot.name});"
                lines += f"if (at{slot.name} != 0) {{ {call} }} " if may_lack else f"{call} "
            elif may_lack:
                # The generated `add` leaves out a value of 0 even where that is told from none.
                call = f"b.{_adder(kind)}({_as_stored(kind, value)}); b.slot({table.slots.index(slot)});"
                lines += f"if ({value} != null) {{ {call} }} "
            else:
                lines += f"{add}{_scalar(kind, value)}); "
        return f"        {lines}return {java}.end{table.name}(b);\n"

    def build(self, kind: AnyType, value: str) -> str:
        """The offset of something written now."""
        if isinstance(kind, String):
            return f"b.createString({value})"
        if isinstance(kind, Base64):
            return f"b.createByteVector({value})"
        if isinstance(kind, Ref):
            return f"build{kind.name}(b, {value})"
        assert isinstance(kind, List | Map)
        name = self.methods.named("build", kind, lambda name: self.vector(name, kind))
        return f"{name}(b, {value})"

    def vector(self, name: str, kind: List | Map) -> str:
        if isinstance(kind, List) and fbs.is_inline(kind.items) and not kind.items.nullable:
            size, call = _bytes(kind.items), _adder(kind.items)
            return f"""    private static int {name}({BUILDER} b, {native(kind)} all) {{
        b.startVector({size}, all.size(), {size});
        for (int i = all.size() - 1; i >= 0; i--) {{ b.{call}({_as_stored(kind.items, "all.get(i)")}); }}
        return b.endVector();
    }}
"""
        if isinstance(kind, Map):
            inner = boxed(native(kind.values))
            loop = f"for (Map.Entry<String, {inner}> e : all.entrySet())"
            made = f"{self.entry(kind)}(b, e.getKey(), e.getValue())"
        else:
            loop = f"for ({boxed(native(kind.items))} v : all)"
            wrapper = self.wrapper(kind.items)
            made = f"{self.wrap(kind.items, wrapper)}(b, v)" if wrapper else self.build(kind.items, "v")
        return f"""    private static int {name}({BUILDER} b, {native(kind)} all) {{
        int[] at = new int[all.size()];
        int n = 0;
        {loop} {{ at[n++] = {made}; }}
        b.startVector(4, n, 4);
        for (int i = n - 1; i >= 0; i--) {{ b.addOffset(at[i]); }}
        return b.endVector();
    }}
"""

    def entry(self, kind: Map) -> str:
        table = self.tables[self.plan.entries[canonical(kind.values)]]
        values = {
            "key": (String(), False, "k"),
            "value": (plain(kind.values), kind.values.nullable, "v"),
        }
        return self.methods.named(
            "entry",
            kind,
            lambda name: (
                f"""    private static int {name}({BUILDER} b, String k, {boxed(native(kind.values))} v) {{
{self.create(table, values)}    }}
"""
            ),
        )

    def wrapper(self, kind: AnyType) -> Table | None:
        return self.tables.get(self.plan.wrappers.get(canonical(kind), ""))

    def wrap(self, kind: AnyType, table: Table) -> str:
        values = {table.slots[0].name: (plain(kind), kind.nullable, "v")}
        return self.methods.named(
            "wrap",
            (kind, table.name),
            lambda name: (
                f"""    private static int {name}({BUILDER} b, {boxed(native(kind))} v) {{
{self.create(table, values)}    }}
"""
            ),
        )

    def unwrap(self, kind: AnyType, table: Table) -> str:
        value = self.take_slot(kind, False, table.slots[0], "t")
        return self.methods.named(
            "unwrap",
            (kind, table.name),
            lambda name: (
                f"""    private static {boxed(native(kind))} {name}({FB}.{table.name} t) {{
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
                f"""    private static void {name}({FB}.{table.name} t, Sum sum) {{
        {read}
    }}
"""
            ),
        )

    def take_field(self, field: Field, slot: Slot) -> str:
        value = self.take_slot(field.type, field.optional, slot, "t")
        both = field.optional and field.type.nullable
        return f"m.{field.name} = {f'Buffers.some({value})' if both else value};"

    def take_slot(self, kind: AnyType, optional: bool, slot: Slot, table: str) -> str:
        inner = plain(kind)
        value = self.convert(inner, slot, table)
        if not (optional or kind.nullable):
            return value
        return f"({_has(inner, slot, table)} ? ({boxed(native(inner))}) {value} : null)"

    def convert(self, kind: AnyType, slot: Slot, table: str) -> str:
        """The native value of a slot that is there."""
        place = f"{table}.{slot.name}"
        if isinstance(kind, Base64):
            return f"Buffers.bytes({place}AsByteBuffer())"
        if isinstance(kind, Ref):
            return f"convert{kind.name}({place}())"
        if isinstance(kind, List | Map):
            owner = self.owner(slot)
            name = self.methods.named(
                "convert", (kind, owner, slot.name), lambda name: self.convert_many(name, kind, slot, owner)
            )
            return f"{name}({table})"
        return _as_native(kind, f"{place}()")

    def owner(self, slot: Slot) -> str:
        """The table that has this very slot."""
        return next(table.name for table in self.plan.tables if any(one is slot for one in table.slots))

    def convert_many(self, name: str, kind: List | Map, slot: Slot, owner: str) -> str:
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
        return f"convert{kind.name}({value})" if isinstance(kind, Ref) else _as_native(kind, value)

    def fold_slot(self, kind: AnyType, optional: bool, slot: Slot, table: str = "t") -> str:
        inner = plain(kind)
        read = self.fold(inner, slot, table)
        if not (optional or kind.nullable):
            return read
        present = "" if isinstance(inner, List | Map) else "sum.present(); "
        return f"if ({_has(inner, slot, table)}) {{ {present}{read} }} else {{ sum.missing(); }}"

    def fold(self, kind: AnyType, slot: Slot, table: str) -> str:
        place = f"{table}.{slot.name}"
        if isinstance(kind, Base64):
            return f"sum.bytes(Buffers.bytes({place}AsByteBuffer()));"
        if isinstance(kind, Ref):
            return f"fold{kind.name}({place}(), sum);"
        if isinstance(kind, List | Map):
            owner = self.owner(slot)
            name = self.methods.named(
                "fold", (kind, owner, slot.name), lambda name: self.fold_many(name, kind, slot, owner)
            )
            return f"{name}({table}, sum);"
        return fold_scalar(kind, f"{place}()")

    def fold_many(self, name: str, kind: List | Map, slot: Slot, owner: str) -> str:
        if isinstance(kind, Map):
            table = self.tables[self.plan.entries[canonical(kind.values)]]
            read = self.fold_slot(kind.values, False, table.slots[1], "e")
            body = f"{FB}.{table.name} e = t.{slot.name}(i); sum.text(e.key()); {read}"
        else:
            body = self.fold_item(kind.items, f"t.{slot.name}(i)")
        return f"""    private static void {name}({FB}.{owner} t, Sum sum) {{
        int n = t.{slot.name}Length();
        sum.word(n);
        for (int i = 0; i < n; i++) {{ {body} }}
    }}
"""

    def fold_item(self, kind: AnyType, value: str) -> str:
        wrapper = self.wrapper(kind)
        if wrapper:
            return f"{self.fold_wrapper(kind, wrapper)}({value}, sum);"
        return f"fold{kind.name}({value}, sum);" if isinstance(kind, Ref) else fold_scalar(kind, value)


def _has(kind: AnyType, slot: Slot, table: str) -> str:
    if fbs.is_inline(kind):
        return f"{table}.has{capital(slot.name)}()"
    if isinstance(kind, Base64):
        return f"{table}.{slot.name}AsByteBuffer() != null"
    return f"{table}.{slot.name}{'Vector' if isinstance(kind, List | Map) else ''}() != null"


def _bytes(kind: AnyType) -> int:
    """Bytes of a field in its table."""
    if isinstance(kind, Bool):
        return 1
    if isinstance(kind, Int):
        return 8 if width(kind).endswith("64") else 4
    return 8 if isinstance(kind, Timestamp) or (isinstance(kind, Float) and kind.bits == 64) else 4


def _adder(kind: AnyType) -> str:
    if isinstance(kind, Bool):
        return "addBoolean"
    if isinstance(kind, Float):
        return "addDouble" if kind.bits == 64 else "addFloat"
    return "addLong" if _bytes(kind) == 8 else "addInt"


def _scalar(kind: AnyType, value: str) -> str:
    """A native scalar as the generated `add` takes it: a long for an unsigned integer of 32 bits."""
    if isinstance(kind, Timestamp):
        return f"{value}.nanos()"
    return f"{value}.bits()" if isinstance(kind, Int) and is_above_i64(kind) else value


def _as_stored(kind: AnyType, value: str) -> str:
    """A native scalar as the builder's own `add` takes it: an int for 32 bits."""
    is_short = isinstance(kind, Int) and _bytes(kind) == 4
    return f"(int) ({native(kind)}) {value}" if is_short else _scalar(kind, value)


def _as_native(kind: AnyType, value: str) -> str:
    if isinstance(kind, Timestamp):
        return f"Timestamp.ofNanos({value})"
    if isinstance(kind, Int) and is_above_i64(kind):
        return f"new Unsigned({value})"
    return f"(int) {value}" if isinstance(kind, Int) and native(kind) == "int" else value
