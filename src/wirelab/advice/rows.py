"""From trials to rows: one row per combination, over its valid replicates only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from msgspec import UNSET
from msgspec.structs import replace

from wirelab.advice import device as on_device
from wirelab.advice import month
from wirelab.advice.figures import Columns, Floats, estimates, mean_of, replicate, share_above, spread
from wirelab.advice.kinds import kind_figures
from wirelab.advice.link_check import stands_on
from wirelab.advice.offered_rate import carries
from wirelab.advice.thresholds import judge, worst
from wirelab.advice.why import merged_path, why
from wirelab.model.answer import GIVEN, CodecRow, Record, Row, Tally, Threshold, VerdictCount
from wirelab.model.device import DeviceRun
from wirelab.model.kinds import Kinds
from wirelab.model.metrics import metric
from wirelab.model.note import row_notes
from wirelab.model.reason import Reason
from wirelab.model.result import Counts, Shares, TrialResult
from wirelab.model.trial import State, Trial, Verdict


@dataclass(frozen=True)
class Measured:
    """A row and the figures it is compared by: for each metric one per replicate (NaN: none)."""

    row: Row
    figures: dict[str, Floats]


@dataclass(frozen=True)
class RunFacts:
    """What is asked of a run, and what is known of all its trials.

    `varying` are the levels worth showing. `overload`: rows are judged by whether they carry the
    rate. With `kinds`, each kind of message has figures too. `bad_links` are off spec, with the
    reason. `deployed_hz` is the rate of a deployed device.
    """

    varying: frozenset[str]
    objectives: Sequence[str] = ()
    thresholds: Sequence[Threshold] = ()
    codecs: Mapping[str, CodecRow] = field(default_factory=dict)
    device: DeviceRun | None = None
    overload: bool = False
    kinds: Kinds | None = None
    bad_links: Mapping[str, str] = field(default_factory=dict)
    deployed_hz: float | None = None


Combination = tuple[tuple[str, str], ...]


def combination(trial: Trial) -> Combination:
    """What replicates have in common: their levels by factor."""
    return tuple(trial.levels.items())


def combinations(records: Iterable[Record]) -> list[list[Record]]:
    """Trials of equal levels, in planned order."""
    found: dict[Combination, list[Record]] = {}
    for record in records:
        found.setdefault(combination(record.trial), []).append(record)
    return list(found.values())


def varying_levels(records: Iterable[Record]) -> frozenset[str]:
    """The factors of which the trials have several levels."""
    seen: dict[str, set[str]] = {}
    for record in records:
        for name, value in record.trial.levels.items():
            seen.setdefault(name, set()).add(value)
    return frozenset(name for name, values in seen.items() if len(values) > 1)


def tally(records: Sequence[Record]) -> Tally:
    """How the trials of one combination ended; each kind of reason once, with how often it came."""
    states = {state: 0 for state in State}
    reasons: dict[tuple[object, ...], list[Verdict]] = {}
    missing = 0
    for record in records:
        if record.result is None:
            missing += 1
            continue
        verdict = record.result.verdict
        states[verdict.state] += 1
        if verdict.state is not State.VALID:
            reason = verdict.reason or Reason.message("")
            reasons.setdefault((verdict.state, reason.kind), []).append(verdict)
    return Tally(
        valid=states[State.VALID],
        invalid=states[State.INVALID],
        skipped=states[State.SKIPPED],
        failed=states[State.FAILED],
        missing=missing,
        reasons=tuple(map(_counted, reasons.values())),
    )


def _counted(verdicts: Sequence[Verdict]) -> VerdictCount:
    reasons = tuple(verdict.reason for verdict in verdicts if verdict.reason is not None)
    return VerdictCount(verdicts[0].state, reasons or (Reason.message(""),), len(verdicts))


def measure(
    records: Sequence[Record],
    samples: Callable[[str], Columns],
    run: RunFacts,
) -> Measured | None:
    """The row of one combination, or None if no trial of it is valid."""
    valid = [r for r in records if r.result is not None and r.result.verdict.state is State.VALID]
    if not valid:
        return None
    replicates = [replicate(record, samples) for record in valid]
    first = valid[0].trial
    figures, found = estimates(replicates, [*run.objectives, *(one.metric for one in run.thresholds)])
    if run.deployed_hz is not None:
        figures["month_bytes"] = month.month_bytes(run.deployed_hz, replicates)
        if (mean := mean_of(figures["month_bytes"], metric("month_bytes").unit)) is not None:
            found["month_bytes"] = mean
    codec = run.codecs.get(first.payload.codec)
    if codec is not None:
        found |= {k: codec.phases[k] for k in ("serialize", "deserialize") if k in codec.phases}
    levels = dict(first.levels)
    if run.device is not None:
        more, estimated = on_device.figures(run.device, levels, first.workload.rate_hz, replicates)
        figures, found = figures | more, found | estimated
    results = tuple(judge(one, found, share_above(one, replicates)) for one in run.thresholds)
    if run.device is not None:
        results = (on_device.runs(run.device, levels), *results)
    if run.overload:
        results = (carries(replicates, first.workload.rate_hz), *results)
    if run.bad_links:
        results = (stands_on(levels.get("link", ""), run.bad_links), *results)
    shares, path = _shares([r.result for r in replicates]), merged_path([r.result for r in replicates])
    row = Row(
        levels=levels,
        context={k: v for k, v in levels.items() if k in GIVEN},
        choice={k: v for k, v in levels.items() if k not in GIVEN},
        label=label(levels, run.varying),
        estimates=found,
        shares=shares,
        counts=_sum([r.result.counts for r in replicates]),
        tally=tally(records),
        trials=tuple(r.trial.id for r in valid),
        thresholds=results,
        status=worst(results),
        overloaded=sum(r.result.overloaded for r in replicates),
        notes=row_notes([r.result.notes for r in replicates]),
        kinds=kind_figures(valid, samples, run.kinds) if run.kinds else UNSET,
        delivery=replicates[0].result.delivery,
        path=path,
        why=why(path, shares, levels, found, first.workload.batch),
    )
    most = max(r.trial.replicate for r in records) + 1
    return Measured(row, {name: spread(values, replicates, most) for name, values in figures.items()})


def label(levels: Mapping[str, str], varying: frozenset[str]) -> str:
    """The name of a combination: its levels that are chosen and vary (`protobuf mqtt qos 1`)."""
    shown = {k: v for k, v in levels.items() if k not in GIVEN and (k in varying or not varying)}
    shown = shown or {k: v for k, v in levels.items() if k not in GIVEN} or dict(levels)
    return " ".join(level_text(factor, level) for factor, level in shown.items())


def level_text(factor: str, level: str) -> str:
    """A level in a name; with its factor where it is a number that says nothing: `qos 1`."""
    return f"{factor} {level}" if factor in ("qos", "batch") and level.isdigit() else level


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
    whole = Shares(mean("queue"), mean("encode"), mean("wire"), mean("server"), mean("decode"), together)
    return replace(whole, batch=mean("batch"))
