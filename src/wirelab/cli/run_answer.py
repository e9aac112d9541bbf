"""The answer of a run, by the thresholds and objectives of its study."""

from __future__ import annotations

from wirelab.advice.answer import answer
from wirelab.advice.thresholds import parse_thresholds
from wirelab.lab import protocols
from wirelab.model.answer import Answer
from wirelab.model.study import Study
from wirelab.store.run import RunStore


def answer_of(store: RunStore, study: Study) -> Answer:
    """The answer by the study's own thresholds and objectives. Raises BadInput."""
    beside = frozenset() if study.rank_floors else protocols.floors()
    return answer(store, parse_thresholds(study.thresholds), study.rank_by, beside)
