"""Simulate what the positions of replicates in a trace do to the spread and coverage of figures.

`python bench/trace_positions.py [RECORDING...]` prints the table of docs/explanation/method.md. An
experiment draws the positions of some replicates, at random or in strata as shipped. In each, 30
messages of 540 B are sent at 5/s through the capacity from there on, one queue without a limit. The
mean over replicates is compared with the mean over the whole trace. A recording is a file that
`wirelab-link import` reads. The seed is fixed.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import signal

from wirelab.lab.link import TRACE_S, show
from wirelab.stats.intervals import mean_interval, quantile_interval
from wirelab.studies.replicate_draws import draws
from wirelab.system.binaries import find

Floats = NDArray[np.float64]

REPLICATES = (3, 5, 10)
MESSAGES, BITS, SPACING_S, DELAY_S = 30, 8 * 540, 0.2, 0.03475
EXPERIMENTS = 2000
PLACES = 3000
HOURS = 100
"""Generated traces from which each replicate takes one."""


class Times(NamedTuple):
    """The times in ns of the messages of a replicate, by trace and position in it."""

    text: str
    ns: Floats


def main() -> int:
    """Print the table as Markdown."""
    print("| trace | figure | spread, at random | in strata | covers, at random | in strata |")
    print("|---|---|---|---|---|---|")
    for times in _traces(sys.argv[1:]):
        for figure in ("mean", "median"):
            print(f"| {times.text} | {figure} | {_row(times, figure)} |", flush=True)
    return 0


def _traces(recordings: list[str]) -> Iterator[Times]:
    rng, second = np.random.default_rng(1), np.arange(TRACE_S)
    profile: dict[str, Any] = show("lte-drive")["up"]["rate"]
    generated = [_generated(rng, profile) for _ in range(HOURS)]
    for text, spacing_s in (("lte-drive", SPACING_S), ("lte-drive, closed-loop,spread", TRACE_S / MESSAGES)):
        yield Times(text, np.stack([_times(one, spacing_s) for one in generated]))
    yield _one("slow wave of 10 min", 1e5 * (1 + 0.8 * np.sin(2 * np.pi * second / TRACE_S)))
    yield _one("wave of 150 s", 1e5 * (1 + 0.8 * np.sin(2 * np.pi * second / 150)))
    yield _one("no capacity for 2 s in 15", np.where(second % 15 < 2, 0, 1e6))
    yield _one("a tunnel of 60 s in 10 min", np.where((second >= 300) & (second < 360), 6e3, 1e6))
    for file in recordings:
        yield _one(Path(file).name, _recorded(file))


def _one(text: str, capacity: Floats) -> Times:
    return Times(text, _times(capacity)[None])


def _generated(rng: np.random.Generator, profile: dict[str, Any]) -> Floats:
    """Capacity in bit/s per second of a generated link, as crates/link-model does it."""
    length, phi = int(TRACE_S), profile["correlation"]
    steps = rng.normal(0, np.sqrt(1 - phi**2), length)
    steps[0] = rng.normal()
    level = signal.lfilter([1], [1, -phi], steps)
    out, draws_of_chain = np.zeros(length, dtype=bool), rng.random(length)
    for number in range(1, length):
        chance = profile["recovery_per_s"] if out[number - 1] else profile["outage_per_s"]
        out[number] = out[number - 1] ^ (draws_of_chain[number] < chance)
    return np.where(out, 0, profile["median_bit_per_s"] * np.exp(profile["sigma"] * level))


def _recorded(file: str) -> Floats:
    with tempfile.TemporaryDirectory() as folder:
        to = Path(folder, "trace")
        command = [find("wirelab-link"), "import", file, "--to", str(to)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        rows = np.loadtxt(to)
    return np.asarray(rows[:-1, 1] * 1e6)  # the last row is where the recording ends


def _times(capacity: Floats, spacing_s: float = SPACING_S) -> Floats:
    """The times in ns of the messages of replicates that start at PLACES places: places x messages."""
    starts = np.linspace(0, len(capacity), PLACES, endpoint=False)
    sent = starts[:, None] + spacing_s * np.arange(MESSAGES)
    carried = np.concatenate([[0.0], np.cumsum(np.tile(capacity, 3))])
    work = np.interp(sent, np.arange(len(carried)), carried)
    done = np.zeros(PLACES)
    took = np.empty_like(sent)
    for number in range(MESSAGES):
        done = np.maximum(done, work[:, number]) + BITS
        after = np.searchsorted(carried, done)
        share = (done - carried[after - 1]) / (carried[after] - carried[after - 1])
        took[:, number] = after - 1 + share - sent[:, number] + DELAY_S
    return took * 1e9


def _row(times: Times, figure: str) -> str:
    """Spread and coverage with 3, 5 and 10 replicates, at random and in strata."""
    truth = float(times.ns.mean() if figure == "mean" else np.median(times.ns))
    found = np.empty((2, 2, len(REPLICATES)))
    for column, number in enumerate(REPLICATES):
        for row, positions in enumerate((_at_random, _in_strata)):
            rng, traces = np.random.default_rng(2), np.random.default_rng(3)
            off, held = np.empty(EXPERIMENTS), 0
            for experiment in range(EXPERIMENTS):
                place = (positions(rng, number) * PLACES).astype(int)
                values = list(times.ns[traces.integers(0, len(times.ns), number), place])
                got = (
                    mean_interval(values, "ns") if figure == "mean" else quantile_interval(values, 0.5, "ns")
                )
                off[experiment] = got.value / truth - 1
                held += got.low <= truth <= got.high
            found[0, row, column] = np.sqrt(np.mean(off**2))
            found[1, row, column] = held / EXPERIMENTS
    return " | ".join(
        " / ".join(f"{share * 100:.0f}" for share in cell) for cell in found.reshape(4, len(REPLICATES))
    )


def _at_random(rng: np.random.Generator, number: int) -> Floats:
    return rng.random(number)


def _in_strata(rng: np.random.Generator, number: int) -> Floats:
    return np.array([position for _, position in itertools.islice(draws(int(rng.integers(2**62))), number)])


if __name__ == "__main__":
    sys.exit(main())
