"""The lock of a run directory, and messages for disk errors."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wirelab.model.errors import BadInput, MeasurementFailed

_FULL = (errno.ENOSPC, errno.EDQUOT)


def lock(directory: Path) -> int:
    """Lock a run directory for writing.

    The kernel releases it when this process ends. Raises BadInput.
    """
    handle = os.open(directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise BadInput(
            f"run directory {directory}",
            "another wirelab is writing to it",
            "wait for it to end, or choose another directory with -o",
        ) from error
    return handle


@contextmanager
def guarded(directory: Path) -> Iterator[None]:
    """Turn errors of disk and SQLite into MeasurementFailed (full) or BadInput (not writable,
    damaged).
    """
    what = f"run directory {directory}"
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise _full(what) from error
        raise BadInput(what, error.strerror or str(error), "choose another directory with -o") from error
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
            raise _full(what) from error
        raise BadInput(
            what, f"its journal cannot be used ({error})", "choose another directory with -o"
        ) from error


def _full(what: str) -> MeasurementFailed:
    return MeasurementFailed(
        what,
        "no space left on the device",
        "finished trials are kept: free some space and continue with --resume",
    )
