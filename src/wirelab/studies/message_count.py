"""How many messages quantiles need: the automatic count, and studies with too few of them."""

from __future__ import annotations

import math
from collections.abc import Iterable

from wirelab.advice.thresholds import asked_metrics
from wirelab.model import units
from wirelab.model.answer import Answer
from wirelab.model.errors import BadInput
from wirelab.model.metrics import Metric, metric
from wirelab.model.study import AUTO, Study
from wirelab.model.trial import Workload
from wirelab.stats.intervals import values_needed
from wirelab.studies.default_rate import USUAL_HZ
from wirelab.studies.message_batches import least_count

AUTOMATIC_COUNT = 30
# At an automatic rate, an automatic count gives trials of at most this time, and at least so many
# messages.
AUTOMATIC_S, LEAST_COUNT = 25.0, 5
# Messages of the warm-up. At a slow rate each meets an idle connection, as the first one does.
WARMUP, SLOW_WARMUP = 3, 1


def quantiles(study: Study) -> list[tuple[Metric, float]]:
    """The quantiles of times that thresholds and objectives name. Raises BadInput."""
    return _quantiles(asked_metrics(study.thresholds, study.rank_by))


def _quantiles(metrics: Iterable[Metric]) -> list[tuple[Metric, float]]:
    return [(one, one.quantile) for one in metrics if one.quantile is not None]


def _least(q: float) -> int:
    """The messages of which one is beyond the quantile on average."""
    return math.ceil(1 / min(q, 1 - q) - 1e-9)


def warmup(study: Study, rate_hz: float | None) -> int:
    """The messages sent first and not counted: those asked for, or the automatic number.

    Raises BadInput.
    """
    if study.warmup != AUTO:
        return units.count(study.warmup, "warmup")
    return SLOW_WARMUP if AUTO in study.rate and rate_hz is not None and rate_hz < USUAL_HZ else WARMUP


def automatic_count(study: Study, rate_hz: float | None) -> int:
    """The messages per trial that bound the quantiles of thresholds and objectives; at least 30.

    At a slow automatic rate, as many as are sent in AUTOMATIC_S; some batches where messages are
    sent in batches.
    """
    usual = AUTOMATIC_COUNT
    if rate_hz is not None and AUTO in study.rate:
        usual = max(LEAST_COUNT, min(usual, round(AUTOMATIC_S * rate_hz) - warmup(study, rate_hz)))
    few = least_count(study, units.count(study.publishers))
    return max([usual, few, *(_wanted(q, study) for _, q in quantiles(study))])


def _wanted(q: float, study: Study) -> int:
    """The messages per trial that bound a quantile over all replicates."""
    return math.ceil(values_needed(max(q, 1 - q)) / study.replicates)


def check_quantiles(study: Study, workload: Workload) -> None:
    """Check that each combination has at least one message beyond each quantile. Raises BadInput."""
    if workload.count is not None:
        each = workload.count
    elif workload.rate_hz is not None and workload.duration_ns is not None:
        each = int(workload.rate_hz * workload.duration_ns / 1e9)
    else:
        return
    for one, q in quantiles(study):
        wanted = _wanted(q, study)
        step = f"send {wanted:,} messages a trial (--count {wanted}), or ask for a lower quantile"
        _check_enough(one, q, each * study.replicates, step)


def check_measured(found: Answer) -> None:
    """Check that an answer rests on enough messages for its quantiles. Raises BadInput."""
    rows = [row for ranking in found.rankings for row in ranking.rows]
    for one, q in _quantiles(map(metric, found.asked_metrics)):
        known = [row.estimates[one.name].n for row in rows if one.name in row.estimates]
        if known:
            _check_enough(one, q, max(known), "measure more messages, or ask for a lower quantile")


def _check_enough(one: Metric, q: float, messages: int, step: str) -> None:
    if messages < (least := _least(q)):
        why = f"{messages:,} messages of a combination are too few: it is one in {least:,}"
        raise BadInput(one.title, why, step)
