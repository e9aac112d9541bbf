"""Sections and symbols of an image, and files that are not images."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from wirelab.devices import elf
from wirelab.devices.elf import Sizes
from wirelab.model.errors import MeasurementFailed

SOURCE = """\
        .section .text
        .globl main
main:   .space 12
        .section .rodata, "a"
        .space 4
        .data
        .globl counter
counter: .space 3
        .bss
        .space 20
        .section .comment, "", @progbits
        .space 100
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sections of known sizes, assembled for a Cortex-M."""
    assembler = shutil.which("arm-none-eabi-as")
    assert assembler, "arm-none-eabi-as is not installed: make deps"
    folder = tmp_path_factory.mktemp("elf")
    (folder / "source.s").write_text(SOURCE.replace("@progbits", "%progbits"))
    subprocess.run([assembler, "-o", folder / "image.o", folder / "source.s"], check=True)
    return folder / "image.o"


def test_sizes_are_those_of_the_sections_that_are_loaded(image: Path) -> None:
    assert elf.read(image).sizes == Sizes(text=16, data=3, bss=20)


def test_symbols_have_their_addresses(image: Path) -> None:
    symbols = elf.read(image).symbols
    assert symbols["main"] == 0
    assert symbols["counter"] == 0


@pytest.mark.parametrize(
    "content", [b"", b"#!/bin/sh\n", b"\x7fELF\x02\x01" + bytes(60), b"\x7fELF\x01\x01" + bytes(20)]
)
def test_a_file_that_is_not_a_32_bit_image_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "image"
    file.write_bytes(content)
    with pytest.raises(MeasurementFailed, match="not a 32-bit little-endian ELF file"):
        elf.read(file)
