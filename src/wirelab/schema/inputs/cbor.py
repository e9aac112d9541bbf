"""CBOR (RFC 8949), one item or a sequence of items (RFC 8742), through cbor2."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import cbor2

from wirelab.model.errors import BadInput
from wirelab.schema.corpus import Corpus
from wirelab.schema.inputs import values
from wirelab.schema.json_reader import MAX_DEPTH


def read(data: bytes, name: str, lenient: bool) -> Corpus:
    """The corpus in CBOR. Raises BadInput."""
    return values.corpus(_items(data, name, lenient), name, lenient, "read as CBOR (RFC 8949)")


def _items(data: bytes, name: str, lenient: bool) -> Iterator[Any]:
    stream = io.BytesIO(data)
    while stream.tell() < len(data):
        at = stream.tell()
        decoder = cbor2.CBORDecoder(
            stream, read_size=1, max_depth=2 * MAX_DEPTH, allow_duplicate_keys=lenient, tag_hook=_untagged
        )
        try:
            yield decoder.decode()
        except (
            cbor2.CBORError,
            ValueError,
            TypeError,
            OverflowError,
            RecursionError,
            ArithmeticError,
        ) as error:
            why = f"not CBOR in the item at byte {at}: {error}"
            raise BadInput(name, why, "correct it, or name its format with --input-format") from None


def _untagged(tag: cbor2.CBORTag, _: bool) -> Any:
    """The value inside a tag that has no meaning here."""
    return tag.value
