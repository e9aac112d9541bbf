"""The answer in one sentence: which row is first, with its figures, thresholds and ties."""

from __future__ import annotations

from collections.abc import Sequence

from wirelab.model.answer import Choice, Row, Status, Threshold
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import metric
from wirelab.model.units import show

MOST_NAMED = 3
"""Ties beyond these are counted, not named."""


def headline(
    rows: Sequence[Row | Choice], thresholds: Sequence[Threshold], objectives: Sequence[str], where: str = ""
) -> str:
    """Why the first row is first, or why none passes. `where` is the context (` on lte-drive`)."""
    if not rows:
        return f"No combination has a valid trial{where}, so there is nothing to rank."
    best = rows[0]
    required = _join([threshold.text for threshold in thresholds])
    figure = _figure(best, objectives[0])
    if best.status is Status.FAIL:
        failed = _join(_results(best, Status.FAIL))
        return (
            f"No combination passes {required}{where}; the best of the rest is {best.label} with {figure}, "
            f"which fails {failed}."
        )
    ties = _ties(rows, objectives)
    if best.status is Status.INCONCLUSIVE:
        undecided = _results(best, Status.INCONCLUSIVE)
        verb = "is" if len(undecided) == 1 else "are"
        return (
            f"{best.label} is first{where} with {figure}, but {_join(undecided)} {verb} inconclusive{ties}."
        )
    passes = f"passes {required}{where}" if thresholds else f"is first{where}"
    return f"{best.label} {passes} with {figure}{_losses(best, thresholds)}{ties}."


def _results(row: Row | Choice, status: Status) -> list[str]:
    """The thresholds with this status, each with its evidence."""
    return [f"{result.threshold} ({result.evidence})" for result in row.thresholds if result.status is status]


def _losses(best: Row | Choice, thresholds: Sequence[Threshold]) -> str:
    """Losses if no threshold covers them, because latency is that of delivered messages."""
    loss = estimates(best).get("loss")
    if loss is None or loss.value == 0 or any(threshold.metric == "loss" for threshold in thresholds):
        return ""
    return f"; it loses {show(loss.value, loss.unit)} of the messages"


def _ties(rows: Sequence[Row | Choice], objectives: Sequence[str]) -> str:
    """The rows that tie with the first, and their order; without a tie, the next row."""
    best = rows[0]
    tied = [row for row in rows[1:] if row.group == best.group]
    if not tied:
        return _next(rows, objectives[0])
    even = [row for row in tied if row.rank == best.rank]
    noisy = [row for row in tied if row.inconclusive and row not in even]
    behind = [row for row in tied if row not in even and row not in noisy]
    parts = []
    if even:
        parts.append(f"it ties with {_names(even)}: {_no_difference(objectives)}")
    elif behind:
        parts.append(
            f"it ties with {_names(behind)}: {_no_difference(objectives[:1])}{_decided(best, behind[0], objectives)}"
        )
    if noisy:
        parts.append(f"the comparison with {_names(noisy)} is inconclusive")
    return "".join(f"; {part}" for part in parts)


def _no_difference(objectives: Sequence[str]) -> str:
    """That no objective separates rows."""
    titles = [metric(name).title for name in objectives]
    return f"the difference in {_join(titles, ' or ')} is not significant"


def _decided(best: Row | Choice, other: Row | Choice, objectives: Sequence[str]) -> str:
    """The objective that orders a tie, with both figures where they are known."""
    if len(objectives) < 2:
        return ""
    second = metric(objectives[1])
    mine, its = (estimates(row).get(second.name) for row in (best, other))
    if mine is None or its is None:
        return ""
    return f", so {second.title} decides ({show(mine.value, second.unit)} against {show(its.value, second.unit)})"


def _next(rows: Sequence[Row | Choice], objective: str) -> str:
    best, unit = rows[0], metric(objective).unit
    rest = [row for row in rows[1:] if row.status is best.status and objective in estimates(row)]
    if not rest:
        return "; no other combination passes" if len(rows) > 1 and best.thresholds else ""
    return f"; next is {rest[0].label} with {show(estimates(rest[0])[objective].value, unit)}"


def estimates(row: Row | Choice) -> dict[str, Estimate]:
    """The estimates that a row (or a choice, in its worst context) is judged by."""
    return row.estimates if isinstance(row, Row) else row.worst


def _figure(row: Row | Choice, name: str) -> str:
    estimate = estimates(row).get(name)
    return f"{metric(name).title} {estimate}" if estimate else f"no {metric(name).title}"


def _names(rows: Sequence[Row | Choice]) -> str:
    names = [row.label for row in rows]
    if len(names) <= MOST_NAMED:
        return _join(names)
    return f"{', '.join(names[: MOST_NAMED - 1])} and {len(names) - MOST_NAMED + 1} others"


def _join(parts: Sequence[str], last: str = " and ") -> str:
    return last.join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
