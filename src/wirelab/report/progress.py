"""Progress and time left, on standard error: a bar in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Display

from wirelab.model.units import show_duration

# Outside a terminal, a line is printed after each tenth of the work, or after this time without
# one.
LINE_EVERY_S = 30.0
# Outside a terminal, steps that follow each other faster are left out.
STEP_EVERY_S = 3.0


class Progress(Protocol):
    """Shows how far the work is: `done` of the total, and the time left in s if known.

    `tell` says what is being done.
    """

    def update(self, done: float, left_s: float | None = None) -> None: ...
    def tell(self, step: str) -> None: ...


class Silent:
    """Shows nothing."""

    def update(self, done: float, left_s: float | None = None) -> None:
        """Nothing."""

    def tell(self, step: str) -> None:
        """Nothing."""


class Lines:
    """Plain lines: one for each tenth of `total`, and one when `every_s` went by without one."""

    def __init__(
        self,
        what: str,
        total: float,
        write: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        every_s: float = LINE_EVERY_S,
    ) -> None:
        self._what, self._total, self._write, self._clock, self._every_s = what, total, write, clock, every_s
        self._tenth, self._said_at, self._told_at = 0, clock(), -STEP_EVERY_S
        write(what)

    def tell(self, step: str) -> None:
        """Say the step, if none was said just now."""
        now = self._clock()
        if now - self._told_at >= STEP_EVERY_S:
            self._said_at = self._told_at = now
            self._write(step)

    def update(self, done: float, left_s: float | None = None) -> None:
        """Say how far the work is, if a line is due."""
        tenth = int(10 * done / self._total) if self._total else 0
        now = self._clock()
        if tenth <= self._tenth and now - self._said_at < self._every_s:
            return
        self._tenth, self._said_at = max(tenth, self._tenth), now
        left = (
            f", {show_duration(max(left_s, 0) * 1e9)} left"
            if left_s is not None and done < self._total
            else ""
        )
        share = f" ({100 * done / self._total:.0f} %)" if self._total else ""
        self._write(f"{self._what}: {done:g} of {self._total:g}{share}{left}")


@contextmanager
def progress(what: str, quiet: bool = False, total: float = 0) -> Iterator[Progress]:
    """Show `what` while the block runs. `total` 0: nothing to count, only that it is under way."""
    if quiet:
        yield Silent()
    elif sys.stderr.isatty():
        with _bar(what, total) as bar:
            yield bar
    else:
        yield Lines(what, total, lambda line: print(line, file=sys.stderr, flush=True))


@contextmanager
def _bar(what: str, total: float) -> Iterator[Progress]:
    class Bar:
        def update(self, done: float, left_s: float | None = None) -> None:
            left = (
                f"{show_duration(max(left_s, 0) * 1e9)} left" if left_s is not None and done < total else ""
            )
            display.update(task, completed=done, left=left)

        def tell(self, step: str) -> None:
            display.update(task, description=step)

    counted = [BarColumn(bar_width=30), TextColumn("{task.completed:g}/{task.total:g}")] if total else []
    columns = [SpinnerColumn(), TextColumn("{task.description}", markup=False), *counted, TimeElapsedColumn()]
    with Display(
        *columns, TextColumn("{task.fields[left]}"), console=Console(stderr=True), transient=True
    ) as display:
        task = display.add_task(what, total=total or None, left="")
        yield Bar()
