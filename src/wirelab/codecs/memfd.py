"""A file in memory that other processes open by path. It never outlives wirelab."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def in_memory(data: bytes = b"") -> Iterator[str]:
    """The path of a file with these bytes, valid while this process keeps the file open."""
    with os.fdopen(os.memfd_create("wirelab"), "wb") as file:
        file.write(data)
        file.flush()
        yield f"/proc/{os.getpid()}/fd/{file.fileno()}"
