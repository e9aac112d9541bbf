"""What the wheel holds beside Python: programs, manifests, sources of packs, firmware, examples.

They lie in the folder `data` of the package, in the layout of the checkout
(`wirelab.system.data_root`). Programs are those in target/release, or in $WIRELAB_PROGRAMS. A
wheel without programs is for any platform.
"""

from __future__ import annotations

import functools
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
RELEASE = Path("target", "release")
PROGRAMS = Path(os.environ.get("WIRELAB_PROGRAMS", ROOT / RELEASE))
FOLDERS = ("packs", "firmware", "examples")
MANIFESTS = tuple(
    f"{folder}/{name}"
    for folder in ("crates/*", "servers/*", "java/*", "java/servers/*")
    for name in ("peer.toml", "server.toml")
)
# Libraries that a program may need: those of every distribution with glibc and OpenSSL 3.
PRESENT = ("libc.", "libm.", "libgcc_s.", "libdl.", "libpthread.", "librt.", "ld-linux", "libstdc++.",
           "libssl.so.3", "libcrypto.so.3", "libz.so.1")  # fmt: skip


def bundled() -> Iterator[Path]:
    """The text files of the checkout that the wheel holds."""
    for folder in FOLDERS:
        yield from (path for path in (ROOT / folder).rglob("*") if path.is_file())
    for pattern in MANIFESTS:
        yield from ROOT.glob(pattern)


@functools.cache
def programs() -> tuple[Path, ...]:
    """The programs that need no library of a further package."""
    found = (path for path in sorted(PROGRAMS.glob("*wirelab[-_]*")) if path.is_file() and _is_elf(path))
    return tuple(path for path in found if all(map(_is_present, _needed(path))))


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _needed(program: Path) -> list[str]:
    lines = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    return [line.partition("[")[2].rstrip("]") for line in lines.splitlines() if "(NEEDED)" in line]


def _is_present(library: str) -> bool:
    return library.startswith(PRESENT)


class BuildWithData(build_py):
    """Adds the data, except to an editable install, which has the checkout."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        data = Path(self.build_lib, "wirelab", "data")
        for path in bundled():
            self._into(data / path.relative_to(ROOT)).write_bytes(path.read_bytes())
        for path in programs():
            target = self._into(data / RELEASE / path.name)
            subprocess.run(["strip", "-o", target, path], check=True)
            shutil.copymode(path, target)

    @staticmethod
    def _into(path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


class PlatformWheel(bdist_wheel):
    """A wheel with programs is for this machine's architecture and its glibc or a newer one
    (PEP 600), and for every Python 3.
    """

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = not programs()

    def get_tag(self) -> tuple[str, str, str]:
        if not programs():
            return super().get_tag()
        glibc = platform.libc_ver()[1].replace(".", "_")
        return "py3", "none", f"manylinux_{glibc}_{platform.machine()}"


setup(
    cmdclass={"build_py": BuildWithData, "bdist_wheel": PlatformWheel},
    options={"build": {"build_base": "target/wheel"}},
)
