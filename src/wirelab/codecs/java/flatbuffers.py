"""FlatBuffers: the .fbs file for flatc, the converter of tables and native objects, the codec."""

from __future__ import annotations

from wirelab.codecs.java.dom import TREE
from wirelab.codecs.java.dom_flatbuffers import DomTables
from wirelab.codecs.java.flatbuffers_build import BUILDER, FB, FlatBuffersWriter
from wirelab.codecs.java.flatbuffers_read import FlatBuffersReader
from wirelab.codecs.java.model import IMPORTS
from wirelab.codecs.java.names import MODEL, boxed, native, read_field
from wirelab.codecs.positional_names import numbered
from wirelab.model.schema import (
    Record,
    Schema,
)
from wirelab.schema.emitters import flatbuffers as fbs
from wirelab.schema.emitters.common import plain


def sources(schema: Schema) -> dict[str, str]:
    """The sources: .fbs file, converter and codec. flatc adds the classes of the tables."""
    renamed = numbered(schema)
    writer = _ConverterWriter(renamed)
    message, root = boxed(native(renamed.root)), writer.plan.root
    text = f"namespace {FB};\n{fbs.emit(renamed)}"
    return {
        "schema.fbs": text,
        "fb/Converter.java": writer.write_class(),
        "fb/FlatBuffersCodec.java": _codec("FlatBuffersCodec", message, "Converter", root),
        "fb/DomConverter.java": DomTables(schema).write_class(),
        "fb/FlatBuffersDomCodec.java": _codec("FlatBuffersDomCodec", "JsonNode", "DomConverter", root),
    }


def _codec(name: str, message: str, converter: str, root: str) -> str:
    """The codec between `message` and the table `root`, with the methods of `converter`."""
    return f"""package {FB};

{TREE}{IMPORTS}import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;

public final class {name} extends Codec<{message}, Void> {{
    private final FlatBufferBuilder builder = new FlatBufferBuilder(1 << 16);

    @Override
    public void serialize({message} message, Output out) {{
        builder.clear();
        builder.finish({converter}.build(builder, message));
        ByteBuffer data = builder.dataBuffer();
        out.write(data.array(), data.arrayOffset() + data.position(), data.remaining());
    }}

    @Override
    public Object access(byte[] bytes) {{
        return {FB}.{root}.getRootAs{root}(ByteBuffer.wrap(bytes));
    }}

    @Override
    public void decode(byte[] bytes, Checksum sum) {{
        Converter.fold({FB}.{root}.getRootAs{root}(ByteBuffer.wrap(bytes)), sum);
    }}

    @Override
    public {message} convert(byte[] bytes) {{
        return {converter}.convert({FB}.{root}.getRootAs{root}(ByteBuffer.wrap(bytes)));
    }}
}}
"""


class _ConverterWriter(FlatBuffersWriter, FlatBuffersReader):
    """Generates `build`, `convert` and `fold`."""

    def write_class(self) -> str:
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
public final class Converter {{
    public static int build({BUILDER} b, {message} m) {{
        return {built};
    }}
    public static {message} convert({table} t) {{
        return {taken};
    }}
    public static void fold({table} t, Checksum sum) {{
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
    private static void fold{record.name}({FB}.{record.name} t, Checksum sum) {{
{folds}    }}
"""
