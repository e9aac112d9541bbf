"""Tie a child process to this one: when wirelab dies, however it dies, so does what it started."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PR_SET_PDEATHSIG = 1
INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
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
        for number in INTERRUPTS:
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)

    return tie


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C and SIGTERM back while a tied child is made: between fork and exec our own handler would print there."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
