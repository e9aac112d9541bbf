"""Compile and link. Parts that do not depend on the payload are compiled once and cached."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from wirelab.devices import elf
from wirelab.devices.catalog import FIRMWARE, Device
from wirelab.model.errors import MeasurementFailed

COMPILE_S = 120
COMMON = ("-ffunction-sections", "-fdata-sections", "-fno-common", "-Wall")


class TooBig(Exception):
    """An image that does not fit: which memory, by how many bytes (0 if the compiler gives none)."""

    def __init__(self, memory: str, excess: int = 0) -> None:
        super().__init__(f"{memory} exceeded by {excess} B" if excess else f"{memory} exceeded")


class Part(Struct, frozen=True):
    """Source files with the options they are compiled with."""

    files: tuple[Path, ...]
    options: tuple[str, ...] = ()


def default_cache() -> Path:
    """`$XDG_CACHE_HOME/wirelab/devices`, or under `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base, "wirelab", "devices")


def run(command: Sequence[str], seconds: float = COMPILE_S) -> subprocess.CompletedProcess[str]:
    """Run a compiler or linker with a timeout.

    Raises MeasurementFailed if it is missing or hangs.
    """
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
        )
    except FileNotFoundError:
        raise MeasurementFailed(command[0], "not found", "wirelab doctor says how to install it") from None
    except subprocess.TimeoutExpired:
        raise MeasurementFailed(command[0], f"did not finish within {seconds:.0f} s") from None


def compile_part(chip: Device, part: Part, optimise: str, out: Path) -> list[Path]:
    """The object files of a part, in `out`.

    Raises TooBig, or MeasurementFailed with the compiler's first error.
    """
    objects = []
    for source in part.files:
        command = chip.compile_cpp if source.suffix == ".cpp" else chip.compile
        target = out / f"{source.stem}.o"
        include = [
            f"-I{chip.folder}",
            f"-I{chip.folder / 'include'}",
            f"-I{FIRMWARE / 'shared'}",
            f"-I{source.parent}",
        ]
        done = run(
            [*command, f"-{optimise}", *COMMON, *include, *part.options, "-c", str(source), "-o", str(target)]
        )
        if done.returncode and "is too large" in done.stderr:
            raise TooBig("address space")
        if done.returncode:
            raise MeasurementFailed(f"{source.name} for {chip.name}", _first_error(done.stderr))
        objects.append(target)
    return objects


def kept_part(chip: Device, part: Part, optimise: str, cache: Path) -> list[Path]:
    """Like `compile_part`, but cached by files and command."""
    folder = cache / "objects" / _key(chip, part, optimise)
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as new:
            compile_part(chip, part, optimise, Path(new))
            try:
                os.rename(new, folder)
            except OSError:
                if not folder.is_dir():
                    raise
            else:
                Path(new).mkdir()
    return [folder / f"{source.stem}.o" for source in part.files]


def _key(chip: Device, part: Part, optimise: str) -> str:
    digest = hashlib.sha256()
    command = [*chip.compile, *chip.compile_cpp, optimise, *COMMON, *part.options]
    digest.update("\0".join([*command, compiler_version(chip)]).encode())
    headers = [h for folder in {f.parent for f in part.files} for h in sorted(folder.glob("*.h"))]
    shared = [*sorted((FIRMWARE / "shared").glob("*.h")), *sorted(chip.folder.rglob("*.h"))]
    for file in [*part.files, *headers, *shared]:
        digest.update(str(file).encode() + file.read_bytes())
    return f"{chip.name}-{digest.hexdigest()[:24]}"


_VERSIONS: dict[str, str] = {}


def compiler_version(chip: Device) -> str:
    """The first line of the compiler's `--version`."""
    program = chip.compile[0]
    if program not in _VERSIONS:
        _VERSIONS[program] = (run([program, "--version"]).stdout.splitlines() or ["?"])[0]
    return _VERSIONS[program]


def device_objects(chip: Device, optimise: str, cache: Path) -> list[Path]:
    """The harness and the part for the device."""
    files = (FIRMWARE / "shared" / "harness.c", *((chip.folder / name).resolve() for name in chip.sources))
    return kept_part(chip, Part(tuple(files)), optimise, cache)


def link(chip: Device, objects: Iterable[Path], image: Path) -> elf.Image:
    """The linked image. Raises TooBig, or MeasurementFailed with the linker's first error."""
    script = chip.folder / "link.ld"
    scripted = ["-T", str(script)] if script.is_file() else []
    done = run([*chip.link, *scripted, *map(str, objects), *chip.link_tail, "-o", str(image)])
    if done.returncode:
        overflow = re.findall(r"[`'](\w+)'(?: overflowed|: overflowed) by (\d+)", done.stderr)
        if overflow:
            memory, excess = max(overflow, key=lambda found: int(found[1]))
            raise TooBig("RAM" if memory in ("ram", "data") else "flash", int(excess))
        raise MeasurementFailed(f"linking for {chip.name}", _first_error(done.stderr))
    built = elf.read(image)
    flash, ram = built.sizes.text + built.sizes.data, built.sizes.data + built.sizes.bss
    if flash > chip.flash:
        raise TooBig("flash", flash - chip.flash)
    if ram > chip.ram:
        raise TooBig("RAM", ram - chip.ram)
    return built


def _first_error(text: str) -> str:
    told = [line for line in text.splitlines() if "collect2" not in line and ": in function" not in line]
    lines = [line for line in told if "error" in line or "undefined" in line] or told
    return lines[0].strip() if lines else "failed without an error message"
