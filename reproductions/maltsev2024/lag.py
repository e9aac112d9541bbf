"""maltsev2024, Table 5: the runs of the actors, and the figures of their lags by format."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from wirelab.lab.host_cpu import DISTURBED
from wirelab.studies.claims import Figure, measured
from wirelab.workloads import epochs
from wirelab_reproductions.maltsev2024.times import reduction

NETWORKS = {"lag": "server", "linked": "device"}
"""The first word of a figure: the actors are on Kafka's host, or behind the study's link."""


NO_MORE: Mapping[str, int] = {}


class Plan(Struct, frozen=True):
    """How the actors work: `each` is the paper's 2000, over `last` epochs; `samples_per_link`
    behind the `link`, 0 for not at all. Replicates are `repeats`, and behind the link
    `linked_repeats`.
    """

    each: int
    samples_per_link: int
    last: int
    link: str
    warmup: int
    repeats: int
    linked_repeats: int

    def number(self, network: str) -> int:
        """Messages of the first epoch."""
        return self.each if network == "lag" else self.samples_per_link

    def replicates(self, network: str) -> int:
        """How often each format is run."""
        return self.repeats if network == "lag" else self.linked_repeats


class Lag(Struct, frozen=True):
    """One run's lags in ns over all messages, and the median of each epoch.

    `elsewhere` is the share of the CPU time asked for meanwhile that other programs or the
    hypervisor took; of more than DISTURBED it is invalid.
    """

    mean: float
    median: float
    least: float
    most: float
    epochs: tuple[float, ...]
    elsewhere: float = 0.0


NOTHING = Lag(math.nan, math.nan, math.nan, math.nan, ())

Key = tuple[int, str, str]
"""Replicate, network, format."""


def keys(plan: Plan, formats: Sequence[str], seed: int, more: Mapping[str, int] = NO_MORE) -> list[Key]:
    """Every run, replicate after replicate, shuffled in each; `more` replicates of a network behind
    those of the plan.
    """
    draw = random.Random(seed)
    found: list[Key] = []
    repeats = {name: plan.replicates(name) + more.get(name, 0) for name in NETWORKS if plan.number(name)}
    for replicate in range(1, max(repeats.values(), default=0) + 1):
        networks = [network for network, last in repeats.items() if replicate <= last]
        block = [(replicate, network, name) for network in networks for name in formats]
        draw.shuffle(block)
        found += block
    return found


def summary(lags: np.ndarray[tuple[int], np.dtype[np.float64]], plan: Plan, network: str) -> Lag:
    """A run's lags, message after message, in short."""
    ends = np.cumsum(epochs.numbers(plan.number(network), plan.last))[:-1]
    medians = tuple(float(np.median(part)) for part in np.split(lags, ends))
    return Lag(float(lags.mean()), float(np.median(lags)), float(lags.min()), float(lags.max()), medians)


def figures(lags: Mapping[Key, Lag], known: Mapping[str, Figure]) -> dict[str, Figure]:
    """All figures of the distributed part by name. `known` are those of the serialization part.

    `lag.mean.avro`, `lag.median.avro`, `lag.range.avro`: over all messages, in ns; `linked` in
    place of `lag` behind the link. `reduction.lag.mean.avro`: by equation (1). `rank.lag.bytes` and
    `rank.lag.time`: Spearman's correlation over the formats of the mean lag with the bytes of a
    message, and with what it takes to serialize and to deserialize it.
    """
    found: dict[str, Figure] = {}
    for network in NETWORKS:
        replicates = sorted({key[0] for key in lags if key[1] == network})
        names = list(dict.fromkeys(key[2] for key in sorted(lags) if key[1] == network))
        if not names:
            continue
        for name in names:
            own = [_evidence(lags[number, network, name]) for number in replicates]
            found[f"{network}.mean.{name}"] = measured(np.array([one.mean for one in own]))
            found[f"{network}.median.{name}"] = measured(np.array([one.median for one in own]))
            found[f"{network}.range.{name}"] = measured(np.array([one.most - one.least for one in own]))
        for key in [f"{network}.{kind}.{name}" for kind in ("mean", "median") for name in names]:
            kind = key.split(".")[1]
            found[f"reduction.{key}"] = reduction(found[key], found[f"{network}.{kind}.json"])
        means = np.array([found[f"{network}.mean.{name}"].values for name in names]).T
        found |= {
            f"rank.{network}.{what}": measured(ranks(means, by), "", (-1.0, 1.0))
            for what, by in _causes(names, known)
        }
    return found


def _evidence(lag: Lag) -> Lag:
    """What a run's lags say: nothing where others took too much of the machine.

    A backlog grows with all that actors and Kafka wait for, so lags are longer by more than that
    share.
    """
    return NOTHING if lag.elsewhere > DISTURBED else lag


def _causes(
    names: Sequence[str], known: Mapping[str, Figure]
) -> Iterator[tuple[str, np.ndarray[tuple[int], np.dtype[np.float64]]]]:
    def mean(key: str) -> float:
        return float(np.mean(known[key].values))

    yield "bytes", np.array([mean(f"bytes.small.{name}") for name in names])
    yield (
        "time",
        np.array([mean(f"serialize.small.{name}") + mean(f"deserialize.small.{name}") for name in names]),
    )


def ranks(
    means: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    cause: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Spearman's rank correlation of each row with the cause."""
    from scipy.stats import spearmanr  # noqa: PLC0415

    return np.array([float(spearmanr(row, cause).statistic) for row in means])
