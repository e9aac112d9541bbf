"""The object models of Protobuf, Thrift and Avro, and the sources of their codecs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from wirelab.codecs.java.dom import TREE, DomObjects
from wirelab.codecs.java.model import IMPORTS
from wirelab.codecs.java.names import PACKAGE, boxed, capital, native
from wirelab.codecs.java.object_model import ObjectModel
from wirelab.codecs.java.objects import Objects
from wirelab.codecs.java.unions import choose
from wirelab.codecs.positional_names import numbered
from wirelab.model.schema import AnyType, Base64, Float, Int, List, Map, Ref, Schema
from wirelab.schema.emitters import avro, protobuf, thrift
from wirelab.schema.emitters.common import Layout, Slot, fits_int32, width
from wirelab.schema.places import places

PROTO_OUTER = "WirelabSchema"


class Protobuf(ObjectModel):
    """protoc's messages and builders: immutable, lists copied, strings decoded at first read."""

    package = f"{PACKAGE}.pb"
    shares_lists = False
    distinguishes_empty = False
    octets = "com.google.protobuf.ByteString"

    def integer(self, slot: Int) -> str:
        return "int" if width(slot).endswith("32") else "long"

    def float(self, slot: Float) -> str:
        return "double" if slot.bits == 64 else "float"

    def is_unsigned(self, slot: Int) -> bool:
        return width(slot) == "u32"

    def to_octets(self, value: str) -> str:
        return f"com.google.protobuf.ByteString.copyFrom({value})"

    def from_octets(self, value: str) -> str:
        return f"{value}.toByteArray()"

    def create(self, table: str, sets: list[str]) -> str:
        java = f"{self.package}.{table}"
        return f"{java}.Builder b = {java}.newBuilder(); {' '.join(sets)} return b.build();"

    def set(self, slot: Slot, value: str) -> str:
        verb = "addAll" if isinstance(slot.type, List) else "putAll" if isinstance(slot.type, Map) else "set"
        return f"b.{verb}{capital(slot.name)}({value})"

    def get(self, slot: Slot) -> str:
        ending = "List" if isinstance(slot.type, List) else "Map" if isinstance(slot.type, Map) else ""
        return f"o.get{capital(slot.name)}{ending}()"

    def has(self, slot: Slot) -> str:
        return f"o.has{capital(slot.name)}()"

    def choose(self, slots: Sequence[Slot], bodies: Sequence[str]) -> str:
        return choose("o.getValueCase()", [capital(slot.name) for slot in slots], bodies)


class _Plain(ObjectModel):
    """Java beans that keep lists and maps without a copy, and byte strings as buffers."""

    octets = "java.nio.ByteBuffer"

    def integer(self, slot: Int) -> str:
        return "int" if fits_int32(slot) else "long"

    def to_octets(self, value: str) -> str:
        return f"java.nio.ByteBuffer.wrap({value})"

    def from_octets(self, value: str) -> str:
        return f"Buffers.copyBytes({value})"

    def create(self, table: str, sets: list[str]) -> str:
        java = f"{self.package}.{table}"
        return f"{java} b = new {java}(); {' '.join(sets)} return b;"

    def set(self, slot: Slot, value: str) -> str:
        return f"b.set{capital(slot.name)}({value})"


class Thrift(_Plain):
    """Thrift's structs: public fields, and a presence bit per scalar."""

    package = f"{PACKAGE}.th"

    def float(self, slot: Float) -> str:  # noqa: ARG002
        return "double"

    def get(self, slot: Slot) -> str:
        return f"o.{slot.name}"

    def has(self, slot: Slot) -> str:
        return f"o.isSet{capital(slot.name)}()"

    def get_alternative(self, slot: Slot) -> str:
        return f"o.{'bufferFor' if isinstance(slot.type, Base64) else 'get'}{capital(slot.name)}()"

    def choose(self, slots: Sequence[Slot], bodies: Sequence[str]) -> str:
        which = "Buffers.requireAlternative(o.getSetField())"
        return choose(which, [capital(slot.name) for slot in slots], bodies)


class Avro(_Plain):
    """Avro's specific records. A union is an Object, whose class tells the alternative."""

    package = f"{PACKAGE}.av"

    def __init__(self, schema: Schema) -> None:
        self.unions = {record.name for record in schema.records if record.shape == "union"}

    def float(self, slot: Float) -> str:
        return "double" if slot.bits == 64 else "float"

    def get(self, slot: Slot) -> str:
        return f"o.get{capital(slot.name)}()"

    def has(self, slot: Slot) -> str:
        return f"o.get{capital(slot.name)}() != null"

    def java(self, slot: AnyType) -> str:
        return "Object" if isinstance(slot, Ref) and slot.name in self.unions else super().java(slot)

    def create_alternative(self, table: str, slot: Slot, value: str) -> str:  # noqa: ARG002
        return f"return {value};"

    def get_alternative(self, slot: Slot) -> str:
        return f"(({boxed(self.java(slot.type))}) o)"

    def choose(self, slots: Sequence[Slot], bodies: Sequence[str]) -> str:
        tests = "".join(
            f"if (o instanceof {boxed(self.java(slot.type)).partition('<')[0]}) {{ {body} }}\n        else "
            for slot, body in zip(slots, bodies, strict=True)
        )
        return f"        {tests}{{ throw Buffers.noAlternative(o); }}\n"


def protobuf_sources(schema: Schema) -> dict[str, str]:
    """The sources: .proto file, converter and codec."""
    renamed = numbered(schema)
    objects = Objects(renamed, protobuf.tables(renamed), Protobuf())
    options = f'option java_package = "{Protobuf.package}";\noption java_multiple_files = true;\n'
    options += f'option java_outer_classname = "{PROTO_OUTER}";\n'
    syntax, _, rest = protobuf.emit(renamed).partition("\n")
    units: list[tuple[str, Objects, str]] = [
        ("", objects, ""),
        ("Dom", DomObjects(schema, protobuf.tables(renamed), Protobuf()), "JsonNode"),
    ]
    sources = {"schema.proto": f"{syntax}\n{options}{rest}"}
    for prefix, unit, message in units:
        sources[f"pb/{prefix}Converter.java"] = unit.write_class()
        sources[f"pb/Protobuf{prefix}Codec.java"] = _codec(
            f"Protobuf{prefix}Codec",
            unit,
            imports=f"import com.google.protobuf.CodedOutputStream;\n{TREE}",
            message=message,
            converter=f"{prefix}Converter",
            encode="""int size = object.getSerializedSize();
        byte[] room = out.reserve(size);
        CodedOutputStream to = CodedOutputStream.newInstance(room, out.size(), size);
        object.writeTo(to);
        to.flush();
        out.advance(size);""",
            parse=f"return {objects.root}.parseFrom(bytes);",
        )
    return sources


def thrift_sources(schema: Schema) -> dict[str, str]:
    """The sources: .thrift file, converter, and the codec of both protocols."""
    renamed = numbered(schema)
    objects = Objects(renamed, thrift.tables(renamed), Thrift())
    codec = _codec(
        "ThriftCodec",
        objects,
        imports="""import org.apache.thrift.protocol.*;
import org.apache.thrift.transport.*;
""",
        members="""    private final TProtocolFactory protocol;

    public ThriftCodec(TProtocolFactory protocol) {
        this.protocol = protocol;
    }

""",
        encode="""TIOStreamTransport to = new TIOStreamTransport(Buffers.THRIFT, out);
        object.write(protocol.getProtocol(to));
        to.flush();""",
        parse=f"""TMemoryInputTransport from = new TMemoryInputTransport(Buffers.THRIFT, bytes);
        {objects.root} object = new {objects.root}();
        object.read(protocol.getProtocol(from));
        Buffers.requireEnd(from.getBytesRemainingInBuffer());
        return object;""",
    )
    text = f"namespace java {Thrift.package}\n{thrift.emit(renamed)}"
    return {"schema.thrift": text, "th/Converter.java": objects.write_class(), "th/ThriftCodec.java": codec}


def avro_sources(schema: Schema) -> dict[str, str]:
    """The sources: .avsc file, converter and codec."""
    renamed = numbered(schema)
    objects = Objects(_used(renamed), Layout("", (), {}, {}), Avro(renamed))
    text = json.dumps(_for_compiler(json.loads(avro.emit(renamed))))
    codec = _codec(
        "AvroCodec",
        objects,
        imports="""import org.apache.avro.Schema;
import org.apache.avro.io.*;
import org.apache.avro.specific.*;
""",
        members="""    private final SpecificDatumWriter<@> writer;
    private final SpecificDatumReader<@> reader;
    private BinaryEncoder encoder;
    private BinaryDecoder decoder;

    public AvroCodec() throws java.io.IOException {
        Schema schema = Buffers.parseAvroSchema(getClass().getResourceAsStream("/schema.avsc"));
        SpecificData data = new SpecificData(getClass().getClassLoader());
        writer = new SpecificDatumWriter<>(schema, data);
        reader = new SpecificDatumReader<>(schema, schema, data);
    }

""".replace("@", objects.root),
        encode="""encoder = EncoderFactory.get().binaryEncoder(out, encoder);
        writer.write(object, encoder);
        encoder.flush();""",
        parse=f"""decoder = DecoderFactory.get().binaryDecoder(bytes, decoder);
        {objects.root} object = reader.read(null, decoder);
        Buffers.requireEnd(decoder.isEnd() ? 0 : 1);
        return object;""",
    )
    return {"schema.avsc": text, "av/Converter.java": objects.write_class(), "av/AvroCodec.java": codec}


def _used(schema: Schema) -> Schema:
    """The schema without records that no message uses, which an .avsc leaves out."""
    names = {place.kind.name for place in places(schema) if isinstance(place.kind, Ref)}
    return Schema(schema.root, tuple(record for record in schema.records if record.name in names))


def _for_compiler(node: Any, is_inside: bool = False) -> Any:
    """The schema with the pack's package, strings as String and timestamps as plain longs.

    `is_inside`: whether the node is in a record, whose package its names have.
    """
    if isinstance(node, list):
        return [_for_compiler(item, is_inside) for item in node]
    if node == "string":
        return {"type": "string", "avro.java.string": "String"}
    if not isinstance(node, dict):
        return node if is_inside or node in PRIMITIVES else f"{Avro.package}.{node}"
    is_record = node.get("type") == "record"
    inside = is_inside or is_record
    made = {key: _for_compiler(value, inside) if key in _TYPES else value for key, value in node.items()}
    made.pop("logicalType", None)
    if is_record:
        made["namespace"] = Avro.package
    if node.get("type") == "map":
        made["avro.java.string"] = "String"
    return made


PRIMITIVES = ("null", "boolean", "int", "long", "float", "double", "bytes", "array", "map", "record")
_TYPES = ("type", "items", "values", "fields")


def _codec(
    name: str,
    objects: Objects,
    *,
    imports: str,
    encode: str,
    parse: str,
    members: str = "",
    message: str = "",
    converter: str = "Converter",
) -> str:
    message = message or boxed(native(objects.schema.root))
    return f"""package {objects.library.package};

{imports}{IMPORTS}
public final class {name} extends ObjectCodec<{message}, {objects.root}> {{
{members}    @Override
    public {objects.root} populate({message} message) {{
        return {converter}.populate(message);
    }}

    @Override
    public void encode({objects.root} object, Output out) throws Exception {{
        {encode}
    }}

    @Override
    public {objects.root} parse(byte[] bytes) throws Exception {{
        {parse}
    }}

    @Override
    public void fold({objects.root} object, Checksum sum) {{
        {converter}.fold(object, sum);
    }}

    @Override
    public {message} toNative({objects.root} object) {{
        return {converter}.convert(object);
    }}
}}
"""
