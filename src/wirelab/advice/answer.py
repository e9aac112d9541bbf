"""From a run to the ranked answer: within each context (link), and over all of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from wirelab.advice.codec_ranking import rank_codecs
from wirelab.advice.device import runs_threshold
from wirelab.advice.headline import headline
from wirelab.advice.kinds import KINDS
from wirelab.advice.link_check import LINK_AS_SPECIFIED, off_spec
from wirelab.advice.month import deployed_hz_of
from wirelab.advice.offered_rate import OFFERED_RATE, has_overload
from wirelab.advice.preference import safest_first
from wirelab.advice.ranking import Contender, rank
from wirelab.advice.rows import Measured, RunFacts, combinations, label, measure, tally, varying_levels
from wirelab.advice.thresholds import parse_objectives
from wirelab.advice.worst_case import overall
from wirelab.model.answer import (
    Answer,
    CodecRow,
    Excluded,
    LinkCheck,
    Ranking,
    Record,
    Row,
    Status,
    Threshold,
)
from wirelab.model.device import DeviceRun
from wirelab.model.kinds import Kinds
from wirelab.model.result import worst_steal_note
from wirelab.model.units import show_duration

DEVICE = "device"
"""The key of the device measurements in a run (`model.device.DeviceRun`)."""


class StoreView(Protocol):
    """What advice reads of a run; `store.run.RunStore` is one."""

    def results(self) -> list[Record]: ...
    def samples(self, trial_id: str) -> Mapping[str, NDArray[np.generic]]: ...
    def codecs(self) -> list[CodecRow]: ...
    def link_checks(self) -> list[LinkCheck]: ...
    def notes(self) -> list[str]: ...
    def meta(self) -> dict[str, Any]: ...


def answer(
    view: StoreView,
    thresholds: Sequence[Threshold] = (),
    objectives: Sequence[str] = ("latency", "bytes"),
    floors: frozenset[str] = frozenset(),
) -> Answer:
    """The choices ranked by the run's valid trials.

    Rows of the protocols in `floors` are not ranked, unless nothing else was measured.
    Raises BadInput for an unknown objective.
    """
    names = parse_objectives(objectives)
    records = view.results()
    codecs = view.codecs()
    by_name = {row.codec: row for row in codecs}
    meta = dict(view.meta())
    device = msgspec.convert(meta.pop(DEVICE), DeviceRun) if DEVICE in meta else None
    kinds = msgspec.convert(meta.pop(KINDS), Kinds) if KINDS in meta else None
    varying = varying_levels(records)
    overload, bad_links = has_overload(records), off_spec(view.link_checks())
    facts = RunFacts(
        varying, names, thresholds, by_name, device, overload, kinds, bad_links, deployed_hz_of(meta)
    )
    measured: list[Measured] = []
    excluded: list[Excluded] = []
    for trials in combinations(records):
        row = measure(trials, view.samples, facts)
        if row is None:
            levels = trials[0].trial.levels
            excluded.append(Excluded(levels, label(levels, varying), tally(trials)))
        else:
            measured.append(row)
    if device is not None:
        thresholds = (runs_threshold(device), *thresholds)
    if overload:
        thresholds = (OFFERED_RATE, *thresholds)
    if bad_links:
        thresholds = (LINK_AS_SPECIFIED, *thresholds)
    contexts = [_without_floors(rows, floors) for rows in _by_context(measured)]
    rankings = [_ranking(ranked, beside, thresholds, names, varying) for ranked, beside in contexts]
    choices = overall([row for ranked, _ in contexts for row in ranked], names)
    return Answer(
        thresholds=tuple(thresholds),
        objectives=names,
        headline=headline(choices, thresholds, names, _everywhere([ranking.context for ranking in rankings])),
        status=choices[0].status if choices else Status.FAIL,
        rankings=tuple(rankings),
        overall=tuple(choices),
        excluded=tuple(excluded),
        codecs=tuple(rank_codecs(codecs)),
        links=tuple(view.link_checks()),
        warnings=(*view.notes(), *_warnings(records, measured)),
        meta=meta,
        complete=all(record.state == "done" for record in records),
        device=device,
    )


def _by_context(measured: Sequence[Measured]) -> list[list[Measured]]:
    """Rows of equal context; contexts in natural order of their names (`loss=1%`, `loss=10%`)."""
    contexts: dict[tuple[tuple[str, str], ...], list[Measured]] = {}
    for combination in measured:
        contexts.setdefault(tuple(combination.row.context.items()), []).append(combination)
    return [contexts[context] for context in sorted(contexts, key=_natural)]


def _natural(context: tuple[tuple[str, str], ...]) -> list[tuple[float, str]]:
    parts = (part for _, value in context for part in re.split(r"(\d+(?:\.\d+)?)", value))
    return [(float(part), "") if part[:1].isdigit() else (-1.0, part) for part in parts]


def _without_floors(
    rows: Sequence[Measured], floors: frozenset[str]
) -> tuple[list[Measured], list[Measured]]:
    """The rows to rank and the floors beside them; floors are ranked where there is nothing else."""
    ranked = [one for one in rows if one.row.levels.get("protocol") not in floors]
    return (ranked, [one for one in rows if one not in ranked]) if ranked else (list(rows), [])


def _ranking(
    rows: Sequence[Measured],
    floors: Sequence[Measured],
    thresholds: Sequence[Threshold],
    objectives: Sequence[str],
    varying: frozenset[str],
) -> Ranking:
    ordered = _ordered(rows, objectives)
    context = {name: value for name, value in rows[0].row.context.items() if name in varying}
    where = "".join(f" on {v}" if k == "link" else f" at {k} {v}" for k, v in context.items())
    text = headline(ordered, thresholds, objectives, where)
    return Ranking(context, ordered, text, _ordered(floors, objectives))


def _ordered(rows: Sequence[Measured], objectives: Sequence[str]) -> tuple[Row, ...]:
    """Rows, best first, with their ranks and ties."""
    placed = rank([Contender(one.row.status, one.figures) for one in rows], objectives)
    return safest_first(
        msgspec.structs.replace(
            rows[p.index].row, rank=p.rank, group=p.group, tied=p.tied, inconclusive=p.inconclusive
        )
        for p in placed
    )


def _everywhere(contexts: Sequence[Mapping[str, str]]) -> str:
    """All contexts in words: ` on every link`, ` at every link and rate`; empty if there is one."""
    if len(contexts) < 2:
        return ""
    names = list(contexts[0])
    return f" {'on' if names == ['link'] else 'at'} every {' and '.join(names)}"


def _warnings(records: Sequence[Record], measured: Sequence[Measured]) -> list[str]:
    warnings = []
    waiting = sum(record.state != "done" for record in records)
    if waiting:
        warnings.append(f"{waiting} of {len(records)} trials are not done: continue with --resume")
    total = [tally([record]) for record in records if record.result is not None]
    for word in ("invalid", "failed"):
        number = sum(getattr(one, word) for one in total)
        if number:
            again = ": --resume measures them again" if word == "invalid" else ""
            warnings.append(f"{number} of {len(total)} trials are {word} and are not averaged in{again}")
    if stolen := worst_steal_note(record.result for record in records):
        warnings.append(stolen)
    if measured and min(len(one.row.trials) for one in measured) < 2:
        warnings.append(
            "a combination with one valid replicate cannot be separated from any other: add replicates"
        )
    clocks = [r.result for r in records if r.result is not None and r.result.clock_error_ns]
    if clocks:
        error = show_duration(max(result.clock_error_ns for result in clocks))
        blind = sum(not result.one_way for result in clocks)
        rest = (
            f"; in {blind} of {len(clocks)} trials that is not small against one-way times: "
            "round trips replace them where there are acknowledgements"
        )
        warnings.append(f"the nodes' clocks are known to within {error}{rest if blind else ''}")
    headers = {
        round(r.result.header_bytes * r.trial.workload.batch)
        for r in records
        if r.result is not None and r.result.header_bytes
    }
    if headers:
        warnings.append(
            f"messages carried an {max(headers)}-byte sequence number; its bytes are not counted as payload"
        )
    return warnings
