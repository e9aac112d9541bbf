"""Avro object container files (Avro 1.12 specification), through fastavro."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import fastavro

from wirelab.model.errors import BadInput
from wirelab.schema.corpus import Corpus
from wirelab.schema.inputs import values
from wirelab.schema.inputs.archives import MAX_BYTES

_EXPANDERS: dict[str, Callable[[bytes, int], bytes]] = {
    "null": lambda data, _: data,
    "deflate": lambda data, limit: zlib.decompressobj(-15).decompress(data, limit),
    "bzip2": lambda data, limit: bz2.BZ2Decompressor().decompress(data, limit),
    "xz": lambda data, limit: lzma.LZMADecompressor().decompress(data, limit),
}


def read(data: bytes, name: str, lenient: bool) -> Corpus:
    """The corpus in an Avro file. Raises BadInput."""
    return values.corpus(_records(data, name), name, lenient, "read as an Avro object container file")


def _records(data: bytes, name: str) -> Iterator[Any]:
    try:
        reader = fastavro.reader(io.BytesIO(data))
        codec = str(reader.codec)
        if codec not in _EXPANDERS:
            raise BadInput(name, f"its blocks are compressed with {codec}", "write it with deflate or null")
        _check_size(data, name, codec)
        yield from reader
    except BadInput:
        raise
    except Exception as error:  # fastavro raises many kinds on broken files
        why = f"not a whole Avro file: {type(error).__name__} {error}"
        raise BadInput(name, why, "get the whole of the file") from None


def _check_size(data: bytes, name: str, codec: str) -> None:
    """Expand each block within the limit: fastavro expands without one. Raises BadInput."""
    stream = io.BytesIO(data)
    header: Any = fastavro.schemaless_reader(stream, _HEADER, None)
    marker, left = header["sync"], MAX_BYTES
    while stream.tell() < len(data):
        _long(stream)
        block = stream.read(max(0, _long(stream)))
        left -= len(_EXPANDERS[codec](block, left + 1))
        if left < 0:
            raise BadInput(name, f"it expands to more than {MAX_BYTES // 2**20} MiB", "take a smaller sample")
        if stream.read(len(marker)) != marker:
            raise ValueError("a block does not end with the marker")


def _long(stream: io.BytesIO) -> int:
    found: Any = fastavro.schemaless_reader(stream, "long", None)
    return int(found)


_HEADER = {
    "type": "record",
    "name": "Header",
    "fields": [
        {"name": "magic", "type": {"type": "fixed", "name": "Magic", "size": 4}},
        {"name": "meta", "type": {"type": "map", "values": "bytes"}},
        {"name": "sync", "type": {"type": "fixed", "name": "Sync", "size": 16}},
    ],
}
