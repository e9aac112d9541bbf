"""The Java codecs: which library stands for which format, and which formats have none that could be used."""

from __future__ import annotations

from wirelab.codecs.java.names import native
from wirelab.codecs.registry import CodecSpec
from wirelab.model.schema import AnyType, List, Map, Record, Ref, Schema, walk

_BOUND = ("encode", "decode", "convert", "serialize", "deserialize")
_OBJECTS = ("populate", *_BOUND)
_COPIED = {"buffer": "reused", "strings": "copied"}
_READ = {"strings": "copied when read"}
_TEXT = {**_COPIED, "binding": "annotated public fields, by reflection"}
_KEYS = {**_TEXT, "records": "maps with text keys"}
_DOM = {**_COPIED, "source": "Jackson tree"}
_MADE = {**_COPIED, "objects": "new for each message"}

_PROTOBUF = CodecSpec(
    "protobuf",
    "protobuf-java",
    "protobuf-java",
    "new wirelab.pack.pb.ProtobufCodec()",
    _OBJECTS,
    _MADE,
    self_delimiting=False,
)
_FLATBUFFERS = CodecSpec(
    "flatbuffers",
    "flatbuffers-java",
    "flatbuffers-java",
    "new wirelab.pack.fb.FlatBuffersCodec()",
    ("encode", "access", *_BOUND[1:]),
    {"buffer": "reused", **_READ, "decode": "not verified: the library has no verifier"},
    self_delimiting=False,
)
_THRIFT = CodecSpec(
    "thrift",
    "libthrift-compact",
    "libthrift",
    "new wirelab.pack.th.ThriftCodec(new org.apache.thrift.protocol.TCompactProtocol.Factory())",
    _OBJECTS,
    {**_MADE, "protocol": "compact"},
)
_CAPNP = CodecSpec(
    "capnp",
    "capnproto-java",
    "runtime",
    "new wirelab.pack.cp.CapnpCodec(false)",
    ("encode", "access", *_BOUND[1:]),
    {
        "buffer": "new for each message",
        **_READ,
        "packing": "no",
        "accessors": "written by wirelab as the plugin would",
    },
)
JAVA = (
    CodecSpec("json", "jackson-databind", "jackson-databind", "", _BOUND, {**_TEXT, "text": "compact"}),
    CodecSpec(
        "json",
        "jackson-dom",
        "jackson-databind",
        "",
        ("encode", "convert", "serialize", "deserialize"),
        {**_DOM, "text": "compact"},
    ),
    CodecSpec(
        "xml",
        "jackson-dataformat-xml",
        "jackson-dataformat-xml",
        "",
        _BOUND,
        {**_TEXT, "text": "compact", "null": "xsi:nil", "illegal names": "base64"},
    ),
    CodecSpec("yaml", "jackson-dataformat-yaml", "jackson-dataformat-yaml", "", _BOUND, _TEXT),
    CodecSpec("cbor", "jackson-dataformat-cbor", "jackson-dataformat-cbor", "", _BOUND, _KEYS),
    CodecSpec(
        "smile",
        "jackson-dataformat-smile",
        "jackson-dataformat-smile",
        "",
        _BOUND,
        {**_KEYS, "shared names": "yes", "shared values": "no"},
    ),
    CodecSpec("msgpack", "jackson-dataformat-msgpack", "jackson-dataformat-msgpack", "", _BOUND, _KEYS),
    CodecSpec("bson", "bson4jackson", "bson4jackson", "", _BOUND, _KEYS),
    CodecSpec(
        "ion", "jackson-dataformat-ion", "jackson-dataformat-ion", "", _BOUND, {**_KEYS, "encoding": "binary"}
    ),
    _PROTOBUF,
    _PROTOBUF.other(
        "protobuf-java-dom", _DOM, source="new DomAdapter<>(new wirelab.pack.pb.ProtobufDomCodec(), this)"
    ),
    _FLATBUFFERS,
    _FLATBUFFERS.other(
        "flatbuffers-java-dom",
        _DOM,
        source="new DomAdapter<>(new wirelab.pack.fb.FlatBuffersDomCodec(), this)",
    ),
    CodecSpec(
        "avro",
        "avro-java",
        "avro",
        "new wirelab.pack.av.AvroCodec()",
        _OBJECTS,
        {**_MADE, "framing": "single datum, schema known to both sides", "custom coders": "off, the default"},
    ),
    _THRIFT,
    _THRIFT.other(
        "libthrift-binary", {"protocol": "binary"}, source=_THRIFT.source.replace("Compact", "Binary")
    ),
    _CAPNP,
    _CAPNP.other(
        "capnproto-java-packed",
        {"packing": "yes"},
        source=_CAPNP.source.replace("false", "true"),
        phases=_BOUND,
    ),
    CodecSpec(
        "xdr",
        "generated-java",
        "",
        "new wirelab.pack.xd.XdrCodec()",
        _BOUND,
        {**_COPIED, "code": "written by wirelab to RFC 4506"},
    ),
)

MISSING = {
    "ubjson": "the last release of a UBJSON library for Java (com.dev-smart:ubjson 0.1.8) is of 2018",
}
"""Formats that other languages have and Java cannot: the reason."""

_MOST_PARAMETERS = 254
"""JVM Specification, 4.3.3: a method takes 255 units at most, a long or double being two; `this` is one."""


def java_codecs(schema: Schema) -> tuple[tuple[CodecSpec, ...], dict[str, str]]:
    """The codecs that can carry a schema, and the others: name -> why not."""
    reasons = {codec.name: skipped(codec, schema) for codec in JAVA}
    fit = tuple(codec for codec in JAVA if not reasons[codec.name])
    left = {name: why for name, why in reasons.items() if why}
    return fit, left | {f"{name}/none": why for name, why in MISSING.items()}


def skipped(codec: CodecSpec, schema: Schema) -> str:
    """Why a codec cannot carry a schema, "" if it can."""
    if codec.format == "bson" and not (isinstance(schema.root, Ref | Map) and not schema.root.nullable):
        return "a BSON message is a document: the root must be a record or a map"
    if codec.format == "xml":
        kinds = [schema.root, *(field.type for record in schema.records for field in record.fields)]
        if any(_holds_list(inner) for kind in kinds for inner in walk(kind)):
            return "Jackson cannot read a list inside a list or map back from XML"
    if codec.format == "thrift":
        wide = [record.name for record in schema.records if _parameters(record) > _MOST_PARAMETERS]
        if wide:
            return f"the constructor that Thrift's compiler writes for {wide[0]} has too many parameters for Java"
    return ""


def _holds_list(kind: AnyType) -> bool:
    inner = kind.items if isinstance(kind, List) else kind.values if isinstance(kind, Map) else None
    return isinstance(inner, List)


def _parameters(record: Record) -> int:
    """Units of the constructor's parameters: all fields that must be there."""
    needed = [field.type for field in record.fields if not (field.optional or field.type.nullable)]
    return sum(
        2 if native(kind) in ("long", "double", "float", "Unsigned", "Timestamp") else 1 for kind in needed
    )
