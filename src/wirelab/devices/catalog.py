"""The devices: one folder each under firmware/, described by its device.toml."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from wirelab.model.errors import BadInput
from wirelab.model.suggestions import nearest
from wirelab.system.data_root import data_root

FIRMWARE = data_root() / "firmware"
Counts = Literal["cycles", "instructions"]


class Energy(Struct, frozen=True, forbid_unknown_fields=True):
    """Energy per clock cycle, and its source. `cycles_per_count`: cycles per counted unit."""

    nj_per_cycle: float
    source: str
    cycles_per_count: float = 1.0


class Device(Struct, frozen=True, forbid_unknown_fields=True):
    """A chip: how its code is built and run, and what the simulator counts.

    `compile`, `compile_cpp` and `link` are commands; `link_tail` follows the objects. `simulator`
    is a kind that `simulate` knows, `machine` its arguments. `flash` and `ram` are in bytes.
    `files` must exist in addition to the programs. `double_bits` is the width of `double` on this
    compiler, `word_bits` that of the chip's registers.
    """

    name: str
    title: str
    counts: Counts
    flash: int
    ram: int
    compile: list[str]
    compile_cpp: list[str]
    link: list[str]
    link_tail: list[str]
    simulator: Literal["simavr", "mspdebug", "qemu"]
    machine: list[str]
    stack: Literal["exact", "painted"]
    apt: list[str]
    energy: Energy
    files: list[str] = []
    sources: list[str] = []
    disassemble: list[str] = []
    double_bits: int = 64
    word_bits: int = 32
    note: str = ""

    @property
    def folder(self) -> Path:
        """The folder of its start-up code and linker script."""
        return FIRMWARE / self.name


def devices() -> dict[str, Device]:
    """All devices by name."""
    found = {}
    for file in sorted(FIRMWARE.glob("*/device.toml")):
        try:
            device = msgspec.convert(tomllib.loads(file.read_text()), Device)
        except (msgspec.ValidationError, tomllib.TOMLDecodeError) as error:
            raise BadInput(str(file), str(error), "see firmware/README.md") from None
        found[device.name] = device
    return found


def device(name: str) -> Device:
    """The device called `name`. Raises BadInput."""
    known = devices()
    if name not in known:
        raise BadInput(f"device '{name}'", "not known", nearest(name, known))
    return known[name]


def missing_tools(chip: Device) -> BadInput | None:
    """The missing programs of its toolchain or simulator, with the command that installs them."""
    programs = [chip.compile[0], chip.link[0], *chip.disassemble[:1]]
    programs.append("cc" if chip.simulator == "simavr" else chip.machine[0])
    absent = [program for program in dict.fromkeys(programs) if shutil.which(program) is None]
    absent += [file for file in chip.files if not Path(file).is_file()]
    if not absent:
        return None
    return BadInput(", ".join(absent), "not found", f"apt install {' '.join(chip.apt)}")
