"""Interleaved measurement of two or more variants, and the ratio of the first two."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from statistics import median

Variant = Callable[[], float]


def parse_rounds(about: str | None) -> int:
    """The number of rounds on the command line (`--rounds`). `about` is the help text."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--rounds", type=int, default=5)
    rounds: int = parser.parse_args().rounds
    return rounds


def run_interleaved(what: str, unit: str, ways: Mapping[str, Variant], rounds: int) -> float:
    """Print every round and the medians of all variants.

    Returns the median of the rounds' ratios of the first variant to the second.

    One round is the warm-up and does not count. Every other round runs in reverse order, so that no
    variant always follows the same other one.
    """
    ours, theirs, *_ = ways
    print(f"{what}, {unit}:")
    found: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        order = list(ways) if number % 2 else list(ways)[::-1]
        seen = {name: ways[name]() for name in order}
        note = "" if number else " (not counted)"
        print(f"  {', '.join(f'{name} {seen[name]:,.1f}' for name in ways)}{note}", flush=True)
        if number:
            for name in ways:
                found[name].append(seen[name])
    ratios = [a / b for a, b in zip(found[ours], found[theirs], strict=True)]
    medians = ", ".join(f"{name} {median(values):,.1f}" for name, values in found.items())
    print(
        f"  medians: {medians}; {ours} / {theirs}: {median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"
    )
    return median(ratios)
