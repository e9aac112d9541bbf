"""The files of a payload: one file, stdin (`-`), the files of a directory or of an archive."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from wirelab.model.errors import BadInput
from wirelab.schema.inputs.archives import Budget, is_hidden, members
from wirelab.schema.inputs.capture_packets import is_capture

STDIN = "-"
Files = Iterator[tuple[str, bytes]]


def payload_files(path: str | Path) -> Files:
    """The names and bytes of a payload's files, in the order of their names.

    Archives are expanded within a Budget. The names of captures end with the port that `path` has
    (`capture.pcap:1883`). Raises BadInput.
    """
    file, port = _split_port(str(path))
    if not port:
        yield from _files(path)
    for name, data in _files(file) if port else ():
        if not is_capture(data):
            raise BadInput(name, "it is not a capture, which alone has ports", f"leave out :{port}")
        yield f"{name}:{port}", data


def _split_port(path: str) -> tuple[str, str]:
    head, _, port = path.rpartition(":")
    is_port = port.isdecimal() and not Path(path).exists() and Path(head).is_file()
    return (head, port) if is_port else (path, "")


def _files(path: str | Path) -> Files:
    budget = Budget(str(path))
    if str(path) == STDIN:
        yield from members("stdin", _stdin(budget.bytes), budget)
    elif Path(path).is_dir():
        yield from _directory(Path(path), budget)
    else:
        yield from members(str(path), data_of(Path(path)), budget)


def data_of(path: Path) -> bytes:
    """The bytes of a payload file. Raises BadInput."""
    limit = Budget(str(path)).bytes
    try:
        with path.open("rb") as stream:
            before = os.fstat(stream.fileno())
            data = _bounded(stream, limit, str(path)) if before.st_size <= limit else None
            after = os.fstat(stream.fileno())
    except FileNotFoundError:
        raise BadInput(str(path), "no such file", "give the path of a payload file") from None
    except OSError as error:
        raise BadInput(str(path), f"cannot be read: {error.strerror}", "give a readable file") from None
    if data is None:
        raise Budget(str(path)).too_large()
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise BadInput(str(path), "it changed while it was read", "copy it, and give the copy")
    return data


def _directory(path: Path, budget: Budget) -> Files:
    found = False
    for folder, names, files in os.walk(path):
        names[:] = sorted(name for name in names if not is_hidden(name))
        for name in sorted(files):
            file = Path(folder, name)
            if is_hidden(name) or not file.is_file():
                continue
            found = True
            data = data_of(file)
            budget.take(len(data))
            yield from members(str(file), data, budget)
    if not found:
        raise BadInput(str(path), "the directory has no files", "give a directory of payload files")


@functools.cache
def _stdin(limit: int) -> bytes:
    """All of stdin. It can be read once, and a study reads its payload more often."""
    return _bounded(sys.stdin.buffer, limit, "stdin")


def _bounded(stream: BinaryIO, limit: int, name: str) -> bytes:
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise Budget(name).too_large()
    return data
