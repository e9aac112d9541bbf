"""The codecs a pack can have: which library stands for which format in which language."""

from __future__ import annotations

from msgspec import Struct

from wirelab.model.schema import Schema, String

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


RUST = (
    CodecSpec(
        "json",
        "serde_json",
        "serde_json",
        "SerdeCodec<json::SerdeJson>",
        _SERDE,
        {"buffer": "reused", "text": "compact"},
    ),
    CodecSpec(
        "cbor",
        "ciborium",
        "ciborium",
        "SerdeCodec<cbor::Ciborium>",
        _SERDE,
        {"buffer": "reused", "records": "maps with text keys"},
    ),
    CodecSpec(
        "msgpack",
        "rmp-serde",
        "rmp-serde",
        "SerdeCodec<msgpack::RmpSerde>",
        _SERDE,
        {"buffer": "reused", "records": "maps with text keys"},
    ),
    CodecSpec(
        "protobuf",
        "prost",
        "prost",
        "protobuf::Prost",
        ("populate", *_SERDE),
        {"buffer": "reused", "objects": "new for each message"},
        self_delimiting=False,
    ),
    CodecSpec(
        "flatbuffers",
        "flatbuffers",
        "flatbuffers",
        "flatbuffers::FlatBuffers",
        ("encode", "access", "access_validated", *_SERDE[1:]),
        {"buffer": "reused", "decode": "verified"},
        self_delimiting=False,
    ),
    CodecSpec(
        "avro",
        "serde_avro_fast",
        "serde_avro_fast",
        "SerdeCodec<avro::SerdeAvroFast>",
        _SERDE,
        {"buffer": "reused", "framing": "single datum, schema known to both sides"},
    ),
)

RAW = CodecSpec("raw", "none", "", "raw::Raw", _SERDE, {"bytes": "as they are"}, self_delimiting=False)


def codecs_for(schema: Schema) -> tuple[CodecSpec, ...]:
    """The codecs that can carry a schema; `raw` only where a message is one string that is never null."""
    is_text = isinstance(schema.root, String) and not schema.root.nullable
    return (*RUST, RAW) if is_text else RUST
