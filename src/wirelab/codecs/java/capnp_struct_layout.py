"""The layout of Cap'n Proto structs, from the official compiler."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

from msgspec import Struct

from wirelab.codecs.java.toolchain import require
from wirelab.model.errors import BadInput

_STRUCT = re.compile(r"struct (\w+) @\w+ \{  # (\d+) bytes, (\d+) ptrs")
_FIELD = re.compile(r"  (\w+) @\d+ :.*;  # (?:bits|ptr)\[(\d+)")
_GROUP = re.compile(r"  (\w+) :group \{")
_TAG = re.compile(r"    union \{  # tag bits \[(\d+)")
_VALUE = re.compile(r"      value @\d+ :.*;  # bits\[(\d+)")


class FieldLocation(Struct, frozen=True):
    """The position of a field: its first bit or pointer index, and the bit of its union's tag."""

    at: int
    tag: int = -1
    """-1 for a field without a union"""


class StructLayout(Struct, frozen=True):
    """A struct: number of data words and pointers, and the locations of its fields by name."""

    words: int
    pointers: int
    locations: dict[str, FieldLocation]


def compile_layouts(text: str) -> dict[str, StructLayout]:
    """The layouts of the structs of a .capnp file. Raises BadInput with the compiler's error."""
    with tempfile.TemporaryDirectory(prefix="wirelab-capnp-") as folder:
        source = Path(folder, "schema.capnp")
        source.write_text(text, encoding="utf-8")
        words = [require("capnp"), "compile", "-ocapnp", source.name]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BadInput("Cap'n Proto schema", done.stderr.strip(), "rename or change the field")
    found: dict[str, StructLayout] = {}
    layout, name, tag = StructLayout(0, 0, {}), "", -1
    for line in done.stdout.splitlines():
        if match := _STRUCT.match(line):
            layout = StructLayout(int(match[2]) // 8, int(match[3]), {})
            found[match[1]] = layout
        elif match := _GROUP.match(line):
            name = match[1]
        elif match := _TAG.match(line):
            tag = int(match[1])
        elif match := _VALUE.match(line):
            layout.locations[name] = FieldLocation(int(match[1]), tag)
        elif match := _FIELD.match(line):
            layout.locations[match[1]] = FieldLocation(int(match[2]))
    return found
