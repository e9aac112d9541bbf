"""The sources of the C libraries: in a directory that the user names, or in the cache."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from wirelab.devices.build import default_cache
from wirelab.model.errors import BadInput
from wirelab.model.suggestions import nearest

_MUST_HAVE = {
    "nanopb": ("pb.h", "pb_common.c", "pb_encode.c", "pb_decode.c"),
    "tinycbor": ("src/cbor.h", "src/cborencoder.c", "src/cborparser.c"),
    "mpack": ("mpack/mpack.h", "mpack/mpack-writer.c", "mpack/mpack-expect.c"),
    "arduinojson": ("ArduinoJson.h", "ArduinoJson.hpp", "ArduinoJson/version.hpp"),
}
_INNER = {"mpack": ("src", "."), "arduinojson": ("src", "."), "nanopb": (".",), "tinycbor": (".",)}
FETCHED = "run firmware/get-libraries.sh (Debian source packages; `make deps` does it)"
HOW = {
    "nanopb": f"{FETCHED}, or give --nanopb-dir",
    "tinycbor": f"{FETCHED}, or give --tinycbor-dir",
    "mpack": "fetch it once with wirelab devices --fetch, or get MPack 1.1 (github.com/ludocode/mpack) and give --mpack-dir",
    "arduinojson": "fetch it once with wirelab devices --fetch, or get ArduinoJson 6 or 7 (github.com/bblanchon/ArduinoJson) and give "
    "--arduinojson-dir",
}


class Library(Struct, frozen=True):
    """The sources of a library: their folder and version."""

    name: str
    folder: Path
    version: str


Libraries = dict[str, Library]
"""The libraries by name, without missing ones."""


def find(named: Mapping[str, Path | None], cache: Path | None = None) -> Libraries:
    """The libraries in the user's directories, else in the cache.

    Raises BadInput for a wrong one.
    """
    found = {}
    for name in named:
        if name not in _MUST_HAVE:
            raise BadInput(f"library '{name}'", "not known", nearest(name, _MUST_HAVE))
    for name in _MUST_HAVE:
        directory = named.get(name)
        if directory is not None:
            found[name] = _checked(name, directory)
            continue
        kept = library_folder(cache) / name
        if kept.is_dir():
            found[name] = _checked(name, kept)
    return found


def library_folder(cache: Path | None = None) -> Path:
    """The folder of downloaded libraries, which `firmware/get-libraries.sh` fills; one folder each."""
    return (cache or default_cache()) / "libraries"


def _checked(name: str, directory: Path) -> Library:
    option = f"--{name}-dir {directory}"
    if not directory.is_dir():
        raise BadInput(option, "no such directory", HOW[name])
    for inner in _INNER[name]:
        folder = (directory / inner).resolve()
        if all(_inside(folder / file, folder) for file in _MUST_HAVE[name]):
            return Library(name, folder, _version(name, directory, folder))
    wanted = ", ".join(_MUST_HAVE[name])
    raise BadInput(option, f"not the sources of {name}: it lacks one of {wanted}", HOW[name])


def _inside(file: Path, folder: Path) -> bool:
    """Whether it is a regular file inside the folder after links are resolved."""
    return file.is_file() and file.resolve().is_relative_to(folder)


def _version(name: str, directory: Path, folder: Path) -> str:
    """The version that the sources state, or a digest of them."""
    patterns = {
        "nanopb": (folder / "pb.h", r'NANOPB_VERSION\s+"?(?:nanopb-)?([\w.]+)'),
        "tinycbor": (directory / "VERSION", r"([\w.]+)"),
        "mpack": (
            folder / "mpack/mpack-common.h",
            r"MPACK_VERSION_MAJOR (\d+)[\s\S]*?MPACK_VERSION_MINOR (\d+)[\s\S]*?MPACK_VERSION_PATCH (\d+)",
        ),
        "arduinojson": (folder / "ArduinoJson/version.hpp", r'ARDUINOJSON_VERSION "([\w.-]+)"'),
    }
    file, pattern = patterns[name]
    text = file.read_text(errors="replace")[:200_000] if file.is_file() else ""
    match = re.search(pattern, text)
    if match:
        return ".".join(match.groups())
    digest = hashlib.sha256(b"".join((folder / f).read_bytes() for f in _MUST_HAVE[name]))
    return f"sources {digest.hexdigest()[:8]}"
