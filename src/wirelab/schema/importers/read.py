"""Read a payload and its schema, which is inferred, ours, or given in another language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from wirelab.model.errors import BadInput
from wirelab.model.schema import Union
from wirelab.schema import payload, text
from wirelab.schema.corpus import Corpus
from wirelab.schema.importers import avro, avro_files, json_file
from wirelab.schema.importers.book import Given
from wirelab.schema.importers.language import language_of, split
from wirelab.schema.inference import infer
from wirelab.schema.input_options import InputOptions
from wirelab.schema.kinds import AUTO, NONE, find_kinds
from wirelab.schema.numbers import ruled
from wirelab.schema.payload import PLAIN

ONE_MESSAGE = (".pb", ".bin", ".binpb")
DELIMITED = (".pbs", ".delimited")
"""Concatenated binary messages, each after its length as a varint (writeDelimitedTo)."""


def read(
    payload_file: str,
    schema_file: str = "",
    narrow_floats: bool = False,
    kinds: str = AUTO,
    options: InputOptions = PLAIN,
) -> Given:
    """The messages of a file in the types of `schema_file` or of their inferred schema.

    `schema_file` is ours (.toml), a .proto, FileDescriptorSet, .avsc or JSON Schema;
    `FILE:NAME` names the message of one that has several. `narrow_floats` makes whole floats integers
    (wirelab.schema.numbers). `kinds` says what distinguishes several kinds of message
    (wirelab.schema.kinds); with a given schema, `auto`
    finds some only where its root is a union. Raises BadInput.
    """
    if schema_file:
        found = schema(schema_file, payload_file, options)
        if found.corpus is None:
            return found
        one_kind = kinds == AUTO and not isinstance(found.schema.root, Union)
        told = find_kinds(found.corpus, NONE if one_kind else kinds)
        corpus = ruled(found.corpus, narrow_floats)
        return replace(found, corpus=corpus, kinds=told.kinds, notes=(*found.notes, *told.notes))
    if payload_file.endswith((*ONE_MESSAGE, *DELIMITED)):
        raise BadInput(payload_file, "binary messages need a schema", "give their .proto with --schema")
    corpus = ruled(payload.read(payload_file, options), narrow_floats)
    told = find_kinds(corpus, kinds)
    return Given(infer(corpus, told.kinds), corpus, (*corpus.notes, *told.notes), told.kinds)


def schema(schema_file: str, payload_file: str = "", options: InputOptions = PLAIN) -> Given:
    """The schema in a file, and the messages of a payload, if given, in its types.

    Raises BadInput.
    """
    path, name = split(schema_file)
    reader = _protobuf if language_of(path) == "Protobuf" else _json
    found = reader(path, name, payload_file, options)
    # A run stores the text, so it must be readable. Reading it checks names, numbers and depth.
    text.load(text.dump(found.schema), str(path))
    return replace(found, notes=(*found.corpus.notes, *found.notes)) if found.corpus else found


def _json(path: Path, name: str, payload_file: str, options: InputOptions) -> Given:
    if payload_file.endswith((*ONE_MESSAGE, *DELIMITED)):
        raise BadInput(payload_file, "binary messages need a .proto", "give it with --schema")
    corpus = payload.read(payload_file, options) if payload_file else None
    language = language_of(path)
    if language == "wirelab":
        return Given(text.read(path), corpus)
    if language == "Avro":
        return _avro(avro_files.read_types(path), path, name, corpus)
    whole = json_file.parsed(json_file.without_comments(json_file.text_of(path)), str(path))
    if avro_files.is_avro(whole):
        return _avro(avro_files.types_of(whole), path, name, corpus)
    from wirelab.schema.importers import jsonschema  # noqa: PLC0415  (loads the resolver of references)

    found = jsonschema.read(whole, path, name, corpus.messages if corpus else ())
    return Given(found.schema, corpus and replace(corpus, messages=found.messages), found.notes)


def _avro(whole: Any, path: Path, name: str, corpus: Corpus | None) -> Given:
    reader = avro.read(whole, path, name)
    if corpus is not None:
        corpus = replace(corpus, messages=reader.messages(corpus.messages, corpus.where))
    return Given(reader.schema(), corpus, tuple(reader.notes))


def _protobuf(path: Path, name: str, payload_file: str, options: InputOptions) -> Given:
    from wirelab.schema.importers import protobuf, protobuf_files, protobuf_values  # noqa: PLC0415  (loads Google's library)

    root = protobuf_files.read(path).root(name)
    corpus: Corpus | None = None
    json_names, notes = False, tuple[str, ...]()
    if payload_file.endswith((*ONE_MESSAGE, *DELIMITED)):
        data = payload.data_of(Path(payload_file))
        corpus, notes = protobuf_values.binary(_binary(data, payload_file), root, payload_file)
    elif payload_file:
        corpus = payload.read(payload_file, options)
        json_names = protobuf_values.uses_json_names(corpus.messages, root)
        corpus, notes = protobuf_values.textual(corpus, root, json_names)
    found, more = protobuf.schema_of(root, str(path), json_names)
    return Given(found, corpus, (*notes, *more))


def _binary(data: bytes, name: str) -> Iterator[bytes]:
    if not name.endswith(DELIMITED):
        yield data
        return
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
