"""Cap'n Proto in Java: the conversion between native objects and the classes of capnpc-java.

capnpc-java, the official generator, is a C++ program that no package registry has. Where it is not
installed, the codecs are skipped.
"""

from __future__ import annotations

import shutil

from wirelab.codecs.java import unions
from wirelab.codecs.java.capnp_fill import BuilderFiller
from wirelab.codecs.java.capnp_read import CapnpReader
from wirelab.codecs.java.capnp_types import CP, LIB, OUTER, STRUCTS
from wirelab.codecs.java.model import IMPORTS, fold_alternative
from wirelab.codecs.java.names import MODEL, boxed, capital, native
from wirelab.codecs.positional_names import numbered
from wirelab.model.schema import (
    Record,
    Schema,
)
from wirelab.schema.emitters import capnp

GENERATOR = "capnpc-java"
_ANNOTATIONS = f"""
annotation package @0x9ee4c8f803b3b596 (file) :Text;
annotation outerClassname @0x9b066bb4881f7cd3 (file) :Text;
$package("{CP}");
$outerClassname("{OUTER}");
"""
"""As capnpc-java knows them, by their ids, without its file java.capnp."""


def missing_generator() -> str:
    """The reason why the codecs cannot be built here, and the next step; "" if they can."""
    if shutil.which(GENERATOR):
        return ""
    return f"{GENERATOR} is missing: build it from the sources of capnproto-java (make install)"


def sources(schema: Schema) -> dict[str, str]:
    """The sources: .capnp file, converter and codec."""
    renamed = numbered(schema)
    writer = _ConverterWriter(renamed)
    message, root = boxed(native(renamed.root)), f"{STRUCTS}.{writer.plan.root}"
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
        Converter.fill(builder.initRoot({root}.factory), message);
        if (isPacked) {{
            SerializePacked.writeToUnbuffered(out, builder);
        }} else {{
            Serialize.write(out, builder);
        }}
    }}

    @Override
    public {root}.Reader access(byte[] bytes) throws IOException {{
        // The default limits are meant for network servers.
        ReaderOptions limits = new ReaderOptions(Long.MAX_VALUE, 1000);
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        MessageReader reader = isPacked
                ? SerializePacked.read(new ArrayInputStream(buffer), limits)
                : Serialize.read(buffer, limits);
        return reader.getRoot({root}.factory);
    }}

    @Override
    public void decode(byte[] bytes, Checksum sum) throws IOException {{
        Converter.fold(access(bytes), sum);
    }}

    @Override
    public {message} convert(byte[] bytes) throws IOException {{
        return Converter.convert(access(bytes));
    }}
}}
"""
    return {
        "schema.capnp": capnp.emit(renamed) + _ANNOTATIONS,
        "cp/Converter.java": writer.write_class(),
        "cp/CapnpCodec.java": codec,
    }


class _ConverterWriter(BuilderFiller, CapnpReader):
    """Generates `fill`, `convert` and `fold`."""

    def write_class(self) -> str:
        root, kind = self.tables[self.plan.root], self.schema.root
        message, struct = boxed(native(kind)), f"{STRUCTS}.{root.name}"
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
public final class Converter {{
    public static void fill({struct}.Builder b, {message} m) {{
        {filled}
    }}
    public static {message} convert({struct}.Reader r) {{
        return {taken};
    }}
    public static void fold({struct}.Reader r, Checksum sum) {{
        {read}
    }}
{records}{self.methods.text}}}
"""

    def record(self, record: Record) -> str:
        if record.shape == "union":
            return self.union(record)
        struct, mine = f"{STRUCTS}.{record.name}", f"{MODEL}.{record.name}"
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
    private static void fold{record.name}({struct}.Reader r, Checksum sum) {{
{folds}    }}
"""

    def union(self, record: Record) -> str:
        struct, mine = f"{STRUCTS}.{record.name}", f"{MODEL}.{record.name}"
        pairs = list(zip(record.fields, self.tables[record.name].slots, strict=True))
        labels = [capital(slot.name) for _, slot in pairs]
        fills = [self.fill_slot(field.type, slot, "v") for field, slot in pairs]
        takes = [
            f"return new {unions.alternative(record, field)}({self.take_slot(field.type, False, slot)});"
            for field, slot in pairs
        ]
        folds = [
            fold_alternative(index, self.fold_slot(field.type, False, slot))
            for index, (field, slot) in enumerate(pairs)
        ]
        return f"""
    private static void fill{record.name}({struct}.Builder b, {mine} m) {{
{unions.switch(record, "m", fills)}    }}
    private static {mine} convert{record.name}({struct}.Reader r) {{
{unions.choose("r.which()", labels, takes)}    }}
    private static void fold{record.name}({struct}.Reader r, Checksum sum) {{
{unions.choose("r.which()", labels, folds)}    }}
"""
