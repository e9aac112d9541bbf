"""Payload files, and their messages as codec packs load them.

The files are not trusted: size, depth and counts are bounded, and every error names file, line
and path.
"""

from __future__ import annotations

import json
from pathlib import Path

from wirelab.model.errors import BadInput
from wirelab.model.schema import Schema
from wirelab.schema import numerals
from wirelab.schema.corpus import Corpus, joined
from wirelab.schema.inputs import formats
from wirelab.schema.inputs.archives import MAX_BYTES, Budget
from wirelab.schema.inputs.files import data_of, payload_files
from wirelab.schema.inputs.options import InputOptions

__all__ = ["MAX_BYTES", "Corpus", "data_of", "normalised", "parse", "read"]

PLAIN = InputOptions()


def read(path: str | Path, options: InputOptions = PLAIN) -> Corpus:
    """The corpus in a file, a directory or an archive, or on stdin (`-`). Raises BadInput."""
    found = []
    for name, data in payload_files(path):
        try:
            found.append(parse(data, name, options))
        except BadInput as error:
            if not name.startswith(f"{path}/"):
                raise
            step = f"{error.next_step}, or take the file out of {path}"
            raise BadInput(error.what, error.why, step) from None
    return found[0] if len(found) == 1 else joined(found, str(path))


def parse(data: bytes, name: str = "payload", options: InputOptions = PLAIN) -> Corpus:
    """The corpus in the bytes of a file called `name`. Raises BadInput."""
    if len(data) > MAX_BYTES:
        raise Budget(name).too_large()
    return formats.parse(data, name, options)


def normalised(corpus: Corpus, schema: Schema) -> bytes:
    """The corpus as a codec pack loads it: JSON Lines, compact, in the schema's types and order of
    fields.

    An integer in a float field gets its `.0`. A 32-bit float has its shortest digits, a decimal the
    digits in which it was written. Timestamps and base64 stay strings, and keys do not change.
    Raises BadInput if a message contradicts the schema.
    """
    from wirelab.schema.check import typed_messages  # noqa: PLC0415  (check needs Corpus)

    if numerals.has_decimal(schema):
        exact = numerals.with_numerals(corpus)
        return b"".join(
            numerals.encode(message).encode() + b"\n" for message in typed_messages(exact, schema)
        )
    dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
    return b"".join(dump(message).encode() + b"\n" for message in typed_messages(corpus, schema))
