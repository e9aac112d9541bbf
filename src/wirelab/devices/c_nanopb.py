"""Protobuf by nanopb. Its generator makes the structures; maxima of the corpus are static sizes."""

from __future__ import annotations

import shutil
from pathlib import Path

from wirelab.devices import build
from wirelab.devices.c_layout import Member, Shape, whole
from wirelab.devices.catalog import Device
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.model.schema import Base64, Float, Int, Ref, String, Timestamp
from wirelab.schema.emitters.common import number
from wirelab.schema.emitters.protobuf import scalar

GENERATOR = "nanopb_generator.py"
FILES = ("pb_common.c", "pb_encode.c", "pb_decode.c")
OPTIONS = ("-DPB_NO_ERRMSG=1", "-DPB_BUFFER_ONLY=1")
"""No error texts in flash, and streams over memory only, because messages are one buffer."""
UNSUPPORTED = ("expanded", "free", "group", "keys", "timestamp", "wrapped")
"""Codings of a given .proto that `proto` does not write."""
NARROW_DOUBLE = "-DPB_CONVERT_DOUBLE_FLOAT=1"
WITHOUT_64_BITS = "-DPB_WITHOUT_64BIT=1"
"""No 64-bit arithmetic, for 8- and 16-bit chips and schemas without 64-bit numbers."""


def settings(shape: Shape, chip: Device) -> tuple[str, ...]:
    """The library's options for a chip and a schema."""
    kinds = [member.kind for table in shape.tables.values() for member in table.members]
    wide = any(
        kind.bits == 64 if isinstance(kind, Float) else whole(kind) in ("u64", "i64")
        for kind in kinds
        if isinstance(kind, Float | Int | Timestamp)
    )
    without = (WITHOUT_64_BITS,) if chip.word_bits < 32 and not wide else ()
    return (*OPTIONS, *((NARROW_DOUBLE,) if chip.double_bits == 32 else ()), *without)


def proto(shape: Shape) -> str:
    """The .proto of a shape: the wire format of the emitted schema, with maps as lists of entries."""
    text = ['syntax = "proto3";\n']
    for table in shape.tables.values():
        lines = "".join(_field(index, member) for index, member in enumerate(table.members))
        if table.role == "union":
            lines = f"  oneof value {{\n{lines}  }}\n"
        text.append(f"message {table.name} {{\n{lines}}}\n")
    return "\n".join(text)


def _field(index: int, member: Member) -> str:
    prefix = "repeated " if member.is_list else ""
    if member.marked and not member.is_list and not isinstance(member.kind, Ref):
        prefix = "optional "
    return f"  {prefix}{scalar(member.kind)} {member.name} = {member.number or number(index)};\n"


def options(shape: Shape) -> str:
    """The sizes for nanopb's generator."""
    lines = []
    for table in shape.tables.values():
        for member in table.members:
            sizes = []
            if isinstance(member.kind, String):
                sizes.append(f"max_size:{member.size + 1}")
            if isinstance(member.kind, Base64):
                sizes.append(f"max_size:{max(member.size, 1)}")
            if member.is_list:
                sizes.append(f"max_count:{max(member.count, 1)}")
            if sizes:
                lines.append(f"{table.name}.{member.name} {' '.join(sizes)}\n")
    return "".join(lines)


def generate(shape: Shape, folder: Path) -> None:
    """Generate `message.pb.h` and `message.pb.c` in a folder.

    Raises BadInput if the generator is missing, MeasurementFailed if it fails.
    """
    program = shutil.which(GENERATOR)
    if program is None:
        raise BadInput(GENERATOR, "not found", "apt install nanopb")
    (folder / "message.proto").write_text(proto(shape))
    (folder / "message.options").write_text(options(shape))
    done = build.run([program, "-q", "-D", str(folder), "-I", str(folder), str(folder / "message.proto")])
    if done.returncode or not (folder / "message.pb.h").is_file():
        raise MeasurementFailed("nanopb's generator", (done.stderr.strip().splitlines() or ["failed"])[-1])


def functions(shape: Shape) -> str:
    """The contract's two functions."""
    return f"""#include <pb_decode.h>
#include <pb_encode.h>

unsigned wl_serialize(void) {{
    pb_ostream_t stream = pb_ostream_from_buffer(wl_buffer, sizeof wl_buffer);
    return pb_encode(&stream, {shape.root}_fields, &wl_message) ? (unsigned)stream.bytes_written : 0;
}}

bool wl_deserialize(unsigned length) {{
    pb_istream_t stream = pb_istream_from_buffer(wl_buffer, length);
    return pb_decode(&stream, {shape.root}_fields, &wl_message);
}}
"""
