"""Archives and compressed files, expanded in memory within a budget: zip, tar, gzip, bzip2, xz."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import IO

from wirelab.model.errors import BadInput

MAX_BYTES = 256 * 2**20
MAX_FILES = 100_000
MAX_LAYERS = 3
"""An archive in an archive, such as .tar.gz, is read up to this depth."""
_STREAMS: dict[bytes, Callable[..., IO[bytes]]] = {
    b"\x1f\x8b": gzip.open,  # type: ignore[dict-item]
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
_UNREAD = {
    b"\x28\xb5\x2f\xfd": ("zstd", "decompress it with zstd -d"),
    b"7z\xbc\xaf\x27\x1c": ("7z", "extract it with 7z x"),
    b"Rar!": ("rar", "extract it with unrar"),
}
_SUFFIXES = (".gz", ".gzip", ".bz2", ".xz")
Members = Iterator[tuple[str, bytes]]


class Budget:
    """The bytes and files that a payload may still have."""

    def __init__(self, name: str) -> None:
        self.name, self.bytes, self.files = name, MAX_BYTES, MAX_FILES

    def take(self, size: int) -> None:
        """Count a file. Raises BadInput."""
        self.bytes -= size
        self.files -= 1
        if self.bytes < 0:
            raise self.too_large()
        if self.files < 0:
            raise BadInput(self.name, f"more than {MAX_FILES:,} files", "take a smaller sample")

    def too_large(self) -> BadInput:
        """The error for too many bytes."""
        return BadInput(
            self.name,
            f"larger than {MAX_BYTES // 2**20} MiB",
            "take a sample of some thousand messages, for instance with `head -n 2000`",
        )


def is_hidden(name: str) -> bool:
    """Whether a file is not content: `.git`, `.DS_Store`, `__MACOSX`."""
    return name.startswith((".", "__MACOSX"))


def members(name: str, data: bytes, budget: Budget, layers: int = 0) -> Members:
    """The names and bytes of the files in an archive; a file that is none is itself.

    Raises BadInput.
    """
    for magic, (kind, step) in _UNREAD.items():
        if data.startswith(magic):
            raise BadInput(name, f"{kind} archives are not read", step)
    expand = _expander(data)
    if expand is None:
        yield name, data
        return
    if layers == MAX_LAYERS:
        raise BadInput(name, f"more than {MAX_LAYERS} archives inside each other", "extract them")
    found = False
    try:
        for inner, content in expand(name, data, budget):
            found = True
            budget.take(len(content))
            yield from members(inner, content, budget, layers + 1)
    except BadInput:
        raise
    except Exception as error:  # zipfile and tarfile raise many kinds on broken files
        raise BadInput(name, f"not a whole archive: {error}", "extract it, and give its files") from None
    if not found:
        raise BadInput(name, "the archive has no files", "give one with at least one message")


def _expander(data: bytes) -> Callable[[str, bytes, Budget], Members] | None:
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip
    if data[257:262] == b"ustar":
        return _tar
    return _stream if any(map(data.startswith, _STREAMS)) else None


def _stream(name: str, data: bytes, budget: Budget) -> Members:
    open_ = next(opened for magic, opened in _STREAMS.items() if data.startswith(magic))
    inner = name.removesuffix(PurePath(name).suffix) if name.endswith(_SUFFIXES) else name
    with open_(io.BytesIO(data)) as stream:
        yield inner, _read(stream, budget)


def _zip(name: str, data: bytes, budget: Budget) -> Members:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in sorted(archive.infolist(), key=lambda one: one.filename):
            if not info.is_dir() and not _is_hidden_path(info.filename):
                if info.file_size > budget.bytes:
                    raise budget.too_large()
                with archive.open(info) as stream:
                    yield f"{name}/{info.filename}", _read(stream, budget)


def _tar(name: str, data: bytes, budget: Budget) -> Members:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        infos = []
        for info in archive:
            infos.append(info)
            if len(infos) > MAX_FILES:
                raise BadInput(name, f"more than {MAX_FILES:,} files", "take a smaller sample")
        for info in sorted(infos, key=lambda one: one.name):
            stream = archive.extractfile(info) if info.isreg() and not _is_hidden_path(info.name) else None
            if stream is not None:
                yield f"{name}/{info.name}", _read(stream, budget)


def _is_hidden_path(path: str) -> bool:
    return any(is_hidden(part) for part in PurePath(path).parts if part != ".")


def _read(stream: IO[bytes], budget: Budget) -> bytes:
    data = stream.read(budget.bytes + 1)
    if len(data) > budget.bytes:
        raise budget.too_large()
    return data
