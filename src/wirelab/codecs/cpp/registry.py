"""The C++ codecs: which library stands for which format, and which formats have none that could be used."""

from __future__ import annotations

from wirelab.codecs.registry import CodecSpec

_BOUND = ("encode", "decode", "convert", "serialize", "deserialize")
_OBJECTS = ("populate", *_BOUND)
_TABLES = ("encode", "access", "access_validated", *_BOUND[1:])
_NATIVE = {"buffer": "reused", "source": "native objects", "strings": "copied"}
_DOM = {"source": "JsonCpp DOM", "strings": "copied"}
_MADE = {**_NATIVE, "objects": "new for each message"}
_LEFT = "left in the message"
_IN_PLACE = "read in place"


class CppCodec(CodecSpec, frozen=True):
    """A codec in C++. `package` is the Debian package of its library, `source` its class, in which `{root}` is the
    class that the format's compiler writes for a message; `unit` names the header that holds it, under
    packs/cpp/codecs, and `variant` which generated schema it takes."""

    unit: str = ""
    variant: str = ""


_PROTOBUF = CppCodec(
    "protobuf",
    "protobuf-cpp",
    "libprotobuf-dev",
    "pb::Native<Message, {root}>",
    _OBJECTS,
    {**_MADE, "optimize_for": "SPEED"},
    self_delimiting=False,
    unit="protobuf",
    variant="speed",
)
_PROTOBUF_DOM = _PROTOBUF.other("protobuf-cpp-dom", _DOM, source="pb::Dom<Message, {root}>")
_SMALL = {"optimize_for": "CODE_SIZE"}
_FLATBUFFERS = CppCodec(
    "flatbuffers",
    "flatbuffers-cpp",
    "libflatbuffers-dev",
    "fb::Native<Message, {root}>",
    _TABLES,
    {**_NATIVE, "decode": "verified", "strings": _IN_PLACE},
    self_delimiting=False,
    unit="flatbuffers",
)
_THRIFT = CppCodec(
    "thrift",
    "thrift-cpp-compact",
    "libthrift-dev",
    "th::Codec<Message, {root}, apache::thrift::protocol::TCompactProtocol>",
    _OBJECTS,
    {**_MADE, "protocol": "compact"},
    unit="thrift",
)
_CAPNP = CppCodec(
    "capnp",
    "capnp-cpp",
    "libcapnp-dev",
    "cp::Unpacked<Message, {root}>",
    ("encode", "access", *_BOUND[1:]),
    {**_NATIVE, "buffer": "new for each message", "packing": "no", "strings": _IN_PLACE},
    unit="capnp",
)
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
    _PROTOBUF,
    _PROTOBUF.other("protobuf-cpp-size", _SMALL, variant="size"),
    _PROTOBUF_DOM,
    _PROTOBUF_DOM.other("protobuf-cpp-dom-size", _SMALL, variant="size"),
    _FLATBUFFERS,
    _FLATBUFFERS.other("flatbuffers-cpp-dom", _DOM, source="fb::Dom<Message, {root}>"),
    CppCodec(
        "msgpack",
        "msgpack-cxx",
        "libmsgpack-cxx-dev",
        "mp::Codec<Message>",
        _BOUND,
        {**_NATIVE, "records": "maps with text keys", "strings": _LEFT},
        unit="msgpack",
    ),
    CppCodec(
        "bson",
        "libbson",
        "libbson-dev",
        "bs::Codec<Message>",
        _BOUND,
        {**_NATIVE, "records": "documents", "strings": _LEFT},
        unit="bson",
    ),
    _THRIFT,
    _THRIFT.other(
        "thrift-cpp-binary", {"protocol": "binary"}, source=_THRIFT.source.replace("Compact", "Binary")
    ),
    _CAPNP,
    _CAPNP.other("capnp-cpp-packed", {"packing": "yes"}, source="cp::Packed<Message, {root}>", phases=_BOUND),
    CppCodec(
        "xdr",
        "generated-cpp",
        "",
        "xdr::Codec<Message>",
        _BOUND,
        {**_NATIVE, "code": "written by wirelab to RFC 4506", "strings": _LEFT},
        unit="xdr",
    ),
)

MISSING = {
    "avro/avro-cpp": "Debian has Avro's C library, and no package of the C++ one",
    "smile/none": "Debian has no C or C++ library of Smile",
    "ubjson/none": "Debian has one library, nlohmann's JSON, which writes UBJSON from a DOM of its own only",
    "ion/none": "Debian has no package of Amazon's C library",
}
"""Codecs that could be expected here and cannot be had: the reason."""
