"""Whether a row carries the rate that it was offered: the threshold of runs with overloaded trials."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wirelab.advice.figures import Replicate
from wirelab.model.answer import Record, Status, Threshold, ThresholdResult
from wirelab.model.note import NoteCode
from wirelab.model.result import TrialResult
from wirelab.model.trial_values import throughput_hz
from wirelab.model.units import show

OFFERED_RATE = Threshold("offered rate", "throughput", "=", 1.0)


def has_overload(records: Iterable[Record]) -> bool:
    """Whether a trial of the run was overloaded."""
    return any(record.result is not None and record.result.overloaded for record in records)


def carries(replicates: Sequence[Replicate], offered_hz: float | None) -> ThresholdResult:
    """A row whose trials are all overloaded fails; one with some of them is inconclusive."""
    overloaded = [one.result for one in replicates if one.result.overloaded]
    if not overloaded:
        return ThresholdResult(OFFERED_RATE.text, Status.PASS)
    carrying = [one for one in overloaded if not _is_stalled(one)]
    evidence = [_carried(carrying, offered_hz)] if carrying else []
    if stalled := len(overloaded) - len(carrying):
        evidence.append(f"stalled in {stalled} of {len(replicates)} trials")
    if len(overloaded) == len(replicates):
        return ThresholdResult(OFFERED_RATE.text, Status.FAIL, "; ".join(evidence))
    if carrying:
        evidence.insert(1, f"overloaded in {len(carrying)} of {len(replicates)} trials")
    return ThresholdResult(OFFERED_RATE.text, Status.INCONCLUSIVE, "; ".join(evidence))


def _carried(results: Sequence[TrialResult], offered_hz: float | None) -> str:
    carried = sum(map(throughput_hz, results)) / len(results)
    return f"carries {show(carried, '1/s')}" + (f" of {show(offered_hz, '1/s')}" if offered_hz else "")


def _is_stalled(result: TrialResult) -> bool:
    return any(note.code is NoteCode.STALLED for note in result.notes)
