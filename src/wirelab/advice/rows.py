"""From trials to rows: one row per combination, over its valid replicates; nothing invalid is averaged in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wirelab.advice.needs import QUANTILES, judge, worst
from wirelab.model.answer import CodecRow, Need, Record, Row, Tally
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import METRICS
from wirelab.model.result import Counts, Shares, TrialResult
from wirelab.model.trial import State
from wirelab.stats.intervals import mean_interval, proportion_interval, quantile_interval
from wirelab.stats.join import DELIVERED

Floats = NDArray[np.float64]
Columns = Mapping[str, NDArray[np.generic]]

GIVEN = frozenset({"payload", "link", "loss", "rate", "topology", "count", "duration", "clients", "size"})
"""Levels that are the user's situation, not a choice: the question is answered within each of them."""

DEVICE, SERVER, PUBLISHER = "device", "server", "publisher"
"""Names in TrialResult.wire (`device.up`) and TrialResult.usage."""


@dataclass(frozen=True)
class Measured:
    """A row and the figures it is compared by: for each metric one per replicate (NaN: none)."""

    row: Row
    figures: dict[str, Floats]


@dataclass(frozen=True)
class _Replicate:
    number: int
    result: TrialResult
    latency: Floats
    arrival: Floats


def combinations(records: Iterable[Record]) -> list[list[Record]]:
    """Trials of equal levels, in planned order."""
    found: dict[tuple[tuple[str, str], ...], list[Record]] = {}
    for record in records:
        found.setdefault(tuple(record.trial.levels.items()), []).append(record)
    return list(found.values())


def tally(records: Sequence[Record]) -> Tally:
    """How the trials of one combination ended; each reason once, with how often where it came more than once."""
    states = {state: 0 for state in State}
    reasons: dict[str, int] = {}
    missing = 0
    for record in records:
        if record.result is None:
            missing += 1
            continue
        verdict = record.result.verdict
        states[verdict.state] += 1
        if verdict.state is not State.VALID:
            reasons[str(verdict)] = reasons.get(str(verdict), 0) + 1
    told = tuple(f"{reason} ({times} times)" if times > 1 else reason for reason, times in reasons.items())
    return Tally(
        valid=states[State.VALID],
        invalid=states[State.INVALID],
        skipped=states[State.SKIPPED],
        failed=states[State.FAILED],
        missing=missing,
        reasons=told,
    )


def measure(
    records: Sequence[Record],
    samples: Callable[[str], Columns],
    codecs: Mapping[str, CodecRow],
    varying: frozenset[str],
    needs: Sequence[Need] = (),
) -> Measured | None:
    """The row of one combination, or None if no trial of it is valid. `varying` are the levels worth showing."""
    valid = [r for r in records if r.result is not None and r.result.verdict.state is State.VALID]
    if not valid:
        return None
    replicates = [_replicate(record, samples) for record in valid]
    first = valid[0].trial
    figures, estimates = _estimates(replicates)
    codec = codecs.get(first.payload.codec)
    if codec is not None:
        estimates |= {k: codec.phases[k] for k in ("serialize", "deserialize") if k in codec.phases}
    met = tuple(judge(need, estimates, _share_beyond(need, replicates)) for need in needs)
    levels = dict(first.levels)
    row = Row(
        levels=levels,
        context={k: v for k, v in levels.items() if k in GIVEN},
        choice={k: v for k, v in levels.items() if k not in GIVEN},
        label=label(levels, varying),
        estimates=estimates,
        shares=_shares([r.result for r in replicates]),
        counts=_sum([r.result.counts for r in replicates]),
        tally=tally(records),
        trials=tuple(r.trial.id for r in valid),
        met=met,
        held=worst(met),
        notes=tuple(dict.fromkeys(note for r in replicates for note in r.result.notes)),
    )
    most = max(r.trial.replicate for r in records) + 1
    return Measured(row, {name: _spread(values, replicates, most) for name, values in figures.items()})


def label(levels: Mapping[str, str], varying: frozenset[str]) -> str:
    """How a combination is called: the values of what is chosen and varies (`protobuf mqtt qos 1`)."""
    shown = {k: v for k, v in levels.items() if k not in GIVEN and (k in varying or not varying)}
    shown = shown or {k: v for k, v in levels.items() if k not in GIVEN} or dict(levels)
    return " ".join(f"qos {v}" if k == "qos" and v.isdigit() else v for k, v in shown.items())


def _replicate(record: Record, samples: Callable[[str], Columns]) -> _Replicate:
    assert record.result is not None
    columns = samples(record.trial.id)
    empty = np.empty(0)
    if not columns:
        return _Replicate(record.trial.replicate, record.result, empty, empty)
    used = (columns["outcome"] == DELIVERED) & ~columns["warmup"].astype(bool)
    planned = columns["planned"][used].astype(np.float64)
    latency = columns["decoded"][used].astype(np.float64) - planned
    arrival = columns["received"][used].astype(np.float64) - planned
    return _Replicate(record.trial.replicate, record.result, latency, arrival)


def _share_beyond(need: Need, replicates: Sequence[_Replicate]) -> Estimate | None:
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


def _estimates(replicates: Sequence[_Replicate]) -> tuple[dict[str, list[float]], dict[str, Estimate]]:
    """For each metric the figure of every replicate, and the estimate over all of them."""
    figures: dict[str, list[float]] = {}
    estimates: dict[str, Estimate] = {}
    for prefix in ("latency", "arrival"):
        values = [getattr(r, prefix) for r in replicates]
        if not any(len(v) for v in values):
            continue
        for suffix, q in QUANTILES.items():
            name = f"{prefix}_{suffix}"
            if name in METRICS:
                figures[name] = [float(np.quantile(v, q)) if len(v) else np.nan for v in values]
                estimates[name] = quantile_interval(values, q, "ns")
        if f"{prefix}_mean" in METRICS:
            figures[f"{prefix}_mean"] = [float(v.mean()) if len(v) else np.nan for v in values]
            estimates[f"{prefix}_mean"] = mean_interval(values, "ns")
    counts = [r.result.counts for r in replicates]
    if any(c.planned for c in counts):
        lost = [c.planned - c.delivered for c in counts]
        figures["loss"] = [x / c.planned if c.planned else np.nan for x, c in zip(lost, counts, strict=True)]
        estimates["loss"] = proportion_interval(lost, [c.planned for c in counts])
    for name, figure in PER_TRIAL.items():
        values = [figure(r.result) for r in replicates]
        if not all(np.isnan(values)):
            figures[name] = values
            single = [np.array([v]) for v in values if not np.isnan(v)]
            estimates[name] = mean_interval(single, METRICS[name].unit)
    return figures, estimates


def _per_message(result: TrialResult, total: float) -> float:
    """`total` for each message sent; NaN where nothing was counted."""
    return total / result.counts.sent if result.counts.sent and total else np.nan


def _wire(result: TrialResult) -> float:
    crossed = [w.l3_bytes for name, w in result.wire.items() if name.partition(".")[0] == DEVICE]
    return _per_message(result, float(sum(crossed)))


def _used(result: TrialResult, who: str) -> tuple[float, float]:
    """CPU time per message and peak memory of a process, NaN where not known."""
    usage = result.usage.get(who)
    if usage is None:
        return np.nan, np.nan
    return _per_message(result, usage.cpu_ns), float(usage.max_rss_bytes) if usage.max_rss_bytes else np.nan


PER_TRIAL: dict[str, Callable[[TrialResult], float]] = {
    "bytes": lambda r: r.payload_bytes or np.nan,
    "wire_bytes": _wire,
    "overhead": lambda r: _wire(r) - r.payload_bytes - r.header_bytes,
    "cpu": lambda r: _used(r, PUBLISHER)[0],
    "rss": lambda r: _used(r, PUBLISHER)[1],
    "server_cpu": lambda r: _used(r, SERVER)[0],
    "server_rss": lambda r: _used(r, SERVER)[1],
    "connect": lambda r: float(r.connect_ns) if r.connect_ns else np.nan,
    "throughput": lambda r: r.counts.delivered / r.elapsed_ns * 1e9 if r.elapsed_ns else np.nan,
}
"""Metrics of which a trial has one value."""


def _spread(values: Sequence[float], replicates: Sequence[_Replicate], most: int) -> Floats:
    """Values at the place of their replicate, so that combinations pair by seed; NaN where there is none."""
    placed = np.full(most, np.nan)
    placed[[r.number for r in replicates]] = values
    return placed


def _sum(counts: Sequence[Counts]) -> Counts:
    added = {name: sum(getattr(c, name) for c in counts) for name in Counts.__struct_fields__}
    return Counts(**added)


def _shares(results: Sequence[TrialResult]) -> Shares:
    """Mean over replicates, weighted by delivered messages."""
    weights = np.array([r.counts.delivered for r in results], dtype=np.float64)
    if not weights.sum():
        return Shares(separable=False)

    def mean(part: str) -> float:
        return float(np.average([getattr(r.shares, part) for r in results], weights=weights))

    together = all(r.shares.separable for r in results)
    return Shares(mean("queue"), mean("encode"), mean("wire"), mean("server"), mean("decode"), together)
