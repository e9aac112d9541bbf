"""The figures of a combination: for each metric one per replicate, and the estimate over all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wirelab.advice.needs import QUANTILES
from wirelab.model.answer import Need, Record
from wirelab.model.arrivals import Arrivals, Search
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import METRICS
from wirelab.model.result import TrialResult
from wirelab.stats.intervals import mean_interval, proportion_interval, quantile_interval
from wirelab.stats.sample_join import DELIVERED
from wirelab.workloads import rate_search

Floats = NDArray[np.float64]
Columns = Mapping[str, NDArray[np.generic]]

EMPTY: Floats = np.empty(0)
DEVICE, SERVER, PUBLISHER, SUBSCRIBER = "device", "server", "publisher", "subscriber"
"""Names in TrialResult.wire (`device.up`) and TrialResult.usage."""


@dataclass(frozen=True)
class Replicate:
    """One valid trial: which replicate it is, its result, and its times in ns (warm-up left out).

    `acknowledged` are round trips, kept where one-way times mean nothing for want of one clock;
    `sustained` is the highest rate a search found to be carried.
    """

    number: int
    result: TrialResult
    latency: Floats
    arrival: Floats
    acknowledged: Floats = field(default_factory=lambda: EMPTY)
    sustained: float = np.nan


def replicate(record: Record, samples: Callable[[str], Columns]) -> Replicate:
    """The figures of a trial that is done; `samples` gives the columns of stats.join.Joined, or {}."""
    if record.result is None:
        raise ValueError(f"trial {record.trial.id} is not done")
    columns = samples(record.trial.id)
    if not columns:
        return Replicate(record.trial.replicate, record.result, EMPTY, EMPTY)
    used = (columns["outcome"] == DELIVERED) & ~columns["warmup"].astype(bool)
    if not record.result.one_way:
        used &= columns["done"] != 0
        round_trips = columns["done"][used].astype(np.float64) - columns["planned"][used].astype(np.float64)
        return Replicate(record.trial.replicate, record.result, EMPTY, EMPTY, round_trips)
    planned = columns["planned"][used].astype(np.float64)
    latency = columns["decoded"][used].astype(np.float64) - planned
    arrival = columns["received"][used].astype(np.float64) - planned
    found = _sustained(record.trial.workload.arrivals, columns)
    return Replicate(record.trial.replicate, record.result, latency, arrival, sustained=found)


def _sustained(arrivals: Arrivals, columns: Columns) -> float:
    """The highest rate carried to every subscriber; NaN where none was searched for."""
    if not isinstance(arrivals, Search):
        return np.nan
    planned, received = columns["planned"].astype(np.int64), columns["received"].astype(np.int64)
    listener = columns.get("subscriber", np.zeros(len(received)))
    steps = rate_search.steps(arrivals)
    found = [
        rate_search.sustained_hz(steps, received[listener == k], int(planned[0])) for k in np.unique(listener)
    ]
    return min(found, default=np.nan)


def share_beyond(need: Need, replicates: Sequence[Replicate]) -> Estimate | None:
    """For a need on a quantile of times: the share of delivered messages above its limit."""
    prefix, _, suffix = need.metric.partition("_")
    if suffix not in QUANTILES:
        return None
    values = [v for r in replicates if len(v := getattr(r, prefix))]
    if not values:
        return None
    above = [
        int(np.count_nonzero(v >= need.limit if need.relation == "<" else v > need.limit)) for v in values
    ]
    return proportion_interval(above, [len(v) for v in values])


def estimates(replicates: Sequence[Replicate]) -> tuple[dict[str, list[float]], dict[str, Estimate]]:
    """By metric: the figure of every replicate (NaN: none), and the estimate over all of them."""
    figures: dict[str, list[float]] = {}
    found: dict[str, Estimate] = {}
    for prefix in ("latency", "arrival", "acknowledged"):
        values: list[Floats] = [getattr(r, prefix) for r in replicates]
        if any(len(v) for v in values):
            _of_times(prefix, values, figures, found)
    counts = [r.result.counts for r in replicates]
    if any(c.planned for c in counts):
        lost = [c.planned - c.delivered for c in counts]
        figures["loss"] = [x / c.planned if c.planned else np.nan for x, c in zip(lost, counts, strict=True)]
        found["loss"] = proportion_interval(lost, [c.planned for c in counts])
    trials = {name: [figure(r.result) for r in replicates] for name, figure in PER_TRIAL.items()}
    for name, single in {**trials, "sustained": [r.sustained for r in replicates]}.items():
        if not all(np.isnan(single)):
            figures[name] = single
            found[name] = mean_interval(
                [np.array([v]) for v in single if not np.isnan(v)], METRICS[name].unit
            )
    return figures, found


def _of_times(
    prefix: str, values: list[Floats], figures: dict[str, list[float]], found: dict[str, Estimate]
) -> None:
    """Quantiles and mean of times, as far as they are metrics."""
    for suffix, q in QUANTILES.items():
        name = f"{prefix}_{suffix}"
        if name in METRICS:
            figures[name] = [float(np.quantile(v, q)) if len(v) else np.nan for v in values]
            found[name] = quantile_interval(values, q, "ns")
    name = f"{prefix}_sd"
    if name in METRICS:
        figures[name] = [float(v.std(ddof=1)) if len(v) > 1 else np.nan for v in values]
        told = [np.array([v]) for v in figures[name] if not np.isnan(v)]
        if told:
            found[name] = mean_interval(told, "ns")
    name = f"{prefix}_mean"
    if name in METRICS:
        figures[name] = [float(v.mean()) if len(v) else np.nan for v in values]
        found[name] = mean_interval(values, "ns")


def _per_message(result: TrialResult, total: float) -> float:
    """`total` for each message sent; NaN where nothing was counted."""
    return total / result.carried if result.carried and total else np.nan


def _is_device(name: str) -> bool:
    """Whether `device.up`, `device-2.down` ... is a publisher's link."""
    return name.partition(".")[0].partition("-")[0] == DEVICE


def _wire(result: TrialResult) -> float:
    crossed = [w.l3_bytes for name, w in result.wire.items() if _is_device(name)]
    return _per_message(result, float(sum(crossed)))


def _frames(result: TrialResult) -> float:
    """Bytes of frames with data beyond the messages, for each time one crosses the device's link (proos2020, VI.A).

    Where a message crosses twice, the bytes of those that never arrived count as overhead on the second way.
    """
    crossed = float(sum(w.data_l2_bytes for name, w in result.wire.items() if _is_device(name)))
    lost = result.counts.planned - result.counts.delivered
    bodies = result.carried * result.crossings - lost * (result.crossings - 1)
    body = result.payload_bytes + result.header_bytes
    return _per_message(result, crossed and crossed - bodies * body) / result.crossings


def _used(result: TrialResult, who: str) -> tuple[float, float]:
    """CPU time per message and peak memory of a process, NaN where not known."""
    usage = result.usage.get(who)
    if usage is None:
        return np.nan, np.nan
    return _per_message(result, usage.cpu_ns), float(usage.max_rss_bytes) if usage.max_rss_bytes else np.nan


def _load(result: TrialResult, who: str) -> float:
    """The share of a core that one such process took from the first plan to the last arrival."""
    cpu = [usage.cpu_ns for name, usage in result.usage.items() if name.partition("-")[0] == who]
    return sum(cpu) / len(cpu) / result.elapsed_ns if cpu and result.elapsed_ns else np.nan


PER_TRIAL: dict[str, Callable[[TrialResult], float]] = {
    "bytes": lambda r: r.payload_bytes or np.nan,
    "wire_bytes": _wire,
    "overhead": lambda r: _wire(r) - r.payload_bytes - r.header_bytes,
    "frames": _frames,
    "cpu": lambda r: _used(r, PUBLISHER)[0],
    "rss": lambda r: _used(r, PUBLISHER)[1],
    "server_cpu": lambda r: _used(r, SERVER)[0],
    "server_rss": lambda r: _used(r, SERVER)[1],
    "server_queue": lambda r: float(r.waiting.peak) if r.waiting.peak >= 0 else np.nan,
    "load": lambda r: _load(r, PUBLISHER),
    "subscriber_load": lambda r: _load(r, SUBSCRIBER),
    "connect": lambda r: float(r.connect_ns) if r.connect_ns else np.nan,
    "throughput": lambda r: r.counts.delivered / r.elapsed_ns * 1e9 if r.elapsed_ns else np.nan,
}
"""Metrics of which a trial has one value."""


def spread(values: Sequence[float], replicates: Sequence[Replicate], most: int) -> Floats:
    """Values (one per replicate given) at the place of their replicate, so that combinations pair by seed; NaN where there is none."""
    placed = np.full(most, np.nan)
    placed[[r.number for r in replicates]] = values
    return placed
