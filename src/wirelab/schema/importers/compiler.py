"""Runs of the official compilers of schema languages, bounded in time."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from wirelab.model.errors import BadInput
from wirelab.schema.importers.book import source
from wirelab.system.python_programs import find_python_program

SECONDS = 60
Folders = Sequence[Path]
"""The folders in which imports are looked up, in that order."""
_CRASH = "*** Received signal"
"""What capnp prints about itself before it ends."""


def import_folders(path: Path, given: Iterable[str]) -> list[Path]:
    """The folders of `-I`, that of a schema file, and those above it."""
    return list(dict.fromkeys((*map(Path, given), *path.resolve().parents)))


def run_compiler(program: str, arguments: Sequence[str], path: Path, package: str) -> bytes:
    """What a compiler writes about a schema file. Raises BadInput with what it says."""
    source(path)
    found = find_python_program(program) if program == "flatc" else program
    try:
        done = subprocess.run(
            [str(found), *arguments],
            capture_output=True,
            check=False,
            timeout=SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise BadInput(program, "it is not installed", f"install {package}") from None
    except subprocess.TimeoutExpired:
        raise BadInput(str(path), f"{program} takes longer than {SECONDS} s", "simplify the schema") from None
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").replace(f"{path.parent}/", "")
        said = said.replace(f"{Path.cwd()}/", "")
        lines = [line.strip() for line in said.splitlines() if line.strip() not in ("", "error:")]
        if done.returncode < 0 or _CRASH in said:
            step = "look for types nested too deeply, and for files that include each other"
            raise BadInput(str(path), f"{program} crashes at it", step)
        why = "; ".join(lines)[:300] or f"{program} fails with {done.returncode}"
        raise BadInput(str(path), why, "correct the schema")
    return done.stdout
