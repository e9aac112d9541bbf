"""Measure a comparison until its leading rows are as precise as asked, or its time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from wirelab.advice.precision import half_width, imprecise_rows, parse_precision, replicates_needed
from wirelab.advice.rows import combination
from wirelab.cli.run_answer import answer_of
from wirelab.model.answer import Answer
from wirelab.model.study import Study
from wirelab.model.trial import Trial
from wirelab.model.units import duration_ns, show, show_duration
from wirelab.store.run import RunStore
from wirelab.studies.adaptive_replication import MOST, fitting
from wirelab.studies.plan import further_replicates
from wirelab.studies.time_left import estimate_s

TOOK = "took_s"
"""Seconds of measuring, summed over all sessions of a resumed run."""

TRIALS = "trials_s"
"""Those of them in which trials ran: not those that checked links and timed codecs."""

STATE = "precision"
"""What the run says of its precision."""


def stated_precision(study: Study, planned: Sequence[Trial]) -> list[str]:
    """What a plan says of its precision."""
    if not study.precision:
        return []
    planned_s = estimate_s(planned)
    if planned_s > _budget_s(study):
        return [
            f"the planned replicates alone take about {show_duration(planned_s * 1e9)}, so none is added "
            f"for a precision of {study.precision} within {study.time_budget}: give a longer --time-budget"
        ]
    return [
        f"then more replicates of the rows that lead or tie, to a precision of {study.precision}, "
        f"within {study.time_budget} in all"
    ]


def measure_to_precision(
    store: RunStore,
    study: Study,
    measure: Callable[[], float],
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Measure the planned trials, then more replicates of the rows that the ranking needs them for.

    `measure` runs the planned trials of the store and returns the seconds of the trials. Without a
    precision that is all.
    """
    _measure(store, measure, clock)
    if not study.precision:
        return
    precision, budget_s = parse_precision(study.precision, study.rank_by[0]), _budget_s(study)
    added = 0
    while True:
        found = answer_of(store, study)
        wanted = replicates_needed(found, precision)
        known = {combination(record.trial): record.trial for record in store.results()}
        first = [(known[tuple(row.levels.items())], more) for row, more in wanted]
        left_s = budget_s - _seconds(store, TOOK)
        fits = fitting(left_s, [trial for trial, _ in first], store.results(), _seconds(store, TRIALS))
        fit = min(fits.values(), default=0)
        trials = further_replicates(
            study,
            [
                (trial, trial.replicate + 1, min(trial.replicate + 1 + min(more, fit), MOST))
                for trial, more in first
            ],
        )
        added += len(trials)
        _state(store, _reached(found, study, precision, added, _seconds(store, TOOK)))
        if not trials:
            return
        store.add(trials)
        _measure(store, measure, clock)


def _budget_s(study: Study) -> float:
    return duration_ns(study.time_budget) / 1e9


def _reached(found: Answer, study: Study, precision: float, added: int, took_s: float) -> str:
    """What the run says of its precision; "" if it has it without more trials."""
    name = found.objectives[0]
    wide = imprecise_rows(found, precision)
    more = f"{added} trials added for a precision of {study.precision}" if added else ""
    if not wide:
        return more
    worst = max(wide, key=lambda row: half_width(row.estimates.get(name)))
    at = half_width(worst.estimates.get(name))
    within = f"is within {show(at, 'fraction')}" if at != float("inf") else "has an open interval"
    short = f"precision of {study.precision} not reached in {study.time_budget}: {worst.label} {within}"
    if not added:
        more = (
            f"the planned replicates took {show_duration(took_s * 1e9)}, which left no time for another: "
            "give a longer --time-budget"
        )
    return f"{short}; {more}"


def _state(store: RunStore, text: str) -> None:
    """Keep one note about the precision of the run."""
    before = str(store.meta().get(STATE, ""))
    store.put_meta(STATE, text)
    if text:
        store.note(text, instead_of=before)


def _measure(store: RunStore, measure: Callable[[], float], clock: Callable[[], float]) -> None:
    """Measure, and add up how long it takes in all sessions."""
    began, before = clock(), _seconds(store, TOOK)
    try:
        store.put_meta(TRIALS, _seconds(store, TRIALS) + measure())
    finally:
        store.put_meta(TOOK, before + clock() - began)


def _seconds(store: RunStore, key: str) -> float:
    return float(store.meta().get(key, 0.0))
