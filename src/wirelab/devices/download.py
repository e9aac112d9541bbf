"""Download MPack and ArduinoJson: one pinned release each, only on request of the user.

Archives are not trusted. Only regular files in the source folder are written, in bounded number
and size, and the result must have the pinned digest of the release's source tree.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import tarfile
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from msgspec import Struct

from wirelab.model.errors import BadInput

MOST_BYTES = 32 << 20
"""The limit of the archive, and of all files in it."""
MOST_FILES = 2_000
TIMEOUT_S = 60.0


class Release(Struct, frozen=True):
    """A release: its archive, and the `digest` of the files under `src/` in its source tree."""

    version: str
    url: str
    digest: str


RELEASES = {
    "mpack": Release(
        "1.1.1",
        "https://github.com/ludocode/mpack/archive/refs/tags/v1.1.1.tar.gz",
        "cbe24ade0f52bd3ef06dd5f9c20b53e14d3b81ca4536f05ada5e47ef05c63562",
    ),
    "arduinojson": Release(
        "6.18.5",
        "https://github.com/bblanchon/ArduinoJson/archive/refs/tags/v6.18.5.tar.gz",
        "af66f56bf5d07082a8cb9b41fe76a2f1d1fc655546f4529ac2f6380b11c4125d",
    ),
}


def fetch(name: str, libraries: Path, release: Release | None = None) -> Path:
    """The folder `libraries`/`name` with the sources, downloaded if absent. Raises BadInput."""
    wanted, target = release or RELEASES[name], libraries / name
    if target.is_dir():
        return target
    archive = _download(name, wanted.url)
    libraries.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=libraries, prefix=".new-") as work:
        folder = Path(work, name)
        for path, content in _sources(wanted.url, archive):
            file = folder / "src" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        if digest(folder) != wanted.digest:
            raise BadInput(
                wanted.url,
                f"not the sources of {name} {wanted.version}: another checksum",
                "download them manually",
            )
        shutil.move(folder, target)
    return target


def digest(folder: Path) -> str:
    """SHA-256 over the paths and contents of all files under `src/`, in the order of their paths."""
    found = hashlib.sha256()
    inner = folder / "src"
    for path in sorted(file.relative_to(inner).as_posix() for file in inner.rglob("*") if file.is_file()):
        content = (inner / path).read_bytes()
        found.update(f"{path}\0{len(content)}\0".encode() + content)
    return found.hexdigest()


def _download(name: str, url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:
            content: bytes = answer.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        step = f"get the release elsewhere and give --{name}-dir"
        raise BadInput(url, f"cannot be fetched ({reason})", step) from None
    if len(content) > MOST_BYTES:
        raise BadInput(url, f"larger than {MOST_BYTES >> 20} MiB", "not a source release")
    return content


def _sources(url: str, archive: bytes) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The files under `src/` of the archive's only folder, by path. Raises BadInput."""
    files = left = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
            for member in tar:
                files, left = files + 1, left + member.size
                if files > MOST_FILES or left > MOST_BYTES:
                    raise BadInput(
                        url, "more files or bytes than a source release has", "download them manually"
                    )
                parts = PurePosixPath(member.name).parts
                is_source = len(parts) > 2 and parts[1] == "src" and not member.isdir()
                if member.name.startswith("/") or ".." in parts or (is_source and not member.isreg()):
                    raise BadInput(
                        url, f"'{member.name[:80]}' in it is not a regular file", "download them manually"
                    )
                if not is_source:
                    continue
                content = tar.extractfile(member)
                if content is not None:
                    yield PurePosixPath(*parts[2:]), content.read()
    except (tarfile.TarError, OSError, EOFError) as error:
        raise BadInput(url, f"not a tar archive ({error})", "download the release manually") from None
