"""Payload files, and their messages as codec packs load them.

The files are not trusted: size, depth and counts are bounded, and every error names file, line
and path.
"""

from __future__ import annotations

import json
from pathlib import Path

from wirelab.model.errors import BadInput
from wirelab.model.schema import Schema
from wirelab.schema import json_corpus
from wirelab.schema.corpus import Corpus
from wirelab.schema.input_options import InputOptions

__all__ = ["Corpus", "normalised", "parse", "read"]

MAX_BYTES = 256 * 2**20
FORMATS = ("json", "jsonl", "json-seq")
PLAIN = InputOptions()


def read(path: str | Path, options: InputOptions = PLAIN) -> Corpus:
    """The corpus in a file. Raises BadInput."""
    return parse(data_of(Path(path)), str(path), options)


def data_of(path: Path) -> bytes:
    """The bytes of a payload file. Raises BadInput."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise _too_large(str(path))
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise BadInput(str(path), "no such file", "give the path of a JSON or JSON Lines file") from None
    except OSError as error:
        raise BadInput(str(path), f"cannot be read: {error.strerror}", "give a readable file") from None
    if len(data) > MAX_BYTES:
        raise _too_large(str(path))
    return data


def parse(data: bytes, name: str = "payload", options: InputOptions = PLAIN) -> Corpus:
    """The corpus in the bytes of a file called `name`. Raises BadInput."""
    if len(data) > MAX_BYTES:
        raise _too_large(name)
    if options.format not in ("", *FORMATS):
        raise BadInput(f"--input-format {options.format}", "unknown", f"give one of {', '.join(FORMATS)}")
    return json_corpus.parse(data, name, options.format, options.lenient)


def normalised(corpus: Corpus, schema: Schema) -> bytes:
    """The corpus as a codec pack loads it: JSON Lines, compact, in the schema's types and order of
    fields.

    An integer in a float field gets its `.0`. A 32-bit float has its shortest digits. Timestamps
    and base64 stay strings, and keys do not change. Raises BadInput if a message contradicts the
    schema.
    """
    from wirelab.schema.check import typed_messages  # noqa: PLC0415  (check needs Corpus)

    dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
    return b"".join(dump(message).encode() + b"\n" for message in typed_messages(corpus, schema))


def _too_large(name: str) -> BadInput:
    return BadInput(
        name,
        f"larger than {MAX_BYTES // 2**20} MiB",
        "take a sample of some thousand messages, for instance with `head -n 2000`",
    )
