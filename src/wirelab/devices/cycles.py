"""Modelled Cortex-M4 cycles of a trace of executed instructions: a lower and an upper bound.

The rules are from Arm's table of instruction timings (Cortex-M4 Technical Reference Manual,
3.3.1), for memory without wait states:
- a data-processing instruction takes 1 cycle, a load 2, a store 1; a load right after a load or
  store takes 1, because they overlap;
- loads and stores of n words take 1 + n; a double word counts as two;
- a change of flow adds P cycles for refilling the pipeline: 1 <= P <= 3, depending on alignment
  and prediction;
- division takes 2 to 12 cycles, floating-point division and square root 14, a fused or chained
  multiply 3.
The bounds take all of these at their lowest and at their highest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from wirelab.devices import build
from wirelab.devices.catalog import Device
from wirelab.devices.elf import Image

REFILL = (1, 3)
_LINE = re.compile(r"^ *([0-9a-f]+):\t(\S+)[ \t]*(.*)$", re.M)
_RANGE = re.compile(r"[rsd](\d+)-[rsd](\d+)")


class Instruction(Struct, frozen=True):
    """An instruction: bounds of its cycles without a change of flow, its kind and its successor."""

    low: int
    high: int
    load: bool
    store: bool
    following: int


class Model:
    """The cost of traces of one image."""

    def __init__(self, listing: str) -> None:
        found = [(int(m[1], 16), m[2], m[3]) for m in _LINE.finditer(listing)]
        following = [address for address, _, _ in found[1:]] + [0]
        self.code = {
            address: _instruction(name, operands, after)
            for (address, name, operands), after in zip(found, following, strict=True)
        }

    def band(self, trace: Sequence[int], empty: Sequence[int]) -> tuple[int, int]:
        """Lowest and highest modelled cycles of a trace, less those of an empty trace between two
        marks.
        """
        low, high = self.cost(trace)
        empty_low, empty_high = self.cost(empty)
        return max(0, low - empty_low), max(0, high - empty_high)

    def cost(self, trace: Sequence[int]) -> tuple[int, int]:
        """Lowest and highest modelled cycles of a trace of addresses.

        Raises KeyError for an unknown address.
        """
        low = high = 0
        overlaps = False
        for at, address in enumerate(trace):
            one = self.code[address]
            least, most = one.low, one.high
            if one.load and overlaps:
                least = most = 1
            overlaps = one.load or one.store
            if at + 1 < len(trace) and trace[at + 1] != one.following:
                least, most = least + REFILL[0], most + REFILL[1]
            low, high = low + least, high + most
        return low, high


def model(chip: Device, image: Image) -> Model:
    """The model of an image, from its disassembly."""
    listing = build.run([chip.disassemble[0], "-d", "--no-show-raw-insn", str(image.path)]).stdout
    return Model(listing)


def _instruction(name: str, operands: str, following: int) -> Instruction:
    root = name.split(".", maxsplit=1)[0]
    low, high = _cycles(root, operands)
    single = not root.startswith(("ldm", "stm", "ldrd", "strd"))
    load = single and root.startswith(("ldr", "vldr"))
    return Instruction(low, high, load, single and root.startswith(("str", "vstr")), following)


def _cycles(root: str, operands: str) -> tuple[int, int]:  # noqa: PLR0911  (a table)
    if root.startswith(("ldm", "stm", "push", "pop", "vpush", "vpop", "vldm", "vstm")):
        words = 1 + _registers(operands)
        return words, words
    if root.startswith(("ldrd", "strd")):
        return 3, 3
    if root.startswith(("ldr", "vldr")):
        return 2, 2
    if root.startswith(("sdiv", "udiv")):
        return 2, 12
    if root.startswith(("vdiv", "vsqrt")):
        return 14, 14
    if root.startswith(("vfma", "vmla", "vfms", "vmls", "vnml")):
        return 3, 3
    if root in ("tbb", "tbh"):
        return 2, 2
    return 1, 1


def _registers(operands: str) -> int:
    """The number of words that a register list such as {r4, r5-r7, d8} moves."""
    inside = operands[operands.find("{") + 1 : operands.find("}")]
    words = 0
    for part in filter(None, (piece.strip() for piece in inside.split(","))):
        span = _RANGE.fullmatch(part)
        words += (int(span[2]) - int(span[1]) + 1 if span else 1) * (2 if part[0] == "d" else 1)
    return words
