"""The C++ codecs: which library stands for which format, and which formats have none that could be used."""

from __future__ import annotations

from wirelab.codecs.registry import CodecSpec

_BOUND = ("encode", "decode", "convert", "serialize", "deserialize")
_OBJECTS = ("populate", *_BOUND)
_TABLES = ("encode", "access", "access_validated", *_BOUND[1:])
_NATIVE = {"buffer": "reused", "source": "native objects"}
_DOM = {"buffer": "reused", "source": "JsonCpp DOM"}


class CppCodec(CodecSpec, frozen=True):
    """A codec in C++. `package` is the Debian package of its library, `source` its class, in which `{root}` is the
    class that the format's compiler writes for a message; `unit` names the header that holds it, under
    packs/cpp/codecs, and `variant` which generated schema it takes."""

    unit: str = ""
    variant: str = ""


CPP = (
    CppCodec(
        "json",
        "jsoncpp",
        "libjsoncpp-dev",
        "JsonCpp<Message>",
        _OBJECTS,
        {**_NATIVE, "text": "compact", "floats": "17 digits, the default"},
        unit="jsoncpp",
    ),
    CppCodec(
        "json",
        "rapidjson",
        "rapidjson-dev",
        "RapidJson<Message>",
        _BOUND,
        {**_NATIVE, "text": "compact", "floats": "shortest written, read in full precision"},
        unit="rapidjson",
    ),
    CppCodec(
        "protobuf",
        "protobuf-cpp",
        "libprotobuf-dev",
        "pb::Native<Message, {root}>",
        _OBJECTS,
        {**_NATIVE, "objects": "new for each message", "optimize_for": "SPEED"},
        self_delimiting=False,
        unit="protobuf",
        variant="speed",
    ),
    CppCodec(
        "protobuf",
        "protobuf-cpp-size",
        "libprotobuf-dev",
        "pb::Native<Message, {root}>",
        _OBJECTS,
        {**_NATIVE, "objects": "new for each message", "optimize_for": "CODE_SIZE"},
        self_delimiting=False,
        unit="protobuf",
        variant="size",
    ),
    CppCodec(
        "protobuf",
        "protobuf-cpp-dom",
        "libprotobuf-dev",
        "pb::Dom<Message, {root}>",
        _OBJECTS,
        {**_DOM, "objects": "new for each message", "optimize_for": "SPEED"},
        self_delimiting=False,
        unit="protobuf",
        variant="speed",
    ),
    CppCodec(
        "protobuf",
        "protobuf-cpp-dom-size",
        "libprotobuf-dev",
        "pb::Dom<Message, {root}>",
        _OBJECTS,
        {**_DOM, "objects": "new for each message", "optimize_for": "CODE_SIZE"},
        self_delimiting=False,
        unit="protobuf",
        variant="size",
    ),
    CppCodec(
        "flatbuffers",
        "flatbuffers-cpp",
        "libflatbuffers-dev",
        "fb::Native<Message, {root}>",
        _TABLES,
        {**_NATIVE, "decode": "verified"},
        self_delimiting=False,
        unit="flatbuffers",
    ),
    CppCodec(
        "flatbuffers",
        "flatbuffers-cpp-dom",
        "libflatbuffers-dev",
        "fb::Dom<Message, {root}>",
        _TABLES,
        {**_DOM, "decode": "verified"},
        self_delimiting=False,
        unit="flatbuffers",
    ),
    CppCodec(
        "msgpack",
        "msgpack-cxx",
        "libmsgpack-cxx-dev",
        "mp::Codec<Message>",
        _BOUND,
        {**_NATIVE, "records": "maps with text keys", "text": "referred to, not copied"},
        unit="msgpack",
    ),
    CppCodec(
        "thrift",
        "thrift-cpp-compact",
        "libthrift-dev",
        "th::Codec<Message, {root}, apache::thrift::protocol::TCompactProtocol>",
        _OBJECTS,
        {**_NATIVE, "objects": "new for each message", "protocol": "compact"},
        unit="thrift",
    ),
    CppCodec(
        "thrift",
        "thrift-cpp-binary",
        "libthrift-dev",
        "th::Codec<Message, {root}, apache::thrift::protocol::TBinaryProtocol>",
        _OBJECTS,
        {**_NATIVE, "objects": "new for each message", "protocol": "binary"},
        unit="thrift",
    ),
    CppCodec(
        "capnp",
        "capnp-cpp",
        "libcapnp-dev",
        "cp::Unpacked<Message, {root}>",
        ("encode", "access", *_BOUND[1:]),
        {"buffer": "new for each message", "source": "native objects", "packing": "no"},
        unit="capnp",
    ),
    CppCodec(
        "capnp",
        "capnp-cpp-packed",
        "libcapnp-dev",
        "cp::Packed<Message, {root}>",
        _BOUND,
        {"buffer": "new for each message", "source": "native objects", "packing": "yes"},
        unit="capnp",
    ),
    CppCodec(
        "xdr",
        "generated-cpp",
        "",
        "xdr::Codec<Message>",
        _BOUND,
        {**_NATIVE, "code": "written by wirelab to RFC 4506"},
        unit="xdr",
    ),
)

MISSING = {
    "avro/avro-cpp": "Debian has Avro's C library, and no package of the C++ one",
}
"""Codecs that could be expected here and cannot be had: the reason."""
