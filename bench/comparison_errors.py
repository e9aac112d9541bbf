"""Simulate how often rankings tie what is equal and separate what differs.

`python bench/comparison_errors.py [EXPERIMENTS]` prints the two tables of
docs/explanation/method.md: comparisons of two rows, and tables of many. 1,000 experiments are exact
to about 1 %. The seed is fixed.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from wirelab.advice.ranking import MARGIN
from wirelab.stats.comparison import Order, compare, rank_groups

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]

REPLICATES = (3, 5, 10)
MESSAGES, NOISE = 30, 0.02
EQUAL: tuple[tuple[str, Draw], ...] = (
    ("normal", lambda rng, shape: rng.normal(1, NOISE, shape)),
    ("log-normal", lambda rng, shape: rng.lognormal(0, 1, shape)),
    ("heavy tail", lambda rng, shape: 1 + rng.pareto(1.5, shape)),
)
BETWEEN = (0.0, 0.02, 0.2)
"""How much replicates differ: the deviation of the logarithm."""

DIFFERENCES = (0.02, 0.05, 0.1)
ROWS = (10, 20, 50)


def main() -> int:
    """Print both tables as Markdown."""
    experiments = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rng = np.random.default_rng(1)
    print("| two rows | 3 / 5 / 10 replicates |\n|---|---|")
    for text, shares in (*_ties(rng, experiments), *_separated(rng, experiments)):
        print(f"| {text} | {shares} |", flush=True)
    print("\n| tables of rows | 3 / 5 / 10 replicates |\n|---|---|")
    for text, shares in _tables(rng, experiments):
        print(f"| {text} | {shares} |", flush=True)
    return 0


def _shares(experiment: Callable[[int], bool], experiments: int) -> list[float]:
    """How often an experiment with 3, 5 and 10 replicates comes out true."""
    return [sum(experiment(number) for _ in range(experiments)) / experiments for number in REPLICATES]


def _shown(shares: Sequence[float]) -> str:
    return " / ".join(f"{share * 100:.0f}" for share in shares)


def _ties(rng: np.random.Generator, experiments: int) -> Iterator[tuple[str, str]]:
    """The least share of ties for replicates that differ little or much, paired or not."""
    for text, draw in EQUAL:
        cases = []
        for between, paired in itertools.product(BETWEEN, (True, False)):

            def tie(number: int, draw: Draw = draw, between: float = between, paired: bool = paired) -> bool:
                a, b = (_means(rng, draw, number, between) for _ in range(2))
                return compare(a, b, paired=paired, margin=MARGIN).order is Order.TIE

            cases.append(_shares(tie, experiments))
        yield f"equal, {text}: tie, at least", _shown([min(one) for one in zip(*cases, strict=True)])


def _means(rng: np.random.Generator, draw: Draw, replicates: int, between: float) -> Floats:
    found: Floats = draw(rng, (replicates, MESSAGES)).mean(axis=1) * np.exp(
        rng.normal(0, between, replicates)
    )
    return found


def _separated(rng: np.random.Generator, experiments: int) -> Iterator[tuple[str, str]]:
    for difference in DIFFERENCES:

        def separates(number: int, difference: float = difference) -> bool:
            a, b = (mean * (1 + rng.normal(0, NOISE, number)) for mean in (1.0, 1.0 + difference))
            return compare(a, b, margin=MARGIN).order is Order.LESS

        yield (
            f"{difference:.0%} apart, noise of {NOISE:.0%}: separated",
            _shown(_shares(separates, experiments)),
        )


def _tables(rng: np.random.Generator, experiments: int) -> Iterator[tuple[str, str]]:
    for text, draw in EQUAL:
        for rows in ROWS:

            def splits(number: int, draw: Draw = draw, rows: int = rows) -> bool:
                means = [_means(rng, draw, number, NOISE) for _ in range(rows)]
                return rank_groups(means, margin=MARGIN)[-1].group > 1

            yield f"{rows} equal rows, {text}: some are separated", _shown(_shares(splits, experiments))
    for rows in ROWS:

        def wins(number: int, rows: int = rows) -> bool:
            means = np.array([1.0] + [1.1] * (rows - 1))[:, None]
            places = rank_groups(list(means * (1 + rng.normal(0, NOISE, (rows, number)))), margin=MARGIN)
            return not places[0].tied and places[0].index == 0

        yield f"one of {rows} rows 10 % better: separated from all", _shown(_shares(wins, experiments))


if __name__ == "__main__":
    sys.exit(main())
