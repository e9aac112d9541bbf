"""A lock between processes that build the same thing."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def hold_lock(lock: Path, progress: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the lock of a file, created if absent. The kernel releases it when the process dies."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if progress is not None:
                progress("waiting for another build to finish")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
