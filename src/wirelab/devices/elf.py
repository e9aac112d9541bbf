"""Section sizes and symbol addresses of a firmware image, a 32-bit little-endian ELF file."""

from __future__ import annotations

from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.construct import ConstructError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from msgspec import Struct

from wirelab.model.errors import MeasurementFailed


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
    """The image in a file.

    Raises MeasurementFailed unless it is a 32-bit little-endian ELF file.
    """
    with path.open("rb") as stream:
        try:
            image = ELFFile(stream)
            if image.elfclass != 32 or not image.little_endian:
                raise ELFError("another class or byte order")
            return Image(path, _sizes(image), _symbols(image))
        except (ELFError, ConstructError) as error:
            raise MeasurementFailed(str(path), f"not a 32-bit little-endian ELF file ({error})") from None


def _sizes(image: ELFFile) -> Sizes:
    text = data = bss = 0
    for section in image.iter_sections():
        flags, size = section["sh_flags"], section["sh_size"]
        if not flags & SH_FLAGS.SHF_ALLOC:
            continue
        if section["sh_type"] == "SHT_NOBITS":
            bss += size
        elif flags & SH_FLAGS.SHF_WRITE:
            data += size
        else:
            text += size
    return Sizes(text, data, bss)


def _symbols(image: ELFFile) -> dict[str, int]:
    tables = (section for section in image.iter_sections() if isinstance(section, SymbolTableSection))
    return {symbol.name: symbol["st_value"] for table in tables for symbol in table.iter_symbols()}
