"""The formats of payload files: how each is known, and its reader."""

from __future__ import annotations

import codecs
import importlib
from pathlib import PurePath

from msgspec.structs import replace

from wirelab.model.errors import BadInput
from wirelab.model.suggestions import nearest
from wirelab.schema import json_corpus
from wirelab.schema.corpus import Corpus
from wirelab.schema.inputs.capture_packets import is_capture
from wirelab.schema.inputs.options import InputOptions

JSON = ("json", "jsonl", "json-seq")
BINARY = ("cbor", "msgpack", "bson", "avro")
TEXT = ("csv", "hex", "base64")
CAPTURE = "pcap"
PROTOBUF = ("protobuf", "protobuf-delimited")
"""One message, and messages behind their lengths; read with a .proto by
wirelab.schema.importers.protobuf_payload."""
FORMATS = (*JSON, *BINARY, *TEXT, CAPTURE, *PROTOBUF)
_SUFFIXES = {
    ".cbor": "cbor",
    ".cborseq": "cbor",
    ".msgpack": "msgpack",
    ".mpk": "msgpack",
    ".mp": "msgpack",
    ".bson": "bson",
    ".avro": "avro",
    ".csv": "csv",
    ".tsv": "csv",
    ".hex": "hex",
    ".b64": "base64",
    ".base64": "base64",
}
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_AVRO, _CBOR = b"Obj\x01", b"\xd9\xd9\xf7"


def parse(data: bytes, name: str, options: InputOptions) -> Corpus:
    """The corpus in the bytes of a file called `name`. Raises BadInput."""
    form = options.format or known_format(data, name)
    if form not in ("", *FORMATS):
        raise BadInput(f"--input-format {form}", "unknown", nearest(form, FORMATS))
    if form in PROTOBUF:
        raise BadInput(name, "binary messages need a .proto", "give it with --schema")
    if not data:
        raise BadInput(name, "the file is empty", "give a file with at least one message")
    if form in BINARY:
        reader = importlib.import_module(f"wirelab.schema.inputs.{form}")
        found: Corpus = reader.read(data, name, options.lenient)
        return found
    if form == CAPTURE:
        from wirelab.schema.inputs import capture  # noqa: PLC0415  (few files are captures)

        return capture.read(data, name)
    if form in TEXT:
        return _text(data, name, form, options.lenient)
    if not data.startswith(tuple(_UTF16)):
        return json_corpus.parse(data, name, form, options.lenient)
    found = json_corpus.parse(_decoded(data, name).encode(), name, form, options.lenient)
    return replace(found, notes=("decoded from UTF-16", *found.notes))


def known_format(data: bytes, name: str) -> str:
    """The format of a file by its content, else by its ending; empty for JSON of any kind."""
    if data.startswith(_AVRO):
        return "avro"
    if data.startswith(_CBOR):
        return "cbor"
    if is_capture(data):
        return CAPTURE
    by_name = _SUFFIXES.get(PurePath(name).suffix.lower(), "")
    if by_name or data.lstrip()[:1] in (b"{", b"["):
        return by_name
    from wirelab.schema.inputs import bson  # noqa: PLC0415  (few files are binary)

    return "bson" if bson.is_bson(data) else ""


def _text(data: bytes, name: str, form: str, lenient: bool) -> Corpus:
    from wirelab.schema.inputs import csv, opaque  # noqa: PLC0415  (few files need them)

    text = _decoded(data, name)
    if form == "csv":
        return csv.read(text, name, lenient)
    return (opaque.read_hex if form == "hex" else opaque.read_base64)(text, name)


def _decoded(data: bytes, name: str) -> str:
    encoding = _UTF16.get(data[:2], "utf-8-sig")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        why = f"byte {error.start} (0x{data[error.start]:02x}) is not {encoding.upper()[:6].strip('-')}"
        raise BadInput(name, why, "convert the file to UTF-8") from None
