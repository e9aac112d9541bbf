"""The language of a schema file, by its ending where that is a language's own, else by its content."""

from __future__ import annotations

from pathlib import Path

from wirelab.model.errors import BadInput
from wirelab.schema.importers.json_file import text_of
from wirelab.schema.importers.protobuf_suffixes import SET_SUFFIXES

BY_SUFFIX = {
    ".toml": "wirelab",
    ".proto": "Protobuf",
    **dict.fromkeys(SET_SUFFIXES, "Protobuf"),
    ".thrift": "Thrift",
    **dict.fromkeys((".fbs", ".bfbs"), "FlatBuffers"),
    ".capnp": "Cap'n Proto",
    **dict.fromkeys((".asn", ".asn1"), "ASN.1"),
    **dict.fromkeys((".avsc", ".avpr", ".avdl"), "Avro"),
}
KNOWN = f"a schema file ({', '.join(BY_SUFFIX)} or JSON Schema)"


def language_of(path: Path) -> str:
    """The language of a file: `JSON` where it is JSON, of an Avro schema or of a JSON Schema.

    Raises BadInput.
    """
    if path.suffix in BY_SUFFIX:
        return BY_SUFFIX[path.suffix]
    start = text_of(path).lstrip()
    if start.startswith(("{", "[", '"', "true", "/*", "//")):
        return "JSON"
    if start.startswith(("root", "[record", "#")):
        return "wirelab"
    raise BadInput(str(path), "no schema by its ending or its content", f"give {KNOWN}")


def split(text: str) -> tuple[Path, str]:
    """The parts of `FILE:NAME`. If the whole text is an existing file, there is no name."""
    head, colon, name = text.rpartition(":")
    if colon and not Path(text).exists() and (Path(head).is_file() or Path(head).suffix in BY_SUFFIX):
        return Path(head), name
    return Path(text), ""
