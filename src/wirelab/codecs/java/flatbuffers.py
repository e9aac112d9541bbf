"""FlatBuffers: the .fbs file for flatc, the converter of tables and native objects, the codec."""

from __future__ import annotations

from wirelab.codecs.java import unions
from wirelab.codecs.java.dom import TREE
from wirelab.codecs.java.dom_flatbuffers import DomTables
from wirelab.codecs.java.flatbuffers_build import BUILDER, FB, FlatBuffersWriter
from wirelab.codecs.java.flatbuffers_read import FlatBuffersReader
from wirelab.codecs.java.model import IMPORTS, fold_alternative
from wirelab.codecs.java.names import MODEL, boxed, native, read_field
from wirelab.codecs.positional_names import numbered
from wirelab.model.schema import (
    Record,
    Ref,
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
    units = [("", message, writer.write_class()), ("Dom", "JsonNode", DomTables(schema).write_class())]
    files = {"schema.fbs": text}
    for prefix, given, converter in units:
        name = f"FlatBuffers{prefix}Codec"
        files[f"fb/{prefix}Converter.java"] = converter
        files[f"fb/{name}.java"] = _codec(name, given, f"{prefix}Converter", root)
    return files


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
        if record.shape == "union":
            return self.union(record)
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

    def union(self, record: Record) -> str:
        table, mine = self.tables[record.name], f"{MODEL}.{record.name}"
        java, tag = f"{FB}.{table.name}", f"{FB}.{fbs.union_name(self.plan, table)}"
        builds, takes, folds, labels = [], [], [], []
        for index, (field, slot) in enumerate(zip(record.fields, table.slots, strict=True)):
            assert isinstance(slot.type, Ref)
            member, kind, box = slot.type.name, field.type, self.box(field.type, slot.type)
            read = f"({FB}.{member}) t.value(new {FB}.{member}())"
            built = f"{self.wrap(kind, box)}(b, v)" if box else f"build{member}(b, v)"
            taken = f"{self.unwrap(kind, box)}({read})" if box else f"convert{member}({read})"
            fold = f"{self.fold_wrapper(kind, box)}({read}, sum);" if box else f"fold{member}({read}, sum);"
            labels.append(f"{tag}.{member}")
            builds.append(f"return {java}.create{table.name}(b, {tag}.{member}, {built});")
            takes.append(f"return new {unions.alternative(record, field)}({taken});")
            folds.append(fold_alternative(index, fold))
        return f"""
    private static int build{record.name}({BUILDER} b, {mine} m) {{
{unions.switch(record, "m", builds)}    }}
    private static {mine} convert{record.name}({java} t) {{
{unions.choose("t.valueType()", labels, takes)}    }}
    private static void fold{record.name}({java} t, Checksum sum) {{
{unions.choose("t.valueType()", labels, folds)}    }}
"""
