"""Read a payload and its schema, which is inferred, ours, or given in another language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from wirelab.model.errors import BadInput
from wirelab.model.schema import Union
from wirelab.schema import json_reader, payload, text
from wirelab.schema.corpus import Corpus
from wirelab.schema.importers import avro, jsonschema
from wirelab.schema.importers.book import Given, source
from wirelab.schema.importers.protobuf_files import SET_SUFFIXES
from wirelab.schema.inference import infer
from wirelab.schema.input_options import InputOptions
from wirelab.schema.json_diagnostics import find_problem
from wirelab.schema.json_reader import MAX_DEPTH, Suspect
from wirelab.schema.kinds import AUTO, NONE, find_kinds
from wirelab.schema.numbers import ruled
from wirelab.schema.payload import PLAIN

LANGUAGES = {
    ".toml": "wirelab",
    ".proto": "Protobuf",
    **dict.fromkeys(SET_SUFFIXES, "Protobuf"),
    ".avsc": "Avro",
    ".json": "JSON Schema",
}
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

    `schema_file` is ours (.toml), a .proto, FileDescriptorSet, .avsc or JSON Schema (.json);
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
    path, name = _split(schema_file)
    reader = _protobuf if LANGUAGES.get(path.suffix) == "Protobuf" else _json
    found = reader(path, name, payload_file, options)
    # A run stores the text, so it must be readable. Reading it checks names, numbers and depth.
    text.load(text.dump(found.schema), str(path))
    return replace(found, notes=(*found.corpus.notes, *found.notes)) if found.corpus else found


def _json(path: Path, name: str, payload_file: str, options: InputOptions) -> Given:
    if payload_file.endswith((*ONE_MESSAGE, *DELIMITED)):
        raise BadInput(payload_file, "binary messages need a .proto", "give it with --schema")
    corpus = payload.read(payload_file, options) if payload_file else None
    if path.suffix not in LANGUAGES:
        raise BadInput(str(path), "no schema by its ending", f"give a {', '.join(LANGUAGES)}")
    if path.suffix == ".toml":
        return Given(text.read(path), corpus)
    whole = _parsed(path)
    if path.suffix == ".avsc" or (isinstance(whole, dict) and whole.get("type") == "record"):
        return _avro(whole, path, name, corpus)
    messages = corpus.messages if corpus else ()
    found, notes = jsonschema.read(whole, str(path), path.name.partition(".")[0], messages)
    return Given(found, corpus, notes)


def _split(text_: str) -> tuple[Path, str]:
    """The parts of `FILE:NAME`. If the whole text is an existing file, there is no name."""
    head, colon, name = text_.rpartition(":")
    if colon and not Path(text_).exists() and Path(head).suffix in LANGUAGES:
        return Path(head), name
    return Path(text_), ""


def _parsed(path: Path) -> Any:
    try:
        words = source(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(str(path), "it is not UTF-8", "convert the file to UTF-8") from None
    try:
        value, end = json_reader.part(words, len(words) - len(words.lstrip()), 4 * MAX_DEPTH)
    except Suspect:
        problem = find_problem(words)
        why = f"line {problem.line}, at {problem.path}: {problem.why}" if problem else "not JSON, or too deep"
        raise BadInput(str(path), why, "correct the schema") from None
    if words[end:].strip():
        raise BadInput(str(path), "something follows the JSON value", "correct the schema")
    return value


def _avro(whole: Any, path: Path, name: str, corpus: Corpus | None) -> Given:
    reader = avro.read(whole, str(path), name)
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
