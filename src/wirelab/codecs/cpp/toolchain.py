"""The C++ compiler, the formats' compilers and libraries, and the commands that install them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from wirelab.model.errors import BadInput
from wirelab.system.child_guard import tied
from wirelab.system.data_root import data_root

SOURCES = data_root() / "packs" / "cpp"
ABI = SOURCES.parent / "abi"
FLAGS = (
    *("-std=c++20", "-O3", "-fPIC", "-fvisibility=hidden", "-fno-semantic-interposition"),
    *("-Wall", "-Wextra", "-Werror", f"-I{SOURCES / 'wirelab'}", f"-I{SOURCES}", f"-I{ABI}"),
)


class Need(Struct, frozen=True):
    """What a unit is compiled and linked with. The libraries are installed if `header` exists."""

    header: str
    packages: tuple[str, ...]
    compiler: str = ""
    flags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()


RUNTIME = Need("rapidjson/document.h", ("rapidjson-dev",))
"""The compiler options of every pack."""


def require(needs: Iterable[Need]) -> None:
    """Raise BadInput with the command that installs the missing ones."""
    if shutil.which("g++") is None:
        raise BadInput("g++", "not found", "apt install g++")
    lacking: dict[str, None] = {}
    for need in [RUNTIME, *needs]:
        found = (Path("/usr/include") / need.header).exists()
        if not found or (need.compiler and not Path(need.compiler).exists()):
            lacking |= dict.fromkeys(need.packages)
    if lacking:
        line = f"apt install {' '.join(lacking)}"
        raise BadInput("C++ codecs", "libraries or their compilers are missing", line)


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Debian package -> version of its library, without Debian's suffix."""
    words = ["dpkg-query", "-W", "-f", "${Package} ${Version}\n", *sorted(set(packages))]
    try:
        answer = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    except OSError:
        return {}
    pairs = [line.split() for line in answer.splitlines()]
    return {pair[0]: pair[1].rpartition("-")[0].partition("+")[0] for pair in pairs if len(pair) == 2}


def compiler() -> str:
    """For example `g++ 12.2.0`. Raises BadInput without g++."""
    require(())
    words = ["g++", "-dumpfullversion"]
    return f"g++ {subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()}"


def run(what: str, words: list[str], folder: Path, next_step: str = "rename or change the field") -> None:
    """Run a compiler in a folder. Raises BadInput with its error."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder, preexec_fn=tied())
    if done.returncode != 0:
        lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower()] or lines
        raise BadInput(what, " | ".join(errors[:3]), next_step)
