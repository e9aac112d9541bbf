"""The codecs a pack can have: which library stands for which format in which language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

from wirelab.codecs.rust.borrowed_codecs import holds_text
from wirelab.codecs.rust.compilers import missing
from wirelab.model.errors import BadInput
from wirelab.model.schema import Schema, String
from wirelab.model.study import FORMATS
from wirelab.model.suggestions import nearest

BORROWED = "left in the message, copied where it escapes them"
_SERDE = ("encode", "decode", "convert", "serialize", "deserialize")


class CodecSpec(Struct, frozen=True):
    """One library's implementation of a format.

    `package` is its name at its registry, whose locked version goes into the result ("" where there is none);
    `source` is the Rust type that implements the phases. `self_delimiting` says whether a message's end can be
    found without its length.
    """

    format: str
    library: str
    package: str
    source: str
    phases: tuple[str, ...]
    options: dict[str, str] = {}
    self_delimiting: bool = True

    @property
    def name(self) -> str:
        """`format/library`."""
        return f"{self.format}/{self.library}"

    @property
    def module(self) -> str:
        """The module of `packs/rust/pack/src` and the cargo feature that brings its library along."""
        return self.source.rpartition("<")[2].partition("::")[0]

    def other(self, library: str, options: Mapping[str, str], **changed: Any) -> Self:
        """The codec with another name and setting, and what else of its row is `changed`."""
        return replace(self, library=library, options={**self.options, **options}, **changed)

    @property
    def borrows(self) -> bool:
        """Whether it reads strings where they lie, into records with a lifetime."""
        return self.options.get("strings") == BORROWED


RUST = (
    CodecSpec(
        "json",
        "serde_json",
        "serde_json",
        "SerdeCodec<json::SerdeJson>",
        _SERDE,
        {"buffer": "reused", "strings": "copied", "text": "compact"},
    ),
    CodecSpec(
        "cbor",
        "ciborium",
        "ciborium",
        "SerdeCodec<cbor::Ciborium>",
        _SERDE,
        {"buffer": "reused", "strings": "copied", "records": "maps with text keys"},
    ),
    CodecSpec(
        "msgpack",
        "rmp-serde",
        "rmp-serde",
        "SerdeCodec<msgpack::RmpSerde>",
        _SERDE,
        {"buffer": "reused", "strings": "copied", "records": "maps with text keys"},
    ),
    CodecSpec(
        "protobuf",
        "prost",
        "prost",
        "protobuf::Prost",
        ("populate", *_SERDE),
        {"buffer": "reused", "strings": "copied", "objects": "new for each message"},
        self_delimiting=False,
    ),
    CodecSpec(
        "flatbuffers",
        "flatbuffers",
        "flatbuffers",
        "flatbuffers::FlatBuffers",
        ("encode", "access", "access_validated", *_SERDE[1:]),
        {"buffer": "reused", "strings": "read in place", "decode": "verified"},
        self_delimiting=False,
    ),
    CodecSpec(
        "avro",
        "serde_avro_fast",
        "serde_avro_fast",
        "SerdeCodec<avro::SerdeAvroFast>",
        _SERDE,
        {"buffer": "reused", "strings": "copied", "framing": "single datum, schema known to both sides"},
    ),
    CodecSpec(
        "json",
        "sonic-rs",
        "sonic-rs",
        "SerdeCodec<sonic::SonicRs>",
        _SERDE,
        {"buffer": "reused", "strings": "copied", "text": "compact"},
    ),
    CodecSpec(
        "cbor",
        "cbor4ii",
        "cbor4ii",
        "SerdeCodec<cbor4ii::Cbor4ii>",
        _SERDE,
        {
            "buffer": "reused",
            "strings": "copied",
            "records": "maps with text keys",
            "floats": "as wide as the schema says",
        },
    ),
    CodecSpec(
        "postcard",
        "postcard",
        "postcard",
        "SerdeCodec<postcard::Postcard>",
        _SERDE,
        {"buffer": "reused", "strings": "copied"},
    ),
    CodecSpec(
        "bitcode",
        "bitcode",
        "bitcode",
        "bitcode::Bitcode",
        _SERDE,
        {"buffer": "reused", "strings": "copied", "code": "derived by the library"},
        self_delimiting=False,
    ),
    CodecSpec(
        "rkyv",
        "rkyv",
        "rkyv",
        "rkyv::Rkyv",
        ("encode", "access", "access_validated", *_SERDE[1:]),
        {"buffer": "reused", "strings": "read in place", "decode": "validated"},
        self_delimiting=False,
    ),
    CodecSpec(
        "bson",
        "bson",
        "bson",
        "SerdeCodec<bson::Bson>",
        _SERDE,
        {"buffer": "reused", "strings": "copied", "records": "documents"},
    ),
    CodecSpec(
        "smile",
        "serde-smile",
        "serde-smile",
        "SerdeCodec<smile::SerdeSmile>",
        _SERDE,
        {"buffer": "reused", "strings": "copied", "keys": "shared within a message"},
    ),
    CodecSpec(
        "yaml",
        "serde-saphyr",
        "serde-saphyr",
        "SerdeCodec<yaml::SerdeSaphyr>",
        _SERDE,
        {"buffer": "reused", "strings": "copied", "text": "block style"},
        self_delimiting=False,
    ),
    CodecSpec(
        "flexbuffers",
        "flexbuffers",
        "flexbuffers",
        "flexbuffers::FlexBuffers",
        _SERDE,
        {"buffer": "reused", "strings": "copied"},
        self_delimiting=False,
    ),
    CodecSpec(
        "ion",
        "ion-rs",
        "ion-rs",
        "SerdeCodec<ion::IonRs>",
        _SERDE,
        {"buffer": "new for each message", "strings": "copied", "symbols": "in each message"},
        self_delimiting=False,
    ),
    CodecSpec(
        "xdr",
        "rfc4506",
        "",
        "SerdeCodec<xdr::Rfc4506>",
        _SERDE,
        {"buffer": "reused", "strings": "copied", "code": "ours"},
    ),
    CodecSpec(
        "xml",
        "quick-xml",
        "quick-xml",
        "SerdeCodec<xml::QuickXml>",
        _SERDE,
        {
            "buffer": "reused",
            "strings": "copied",
            "text": "compact",
            "null": "xsi:nil",
            "illegal names": "base64",
        },
    ),
    CodecSpec(
        "uper",
        "rasn",
        "rasn",
        "uper::Uper",
        ("populate", *_SERDE),
        {
            "buffer": "reused",
            "strings": "copied",
            "integers": "range seen, extensible",
            "floats": "scaled integers",
        },
        self_delimiting=False,
    ),
    CodecSpec(
        "protobuf",
        "protobuf-upb",
        "protobuf",
        "upb::Upb",
        ("populate", *_SERDE),
        {
            "buffer": "new for each message",
            "strings": "copied",
            "objects": "new for each message, in upb's arena",
        },
        self_delimiting=False,
    ),
    CodecSpec(
        "capnp",
        "capnp",
        "capnp",
        "capnp::Plain",
        ("encode", "access", *_SERDE[1:]),
        {"buffer": "reused", "strings": "read in place", "packing": "no", "segments": "one"},
    ),
    CodecSpec(
        "capnp",
        "capnp-packed",
        "capnp",
        "capnp::Packed",
        _SERDE,
        {"buffer": "reused", "strings": "read in place", "packing": "yes", "segments": "one"},
    ),
    CodecSpec(
        "thrift",
        "thrift-compact",
        "thrift",
        "thrift::Thrift<thrift::Compact>",
        ("populate", *_SERDE),
        {"buffer": "reused", "strings": "copied", "objects": "new for each message", "protocol": "compact"},
    ),
    CodecSpec(
        "thrift",
        "thrift-binary",
        "thrift",
        "thrift::Thrift<thrift::Binary>",
        ("populate", *_SERDE),
        {
            "buffer": "reused",
            "strings": "copied",
            "objects": "new for each message",
            "protocol": "binary",
        },
    ),
)

TRUSTING = CodecSpec(
    "flatbuffers",
    "flatbuffers[validated=no]",
    "flatbuffers",
    "flatbuffers::Trusting",
    ("encode", "access", *_SERDE[1:]),
    {"buffer": "reused", "strings": "read in place", "decode": "not verified: the bytes are trusted"},
    self_delimiting=False,
)


def _fresh(codec: CodecSpec) -> CodecSpec:
    """The codec with new buffers for each message."""
    setting = {"buffer": "fresh for each message"}
    source = f"wirelab_pack_runtime::Fresh<{codec.source}>"
    return codec.other(f"{codec.library}[buffer=fresh]", setting, source=source)


def _borrowing(codec: CodecSpec) -> CodecSpec:
    """The codec whose decoded strings stay in the message's bytes."""
    library = codec.source.removeprefix("SerdeCodec<").removesuffix(">")
    source = f"wirelab_pack_runtime::Borrowing<{library}, generated::borrowed::Message>"
    return codec.other(f"{codec.library}[strings=borrowed]", {"strings": BORROWED}, source=source)


_LENDING = ("serde_json", "sonic-rs", "cbor4ii", "postcard", "serde_avro_fast", "serde-smile")
"""Libraries that can leave strings where they are and still tell a message's end."""
VARIANTS = (
    TRUSTING,
    *(_fresh(codec) for codec in RUST if codec.options["buffer"] == "reused"),
    *(_borrowing(codec) for codec in RUST if codec.library in _LENDING),
)
"""Codecs with another setting than the usual one: measured only when named in full."""

RAW = CodecSpec("raw", "none", "", "raw::Raw", _SERDE, {"bytes": "as they are"}, self_delimiting=False)


MISSING = {"ubjson/none": "no kept Rust library: serde_ubj 0.2 writes only, ubjson 0.1 is a first release"}
"""Codecs that could be expected here and cannot be had: the reason."""


def codecs_for(schema: Schema) -> tuple[CodecSpec, ...]:
    """The codecs that can carry a schema here; `raw` only where a message is one string that is never null."""
    is_text = isinstance(schema.root, String) and not schema.root.nullable
    left = skipped()
    every = (*RUST, *VARIANTS, *((RAW,) if is_text else ()))
    has_text = holds_text(schema)
    return tuple(codec for codec in every if codec.name not in left and (has_text or not codec.borrows))


def skipped() -> dict[str, str]:
    """The codecs that cannot be used here: name -> why."""
    reasons = {codec.name: missing(codec.module) for codec in (*RUST, *VARIANTS)} | MISSING
    return {name: why for name, why in reasons.items() if why}


def select(asked: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """The codecs that words stand for, among those `known`, in the order asked.

    A format stands for its first codec, `format/*` for all of its codecs, `all` for every codec, both without those
    of another setting (`library[setting=value]`); nothing asked for stands for the default formats and `raw`. Raises BadInput for a word that stands for nothing.
    """
    chosen: list[str] = []
    for word in asked or (*FORMATS, "raw"):
        usual = [name for name in known if not name.endswith("]")]
        found = [name for name in usual if word in ("all", f"{name.partition('/')[0]}/*")]
        found = found or [name for name in known if name == word]
        found = found or [name for name in known if name.partition("/")[0] == word][:1]
        if not found and asked:
            formats = dict.fromkeys(name.partition("/")[0] for name in known)
            raise BadInput(f"format '{word}'", "unknown for this payload", nearest(word, {*formats, *known}))
        chosen += [name for name in found if name not in chosen]
    return tuple(chosen)
