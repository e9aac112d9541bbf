"""Tie a child process to this one: when wirelab dies, however it dies, so does what it started."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable

PR_SET_PDEATHSIG = 1
# Loaded here: between fork and exec no lock may be taken.
_LIBC = ctypes.CDLL(None)


def tied() -> Callable[[], None]:
    """For Popen's `preexec_fn`: the kernel kills the child when the thread that started it ends (prctl(2), PR_SET_PDEATHSIG)."""
    parent = os.getpid()

    def tie() -> None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        # A parent that was killed before the call sends nothing any more.
        if os.getppid() != parent:
            os._exit(1)

    return tie
