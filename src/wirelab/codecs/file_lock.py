"""One process at a time, where several build the same thing."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(lock: Path, progress: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the lock of a file, which is made if need be; it is given back when this process dies, however it dies."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if progress is not None:
                progress("waiting for another build to finish")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
