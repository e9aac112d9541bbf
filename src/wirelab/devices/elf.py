"""What an image takes, and where its functions are: a reader of 32-bit little-endian ELF files."""

from __future__ import annotations

import struct
from pathlib import Path

from msgspec import Struct

from wirelab.model.errors import MeasurementFailed

_NOBITS, _SYMTAB = 8, 2
_WRITE, _ALLOC = 1, 2


class Sizes(Struct, frozen=True):
    """Bytes of code and constants in flash, of data (in flash and RAM), of zeroed RAM."""

    text: int
    data: int
    bss: int

    def __sub__(self, other: Sizes) -> Sizes:
        return Sizes(self.text - other.text, self.data - other.data, self.bss - other.bss)


class Image(Struct, frozen=True):
    """An image's sizes and the addresses of its symbols."""

    path: Path
    sizes: Sizes
    symbols: dict[str, int]


def read(path: Path) -> Image:
    """The image in a file. Raises MeasurementFailed for what is no such ELF file."""
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x01\x01":
        raise MeasurementFailed(str(path), "not a 32-bit little-endian ELF file")
    table, entry, count = struct.unpack_from("<I10xHH", data, 32)
    headers = [struct.unpack_from("<10I", data, table + i * entry) for i in range(count)]
    text = data_size = bss = 0
    symbols: dict[str, int] = {}
    for _, kind, flags, _, offset, size, link, _, _, width in headers:
        if kind == _SYMTAB:
            strings = headers[link][4]
            symbols |= _symbols(data[offset : offset + size], width, data, strings)
        if not flags & _ALLOC:
            continue
        if kind == _NOBITS:
            bss += size
        elif flags & _WRITE:
            data_size += size
        else:
            text += size
    return Image(path, Sizes(text, data_size, bss), symbols)


def _symbols(table: bytes, width: int, data: bytes, strings: int) -> dict[str, int]:
    found = {}
    for at in range(0, len(table), width):
        name, value = struct.unpack_from("<II", table, at)
        start = strings + name
        found[data[start : data.index(b"\0", start)].decode("latin-1")] = value
    return found
