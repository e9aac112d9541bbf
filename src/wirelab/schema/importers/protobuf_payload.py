"""A schema in Protobuf, and the messages of a payload, JSON or binary, in its types."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from wirelab.model.errors import BadInput
from wirelab.schema import payload
from wirelab.schema.corpus import Corpus
from wirelab.schema.importers import protobuf, protobuf_files
from wirelab.schema.importers.book import Given
from wirelab.schema.importers.protobuf_bytes import from_bytes
from wirelab.schema.importers.protobuf_json import FromJson, uses_json_names
from wirelab.schema.importers.protobuf_left_out import left_out
from wirelab.schema.importers.protobuf_suffixes import DELIMITED, ONE_MESSAGE
from wirelab.schema.importers.protobuf_usage import Usage
from wirelab.schema.inputs.formats import PROTOBUF
from wirelab.schema.inputs.options import InputOptions
from wirelab.schema.typed_text import ByteText

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor


def read(path: Path, name: str, payload_file: str, options: InputOptions) -> Given:
    """The schema of message `name` of a .proto or set, and the messages of a payload if one is
    given.

    Raises BadInput.
    """
    files = protobuf_files.read(path, options.proto_path)
    root, source = files.root(name), str(path)
    rest = left_out(files)
    if not payload_file:
        found = protobuf.schema_of(root, source, False)
        return Given(found.schema, None, (*found.notes, *rest))
    given = _messages(payload_file, options)
    json_names = isinstance(given, Corpus) and uses_json_names(given.messages, root)
    usage = Usage()
    corpus = _corpus(given, root, json_names, usage, payload_file)
    found = protobuf.schema_of(root, source, json_names, usage.fields, usage.numbers)
    if found.left_out:
        usage = Usage(found.left_out)
        corpus = _corpus(given, root, json_names, usage, payload_file)
    return Given(found.schema, corpus, (*usage.notes, *found.notes, *rest))


def _corpus(
    given: Corpus | tuple[bytes, ...], root: Descriptor, json_names: bool, usage: Usage, name: str
) -> Corpus:
    if isinstance(given, tuple):
        messages = (
            from_bytes(part, root, f"{name}, message {at}", usage) for at, part in enumerate(given, start=1)
        )
        return Corpus(tuple(messages), b"", name)
    reader = FromJson(json_names, usage)
    made = []
    for index, message in enumerate(given.messages):
        reader.where = given.where(index)
        made.append(reader.message(message, root))
    return replace(given, messages=tuple(made))


def _messages(name: str, options: InputOptions) -> Corpus | tuple[bytes, ...]:
    """The messages of a payload: in Protobuf's JSON mapping, or their bytes."""
    form = options.format or _by_suffix(name)
    if form in PROTOBUF:
        data = payload.data_of(Path(name))
        return tuple(_delimited(data, name)) if form == "protobuf-delimited" else (data,)
    corpus = payload.read(name, options)
    if not all(isinstance(message, ByteText) for message in corpus.messages):
        return corpus
    return tuple(map(base64.b64decode, corpus.messages))  # lines of hex or base64, or packets


def _by_suffix(name: str) -> str:
    if name.endswith(DELIMITED):
        return "protobuf-delimited"
    return "protobuf" if name.endswith(ONE_MESSAGE) else ""


def _delimited(data: bytes, name: str) -> Iterator[bytes]:
    if not data:
        raise BadInput(name, "the file is empty", "give at least one message")
    at = 0
    while at < len(data):
        size = shift = 0
        while True:
            if at == len(data) or shift > 28:
                raise BadInput(name, f"no length at byte {at}", "write it with writeDelimitedTo")
            size |= (data[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 128:
                break
        if at + size > len(data):
            raise BadInput(name, f"the message at byte {at} ends beyond the file", "is it cut off?")
        yield data[at : at + size]
        at += size
