"""Simulate how often the intervals of times and losses hold the truth.

`python bench/interval_coverage.py [EXPERIMENTS]` prints the two tables of
docs/explanation/method.md. An experiment draws replicates from a known distribution and asks
whether the 95 % interval holds its true mean, quantile or share. 1,000 experiments are exact to
about 1 %. The seed is fixed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from wirelab.advice.precision import half_width, more_replicates
from wirelab.model.estimate import Estimate
from wirelab.stats.intervals import mean_interval, proportion_interval, quantile_interval

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, int], Floats]
Interval = tuple[float, float]

REPLICATES = (3, 5, 10)
MESSAGES = 30
RESAMPLES = 200
LARGE = (20_000, 50)
"""Replicates and messages whose pooled figure counts as the truth."""


class Times(NamedTuple):
    """A distribution of times: what it is, and replicates x messages drawn from it."""

    text: str
    draw: Draw


def _factors(rng: np.random.Generator, replicates: int, sigma: float) -> Floats:
    """How much slower each replicate is than the others: log-normal."""
    return np.exp(rng.normal(0, sigma, (replicates, 1)))


def _noise(rng: np.random.Generator, replicates: int, messages: int, sigma: float) -> Floats:
    return np.exp(rng.normal(0, sigma, (replicates, messages)))


def lognormal(sigma: float) -> Draw:
    """Log-normal messages (0.5) in replicates that differ by `sigma`."""
    return lambda rng, n, m: _factors(rng, n, sigma) * _noise(rng, n, m, 0.5)


def bimodal(sigma: float) -> Draw:
    """One message in five takes 20 times as long, as after a retransmission."""
    return lambda rng, n, m: (
        _factors(rng, n, sigma) * _noise(rng, n, m, 0.1) * np.where(rng.random((n, m)) < 0.2, 20, 1)
    )


def heavy(sigma: float) -> Draw:
    """Pareto (1.5): the variance is infinite."""
    return lambda rng, n, m: _factors(rng, n, sigma) * (rng.pareto(1.5, (n, m)) + 1)


def bursts(sigma: float) -> Draw:
    """A fifth of the messages takes 20 times as long, 10 in succession on average."""
    return lambda rng, n, m: (
        _factors(rng, n, sigma) * _noise(rng, n, m, 0.3) * np.where(states(rng, n, m, 0.2, 10), 20, 1)
    )


def slow_replicate(rng: np.random.Generator, replicates: int, messages: int) -> Floats:
    """One replicate in five is six times as slow."""
    slow = rng.random((replicates, 1)) < 0.2
    return _factors(rng, replicates, 0.1) * _noise(rng, replicates, messages, 0.5) * np.where(slow, 6, 1)


def states(
    rng: np.random.Generator, replicates: int, messages: int, share: float, length: float
) -> NDArray[np.bool_]:
    """A two-state Markov chain for each replicate: true for `share`, `length` in succession."""
    bad = rng.random(replicates) < share
    found = np.zeros((replicates, messages), dtype=bool)
    for number in range(messages):
        found[:, number] = bad
        leaves, enters = 1 / length, share / (1 - share) / length
        bad = np.where(bad, rng.random(replicates) >= leaves, rng.random(replicates) < enters)
    return found


TIMES = (
    Times("log-normal, replicates differ by 10 %", lognormal(0.1)),
    Times("log-normal, by 40 %", lognormal(0.4)),
    Times("log-normal, by a factor of 2.7", lognormal(1.0)),
    Times("bimodal, by 10 %", bimodal(0.1)),
    Times("bimodal, by 40 %", bimodal(0.4)),
    Times("heavy tail, by 40 %", heavy(0.4)),
    Times("slow in bursts, by 10 %", bursts(0.1)),
    Times("slow in bursts, by 40 %", bursts(0.4)),
    Times("one replicate in five six times as slow", slow_replicate),
)

TAILS = (
    ("p90, log-normal, replicates differ by 10 %", 0.9, 5, 30, lognormal(0.1)),
    ("p90, log-normal, by 40 %", 0.9, 5, 30, lognormal(0.4)),
    ("p90, bimodal, by 40 %", 0.9, 5, 30, bimodal(0.4)),
    ("p99, log-normal, by 10 %", 0.99, 5, 80, lognormal(0.1)),
    ("p99, log-normal, by 40 %", 0.99, 5, 80, lognormal(0.4)),
    ("p99, heavy tail, by 40 %", 0.99, 5, 80, heavy(0.4)),
    ("p99, one replicate in five six times as slow", 0.99, 5, 80, slow_replicate),
    ("p99, log-normal, by 40 %", 0.99, 5, 1000, lognormal(0.4)),
    ("p99.9, log-normal, by 10 %", 0.999, 5, 800, lognormal(0.1)),
    ("median, log-normal, by 10 %", 0.5, 1, 150, lognormal(0.1)),
    ("p99, log-normal, by 10 %", 0.99, 1, 150, lognormal(0.1)),
)
STOPPED = (
    ("median, --precision 5%, log-normal, by 10 %", 0.05, lognormal(0.1)),
    ("median, --precision 20%, log-normal, by 40 %", 0.2, lognormal(0.4)),
    ("median, --precision 20%, bimodal, by 40 %", 0.2, bimodal(0.4)),
)
MOST = 100
"""The replicates at which a run to a precision ends."""
LOSSES = (
    ("loss of 1 %, independent", 0.01, 1 / 0.99),
    ("loss of 5 %, independent", 0.05, 1 / 0.95),
    ("loss of 5 %, 10 in succession", 0.05, 10.0),
    ("loss of 5 %, 50 in succession", 0.05, 50.0),
)


def main() -> int:
    """Print both tables as Markdown."""
    experiments = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rng = np.random.default_rng(1)
    print("| figure | times | factor | plain t | bootstrap | plain t ends at 0 |\n|---|---|---|---|---|---|")
    for figure, q in (("mean", None), ("median", 0.5)):
        for times in TIMES:
            print(f"| {figure} | {times.text} | {_compared(rng, times.draw, q, experiments)} |", flush=True)
    print("\n| case | covers |\n|---|---|")
    more = np.random.default_rng(2)
    for text, covers in (*_further(rng, experiments), *_stopped(more, experiments)):
        print(f"| {text} | {covers * 100:.0f} % |", flush=True)
    return 0


def _compared(rng: np.random.Generator, draw: Draw, q: float | None, experiments: int) -> str:
    """Coverage by method for 3, 5 and 10 replicates, and how often a plain t interval ends at 0."""
    truth = float(_figure(draw(rng, *LARGE).ravel(), q))
    held = np.zeros((4, len(REPLICATES)))
    for column, number in enumerate(REPLICATES):
        for _ in range(experiments):
            values = draw(rng, number, MESSAGES)
            plain = _plain(_figure(values, q))
            intervals = [_ends(_shipped(values, q)), plain, _bootstrap(rng, values, q)]
            held[:3, column] += [low <= truth <= high for low, high in intervals]
            held[3, column] += plain[0] <= 0
    return " | ".join(" / ".join(f"{share:.0%}"[:-1] for share in row) for row in held / experiments)


def _until_precise(rng: np.random.Generator, draw: Draw, precision: float) -> Estimate:
    """The median after as many replicates as --precision adds to five."""
    values = draw(rng, 5, MESSAGES)
    while True:
        found = quantile_interval(list(values), 0.5, "ns")
        more = more_replicates(len(values), half_width(found) / precision)
        if half_width(found) <= precision or len(values) + more > MOST:
            return found
        values = np.vstack([values, draw(rng, more, MESSAGES)])


def _figure(values: Floats, q: float | None) -> Floats:
    """The mean or the quantile along the last axis."""
    found: Floats = np.asarray(values.mean(axis=-1) if q is None else np.quantile(values, q, axis=-1))
    return found


def _shipped(values: Floats, q: float | None) -> Estimate:
    return mean_interval(list(values), "ns") if q is None else quantile_interval(list(values), q, "ns")


def _ends(estimate: Estimate) -> Interval:
    return estimate.low, math.inf if estimate.open_above else estimate.high


def _plain(figures: Floats) -> Interval:
    """Student's t over the figures of the replicates."""
    number = len(figures)
    half = special.stdtrit(number - 1, 0.975) * figures.std(ddof=1) / math.sqrt(number)
    return float(figures.mean() - half), float(figures.mean() + half)


def _bootstrap(rng: np.random.Generator, values: Floats, q: float | None) -> Interval:
    """The hierarchical bootstrap: replicates are drawn again, then messages within each of them."""
    number, messages = values.shape
    which = rng.integers(0, number, (RESAMPLES, number, 1))
    drawn = values[which, rng.integers(0, messages, (RESAMPLES, number, messages))]
    low, high = np.quantile(_figure(drawn.reshape(RESAMPLES, -1), q), [0.025, 0.975])
    return float(low), float(high)


def _further(rng: np.random.Generator, experiments: int) -> Iterator[tuple[str, float]]:
    """Coverage of quantiles in the tail, of one replicate, and of losses."""
    for text, q, replicates, messages, draw in TAILS:
        truth = float(np.quantile(draw(rng, *LARGE), q))
        held = 0
        for _ in range(experiments):
            low, high = _ends(_shipped(draw(rng, replicates, messages), q))
            held += low <= truth <= high
        yield f"{text}, {replicates} x {messages:,} messages", held / experiments
    for text, share, length in LOSSES:
        held = 0
        for _ in range(experiments):
            lost = np.count_nonzero(states(rng, 5, 100, share, length), axis=1)
            low, high = _ends(proportion_interval([int(number) for number in lost], [100] * 5))
            held += low <= share <= high
        yield f"{text}, 5 x 100 messages", held / experiments


def _stopped(rng: np.random.Generator, experiments: int) -> Iterator[tuple[str, float]]:
    """Coverage of the median of runs that end at a precision."""
    for text, precision, draw in STOPPED:
        truth = float(np.median(draw(rng, *LARGE)))
        held = 0
        for _ in range(experiments):
            low, high = _ends(_until_precise(rng, draw, precision))
            held += low <= truth <= high
        yield f"{text}, 5 to {MOST} x {MESSAGES} messages", held / experiments


if __name__ == "__main__":
    sys.exit(main())
