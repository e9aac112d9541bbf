"""Retries of tests that other work on the machine disturbed: tests must fail for the code only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from wirelab.model.reason import NOISE
from wirelab.model.trial import Verdict
from wirelab.store.run import RunStore

ATTEMPTS = 8
Came = TypeVar("Came")


def undisturbed(attempt: Callable[[int], Came], why: Callable[[Came], str]) -> Came:
    """What came of the first attempt that nothing disturbed, or of the last one.

    `attempt` gets its number. `why` is the disturbance, or "".
    """
    for number in range(ATTEMPTS):
        came = attempt(number)
        if not (reason := why(came)):
            break
        print(f"attempt {number + 1} of {ATTEMPTS} was disturbed: {reason}")
    return came


def busy(verdict: Verdict) -> bool:
    """Whether a trial is invalid because the machine had other work."""
    return verdict.reason is not None and verdict.reason.code in NOISE


def busy_trials(run: Path) -> str:
    """The verdicts of a run's trials that the machine's other work made invalid."""
    with RunStore.open(run) as store:
        verdicts = [record.result.verdict for record in store.results() if record.result]
    return "; ".join(str(verdict) for verdict in verdicts if busy(verdict))
