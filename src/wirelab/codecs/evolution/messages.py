"""The messages of each version: those of the payloads that fit its schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from wirelab.model.errors import BadInput
from wirelab.model.schema import Schema
from wirelab.schema.check import fitted
from wirelab.schema.corpus import Corpus
from wirelab.schema.importers import read
from wirelab.schema.importers.language import BY_SUFFIX, split
from wirelab.schema.inference import infer
from wirelab.schema.kinds import find_kinds
from wirelab.schema.numerals import exact
from wirelab.schema.payload import read as read_payload
from wirelab.schema.projection import projected

MOST = 200


class Version(Struct, frozen=True):
    """A version as the user named it, its schema, and the messages of its own payload."""

    source: str
    schema: Schema
    own: Sequence[Any] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_given(self) -> bool:
        """Whether the schema was given rather than inferred."""
        return not self.own


def read_version(source: str) -> Version:
    """A version from a schema in any language, or from a payload whose schema is inferred.

    A file without the ending of a schema language is a schema if its content is one. Raises
    BadInput.
    """
    path, name = split(source)
    corpus = None if name or path.suffix in BY_SUFFIX else read_payload(source)
    if corpus is None or _is_schema(corpus):
        found = read.schema(source)
        return Version(source, found.schema, (), found.notes)
    told = find_kinds(corpus)
    schema = infer(corpus, told.kinds)
    return Version(source, schema, exact(corpus, schema).messages, (*corpus.notes, *told.notes))


def _is_schema(corpus: Corpus) -> bool:
    """Whether a file of one message is a JSON Schema or an Avro schema."""
    whole = corpus.messages[0]
    if len(corpus.messages) > 1 or not isinstance(whole, dict):
        return False
    words = {"$schema", "$ref", "$defs", "properties", "oneOf", "anyOf", "allOf"}
    return bool(words & whole.keys()) or (whole.get("type") == "record" and "fields" in whole)


def messages_of(version: Version, schema: Schema, payloads: Sequence[str]) -> list[Any]:
    """The messages of the payloads and of the version itself that fit `schema`, in its types.

    `schema` is that of the version, aligned with the other's.
    """
    found = list(fitted(version.own, schema))
    for payload in payloads:
        try:
            given = read.schema(version.source, payload).corpus if version.is_given else None
            whole = given or read_payload(payload)
        except BadInput:
            if version.is_given:
                read_payload(payload)  # an unreadable file is an error, one of another version is not
            continue
        found += fitted(exact(whole, schema).messages, schema)
    return spread(found)


def derived(others: Sequence[Any], schema: Schema) -> list[Any]:
    """Messages of the other version without the keys that a schema does not have, if they fit it."""
    return list(fitted([projected(message, schema) for message in others], schema))


def spread(messages: Sequence[Any]) -> list[Any]:
    """At most MOST of the messages, evenly spread."""
    step = -(-len(messages) // MOST)
    return list(messages[:: max(step, 1)])
