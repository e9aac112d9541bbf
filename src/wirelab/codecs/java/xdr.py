"""Generates an XDR codec (RFC 4506) for native objects, in the layout of the emitted .x file."""

from __future__ import annotations

from wirelab.codecs.java import unions
from wirelab.codecs.java.model import IMPORTS
from wirelab.codecs.java.names import MODEL, PACKAGE, Methods, boxed, native, read_field
from wirelab.codecs.positional_names import is_above_i64, numbered
from wirelab.model.schema import (
    Any,
    AnyType,
    Base64,
    Bool,
    Decimal,
    Field,
    Float,
    Int,
    List,
    Map,
    Record,
    Ref,
    Schema,
    String,
)
from wirelab.schema.emitters.common import plain, width
from wirelab.schema.recursion import recursive


def sources(schema: Schema) -> dict[str, str]:
    """The codec."""
    renamed = numbered(schema)
    writer = _Writer(renamed)
    message = boxed(native(renamed.root))
    write, read = writer.write(renamed.root, renamed.root.nullable, "m"), writer.read(renamed.root, False)
    records = "".join(map(writer.record, renamed.records))
    text = f"""package {PACKAGE}.xd;

{IMPORTS}import java.io.IOException;

public final class XdrCodec extends Codec<{message}, Void> {{
    @Override
    public void serialize({message} m, Output buffer) {{
        XdrWriter out = new XdrWriter(buffer);
        {write}
    }}

    @Override
    public void decode(byte[] bytes, Checksum sum) throws IOException {{
        {MODEL}.Folds.fold(convert(bytes), sum);
    }}

    @Override
    public {message} convert(byte[] bytes) throws IOException {{
        XdrReader in = new XdrReader(bytes);
        {message} m = {read};
        in.requireEnd();
        return m;
    }}
{records}{writer.methods.text}}}
"""
    return {"xd/XdrCodec.java": text}


class _Writer:
    def __init__(self, schema: Schema) -> None:
        self.schema, self.methods = schema, Methods()
        self.recursive = recursive(schema.records)

    def record(self, record: Record) -> str:
        if record.shape == "union":
            return self.union(record)
        java = f"{MODEL}.{record.name}"
        writes = "".join(f"        {self.write_field(field)}\n" for field in record.fields)
        reads = "".join(f"        {self.read_field(field)}\n" for field in record.fields)
        enter, leave = (
            ("        in.enter();\n", "        in.leave();\n") if record.name in self.recursive else ("", "")
        )
        # XDR has no empty struct: a record without fields contains one unused int.
        return f"""
    private static void write{record.name}({java} m, XdrWriter out) {{
{writes or "        out.putInt(0);" + chr(10)}    }}
    private static {java} read{record.name}(XdrReader in) throws IOException {{
{enter}        {java} m = new {java}();
{reads or "        in.getInt();" + chr(10)}{leave}        return m;
    }}
"""

    def union(self, record: Record) -> str:
        java = f"{MODEL}.{record.name}"
        writes = [self.write_plain(field.type, "v") for field in record.fields]
        reads = [self.read_plain(field.type) for field in record.fields]
        return f"""
    private static void write{record.name}({java} m, XdrWriter out) {{
        out.putInt(m.alternative());
{unions.switch(record, "m", writes)}    }}
    private static {java} read{record.name}(XdrReader in) throws IOException {{
        int number = in.getInt();
        return switch (number) {{
{unions.made(record, map(str, range(len(reads))), reads)}            default -> throw Buffers.noAlternative(number);
        }};
    }}
"""

    def write_field(self, field: Field) -> str:
        if not (field.optional and field.type.nullable):
            return self.write(field.type, field.optional or field.type.nullable, f"m.{field.name}")
        name = f"v{field.name}"
        return f"{boxed(native(field.type))} {name} = {read_field(field, 'm')}; {self.write(field.type, True, name)}"

    def read_field(self, field: Field) -> str:
        value = self.read(field.type, field.optional)
        both = field.optional and field.type.nullable
        return f"m.{field.name} = {f'Buffers.toOptional({value})' if both else value};"

    def write(self, kind: AnyType, may_lack: bool, value: str) -> str:
        """A statement that writes a native value."""
        inner = self.write_plain(plain(kind), value)
        return f"out.putBool({value} != null); if ({value} != null) {{ {inner} }}" if may_lack else inner

    def read(self, kind: AnyType, optional: bool) -> str:
        """An expression that reads a native value."""
        inner = self.read_plain(plain(kind))
        if not (optional or kind.nullable):
            return inner
        box = boxed(native(plain(kind)))
        return f"(in.getBool() ? ({box}) {inner} : null)"

    def write_plain(self, kind: AnyType, value: str) -> str:
        if isinstance(kind, Ref):
            return f"write{kind.name}({value}, out);"
        if isinstance(kind, List | Map):
            return f"{self.methods.named('write', kind, lambda name: self.write_collection(name, kind))}({value}, out);"
        if isinstance(kind, Int):
            bits = f"{value}.bits()" if is_above_i64(kind) else value
            is_short = width(kind).endswith("32")
            return f"out.putInt((int) ({native(kind)}) {bits});" if is_short else f"out.putLong({bits});"
        if isinstance(kind, Float):
            return f"out.put{'Double' if kind.bits == 64 else 'Float'}({value});"
        if isinstance(kind, Any | Decimal):
            return f"out.putText({value}.text());"
        calls: dict[type, str] = {Bool: "Bool", String: "Text", Base64: "Bytes"}
        call = calls.get(type(kind))
        return f"out.put{call}({value});" if call else f"out.putLong({value}.nanos());"

    def read_plain(self, kind: AnyType) -> str:
        if isinstance(kind, Ref):
            return f"read{kind.name}(in)"
        if isinstance(kind, List | Map):
            return f"{self.methods.named('read', kind, lambda name: self.read_collection(name, kind))}(in)"
        if isinstance(kind, Int):
            return _read_integer(kind)
        if isinstance(kind, Float):
            return "in.getDouble()" if kind.bits == 64 else "in.getFloat()"
        if isinstance(kind, Any | Decimal):
            return f"{native(kind)}.parse(in.getText())"
        calls: dict[type, str] = {Bool: "Bool", String: "Text", Base64: "Bytes"}
        call = calls.get(type(kind))
        return f"in.get{call}()" if call else "Timestamp.ofNanos(in.getLong())"

    def write_collection(self, name: str, kind: List | Map) -> str:
        if isinstance(kind, Map):
            inner = boxed(native(kind.values))
            loop = f"for (Map.Entry<String, {inner}> e : all.entrySet()) {{ out.putText(e.getKey()); {inner} v = e.getValue();"
            item = self.write(kind.values, kind.values.nullable, "v")
        else:
            loop = f"for ({boxed(native(kind.items))} v : all) {{"
            item = self.write(kind.items, kind.items.nullable, "v")
        return f"""    private static void {name}({native(kind)} all, XdrWriter out) {{
        out.putInt(all.size());
        {loop} {item} }}
    }}
"""

    def read_collection(self, name: str, kind: List | Map) -> str:
        made = native(kind)
        if isinstance(kind, Map):
            new, item = f"new {made}()", f"all.put(in.getText(), {self.read(kind.values, False)});"
        else:
            new, item = "new ArrayList<>(n)", f"all.add({self.read(kind.items, False)});"
        return f"""    private static {made} {name}(XdrReader in) throws IOException {{
        int n = in.getCount();
        {made} all = {new};
        for (int i = 0; i < n; i++) {{ {item} }}
        return all;
    }}
"""


def _read_integer(kind: Int) -> str:
    if width(kind).endswith("64"):
        return "new Unsigned(in.getLong())" if is_above_i64(kind) else "in.getLong()"
    return "in.getInt()" if native(kind) == "int" else "Integer.toUnsignedLong(in.getInt())"
