"""Where the fields of Cap'n Proto's structs lie, asked of its official compiler."""

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


class Place(Struct, frozen=True):
    """Where a field lies: its first bit or its pointer, and the bits of its union's tag, -1 where there is none."""

    at: int
    tag: int = -1


class Shape(Struct, frozen=True):
    """A struct: words of data, pointers, and the places of its fields by name."""

    words: int
    pointers: int
    places: dict[str, Place]


def shapes(text: str) -> dict[str, Shape]:
    """The shapes of a .capnp file, as the official compiler lays them out. Raises BadInput with its complaint."""
    with tempfile.TemporaryDirectory(prefix="wirelab-capnp-") as folder:
        source = Path(folder, "schema.capnp")
        source.write_text(text, encoding="utf-8")
        words = [require("capnp"), "compile", "-ocapnp", source.name]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BadInput("Cap'n Proto schema", done.stderr.strip(), "rename or change the field")
    found: dict[str, Shape] = {}
    shape, name, tag = Shape(0, 0, {}), "", -1
    for line in done.stdout.splitlines():
        if match := _STRUCT.match(line):
            shape = Shape(int(match[2]) // 8, int(match[3]), {})
            found[match[1]] = shape
        elif match := _GROUP.match(line):
            name = match[1]
        elif match := _TAG.match(line):
            tag = int(match[1])
        elif match := _VALUE.match(line):
            shape.places[name] = Place(int(match[1]), tag)
        elif match := _FIELD.match(line):
            shape.places[match[1]] = Place(int(match[2]))
    return found
