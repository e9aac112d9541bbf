"""Read a payload and its schema, which is inferred, ours, or given in another language."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from wirelab.model.errors import BadInput
from wirelab.model.schema import Union
from wirelab.schema import payload, text
from wirelab.schema.check import fits
from wirelab.schema.corpus import Corpus
from wirelab.schema.importers import avro, avro_files, json_file
from wirelab.schema.importers.book import Given
from wirelab.schema.importers.language import language_of, split
from wirelab.schema.importers.protobuf_suffixes import BINARY
from wirelab.schema.inference import infer
from wirelab.schema.inputs.options import InputOptions
from wirelab.schema.kinds import AUTO, NONE, find_kinds
from wirelab.schema.nonfinite import with_nonfinite
from wirelab.schema.numbers import ruled
from wirelab.schema.payload import PLAIN

_LITERAL = (
    "the messages fit the JSON Schema by the letter only: where it names no `type`, any type is allowed"
)


def read(
    payload_file: str,
    schema_file: str = "",
    narrow_floats: bool = False,
    kinds: str = AUTO,
    options: InputOptions = PLAIN,
) -> Given:
    """The messages of a file in the types of `schema_file` or of their inferred schema.

    `schema_file` is ours (.toml), a .proto, FileDescriptorSet, .avsc or JSON Schema;
    `FILE:NAME` names the message of one that has several. `narrow_floats` makes whole floats
    integers (wirelab.schema.numbers). `kinds` says what distinguishes several kinds of message
    (wirelab.schema.kinds); with a given schema, `auto` finds some only where its root is a union.
    Raises BadInput.
    """
    if schema_file:
        found = schema(schema_file, payload_file, options)
        if found.corpus is None:
            return found
        one_kind = kinds == AUTO and not isinstance(found.schema.root, Union)
        told = find_kinds(found.corpus, NONE if one_kind else kinds)
        corpus = ruled(found.corpus, narrow_floats)
        return replace(found, corpus=corpus, kinds=told.kinds, notes=(*found.notes, *told.notes))
    if payload_file.endswith(BINARY):
        raise BadInput(payload_file, "binary messages need a schema", "give their .proto with --schema")
    corpus = ruled(payload.read(payload_file, options), narrow_floats)
    told = find_kinds(corpus, kinds)
    return Given(infer(corpus, told.kinds), corpus, (*corpus.notes, *told.notes), told.kinds)


def schema(schema_file: str, payload_file: str = "", options: InputOptions = PLAIN) -> Given:
    """The schema in a file, and the messages of a payload, if given, in its types.

    Raises BadInput.
    """
    path, name = split(schema_file)
    try:
        found = _given(path, name, payload_file, options)
    except RecursionError:
        raise BadInput(str(path), "its types are nested too deeply", "flatten them") from None
    # A run stores the text, so it must be readable. Reading it checks names, numbers and depth.
    text.load(text.dump(found.schema), str(path))
    if found.corpus is None:
        return found
    marked, notes = with_nonfinite(found.schema, found.corpus.messages)
    return replace(found, schema=marked, notes=(*found.corpus.notes, *found.notes, *notes))


def _given(path: Path, name: str, payload_file: str, options: InputOptions) -> Given:
    if language_of(path) == "Protobuf":
        from wirelab.schema.importers import protobuf_payload  # noqa: PLC0415  (loads Google's library)

        return protobuf_payload.read(path, name, payload_file, options)
    return _json(path, name, payload_file, options)


def _json(path: Path, name: str, payload_file: str, options: InputOptions) -> Given:
    if payload_file.endswith(BINARY):
        raise BadInput(payload_file, "binary messages need a .proto", "give it with --schema")
    corpus = payload.read(payload_file, options) if payload_file else None
    language = language_of(path)
    if language == "wirelab":
        return Given(text.read(path), corpus)
    if language in ("Thrift", "FlatBuffers", "Cap'n Proto", "ASN.1"):
        return _compiled(path, name, language, corpus, options)
    if language == "Avro":
        return _avro(avro_files.read_types(path), path, name, corpus)
    whole = json_file.parsed(json_file.without_comments(json_file.text_of(path)), str(path))
    if avro_files.is_avro(whole):
        return _avro(avro_files.types_of(whole), path, name, corpus)
    from wirelab.schema.importers import jsonschema  # noqa: PLC0415  (loads the resolver of references)

    if corpus is None:
        found = jsonschema.read(whole, path, name)
        return Given(found.schema, None, found.notes)
    found = jsonschema.read(whole, path, name, corpus.messages)
    if not fits(found.schema, found.messages):
        literal = jsonschema.read(whole, path, name, corpus.messages, literal=True)
        if fits(literal.schema, literal.messages):
            found = replace(literal, notes=(*literal.notes, _LITERAL))
    return Given(found.schema, replace(corpus, messages=found.messages), found.notes)


def _avro(whole: Any, path: Path, name: str, corpus: Corpus | None) -> Given:
    reader = avro.read(whole, path, name)
    if corpus is not None:
        corpus = replace(corpus, messages=reader.messages(corpus.messages, corpus.where))
    return Given(reader.schema(), corpus, tuple(reader.notes))


def _compiled(path: Path, name: str, language: str, corpus: Corpus | None, options: InputOptions) -> Given:
    from wirelab.schema.importers import (  # noqa: PLC0415  (only for these languages)
        asn1_files,
        capnp_files,
        compiler,
        flatbuffers_files,
        program,
        thrift_files,
    )

    readers = {
        "Thrift": thrift_files.read_thrift,
        "FlatBuffers": flatbuffers_files.read_flatbuffers,
        "Cap'n Proto": capnp_files.read_capnp,
        "ASN.1": asn1_files.read_asn1,
    }
    folders = compiler.import_folders(path, options.proto_path)
    reader = program.read_definitions(readers[language](path, folders), name)
    if corpus is not None:
        corpus = replace(corpus, messages=reader.messages(corpus.messages, corpus.where))
    return Given(reader.schema(), corpus, tuple(reader.notes))
