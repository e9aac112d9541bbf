"""Tie a child process to this one: the kernel ends it when wirelab dies."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PR_SET_PDEATHSIG = 1
INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
# Loaded at import, because no lock may be taken between fork and exec.
_LIBC = ctypes.CDLL(None)


def tied(parent: int | None = None) -> Callable[[], None]:
    """A `preexec_fn` for Popen: the kernel kills the child when the thread that started it ends.

    This is PR_SET_PDEATHSIG of prctl(2). The parent is this process unless another is given.
    """
    parent = parent or os.getpid()

    def tie() -> None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        # A parent that was killed before the call sends no signal.
        if os.getppid() != parent:
            os._exit(1)
        for number in INTERRUPTS:
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)

    return tie


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Block Ctrl-C and SIGTERM while a tied child is created.

    Between fork and exec our signal handler would otherwise run in the child.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
