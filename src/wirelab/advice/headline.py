"""The answer in one sentence: what to use, why, what breaks a tie, and what would change it."""

from __future__ import annotations

from collections.abc import Sequence

from wirelab.model.answer import Choice, Row, Status, Threshold
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import Metric
from wirelab.model.metrics import metric as find_metric
from wirelab.model.units import show

MOST_NAMED = 3
"""Ties beyond these are counted, not named."""

BETTER = 0.1
"""A row has to be better by this share to be named as what another choice would bring."""

Ranked = Row | Choice


def headline(
    rows: Sequence[Ranked], thresholds: Sequence[Threshold], objectives: Sequence[str], where: str = ""
) -> str:
    """What to use, or why nothing passes. `where` is the context (` on lte-drive`)."""
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
        lost = _loss(best) if _has_lost(best) else ""
        return (
            f"{best.label} is first{where} with {figure}{lost}, but {_join(undecided)} {verb} "
            f"inconclusive{ties}."
        )
    first = f"passes {required}" if thresholds else "is first"
    covered = any(threshold.metric == "loss" for threshold in thresholds) and not _has_lost(best)
    lost = "" if covered else _loss(best)
    return f"Use {best.label}{where}: it {first} with {figure}{lost}{ties}{_change(rows, objectives)}."


def _results(row: Ranked, status: Status) -> list[str]:
    """The thresholds with this status, each with its evidence."""
    return [f"{result.threshold} ({result.evidence})" for result in row.thresholds if result.status is status]


def _has_lost(row: Ranked) -> bool:
    loss = estimates(row).get("loss")
    return loss is not None and loss.value > 0


def _loss(best: Ranked) -> str:
    """What the row loses, because latency is that of delivered messages; "" if it is not known."""
    loss = estimates(best).get("loss")
    if loss is None:
        return ""
    if loss.value > 0:
        return f"; it loses {show(loss.value, loss.unit)} of the messages"
    return " and loses nothing"


def _ties(rows: Sequence[Ranked], objectives: Sequence[str]) -> str:
    """The rows that tie with the first, and what breaks the tie; without a tie, the next row."""
    best = rows[0]
    tied = [row for row in rows[1:] if row.group == best.group]
    if not tied:
        return _next(rows, objectives[0])
    even = [row for row in tied if row.rank == best.rank]
    noisy = [row for row in tied if row.inconclusive and row not in even]
    behind = [row for row in tied if row not in even and row not in noisy]
    parts = []
    if even:
        parts.append(f"it ties with {_names(even)}: {_no_difference(objectives)}{_safer(best, even)}")
    elif behind:
        parts.append(
            f"it ties with {_names(behind)}: {_no_difference(objectives[:1])}{_decided(best, behind[0], objectives)}"
        )
    if noisy:
        parts.append(f"the comparison with {_names(noisy)} is inconclusive")
    return "".join(f"; {part}" for part in parts)


def _no_difference(objectives: Sequence[str]) -> str:
    """That no objective separates rows."""
    titles = [find_metric(name).title for name in objectives]
    return f"the difference in {_join(titles, ' or ')} is not significant"


def _safer(best: Ranked, even: Sequence[Ranked]) -> str:
    """What puts the first of equal rows first: it loses less, or it promises to."""
    if any(_has_lost(row) for row in even) and not _has_lost(best):
        return ", and it loses nothing while others of them do"
    weaker = best.delivery.keeps and not all(row.delivery.keeps for row in even)
    return f", so its promise decides ({best.delivery})" if weaker else ""


def _decided(best: Ranked, other: Ranked, objectives: Sequence[str]) -> str:
    """The first further objective in which the best is better by the figures that are shown."""
    for name in objectives[1:]:
        metric = find_metric(name)
        mine, its = (estimates(row).get(name) for row in (best, other))
        if mine is None or its is None:
            return ""
        if _is_better(metric, mine, its):
            mine_shown, its_shown = show(mine.value, metric.unit), show(its.value, metric.unit)
            return f", so {metric.title} decides ({mine_shown} against {its_shown})"
    return ""


def _is_better(metric: Metric, mine: Estimate, its: Estimate, share: float = 0.0) -> bool:
    """Whether one figure is better, by a share of the other, and reads so too."""
    if show(mine.value, metric.unit) == show(its.value, metric.unit):
        return False
    if metric.lower_is_better:
        return mine.value < (1 - share) * its.value
    return mine.value > (1 + share) * its.value


def _next(rows: Sequence[Ranked], objective: str) -> str:
    best, metric = rows[0], find_metric(objective)
    rest = [row for row in rows[1:] if row.status is best.status and objective in estimates(row)]
    if not rest:
        return "; no other combination passes" if len(rows) > 1 and best.thresholds else ""
    its = estimates(rest[0])[objective]
    mine = estimates(best).get(objective)
    if mine is None or not _is_better(metric, mine, its):
        return ""
    return f"; next is {rest[0].label} with {show(its.value, metric.unit)}"


def _change(rows: Sequence[Ranked], objectives: Sequence[str]) -> str:
    """What would make another row the answer: a threshold left out, or fewer bytes on the wire."""
    best, metric = rows[0], find_metric(objectives[0])
    mine = estimates(best).get(metric.name)
    kept = [
        row for row in rows if row.status is best.status and "loss" in estimates(row) and not _has_lost(row)
    ]
    if _has_lost(best) and kept:
        return f"; if nothing may be lost, it would be {kept[0].label}"
    for row in rows:
        its = estimates(row).get(metric.name)
        failed = [result.threshold for result in row.thresholds if result.status is Status.FAIL]
        if mine and its and len(failed) == 1 and _is_better(metric, its, mine, BETTER):
            shown = show(its.value, metric.unit)
            return f"; without {failed[0]} it would be {row.label} ({shown}{_but_loses(row, best)})"
    tied = [row for row in rows if row.group == best.group and row.status is best.status]
    known = [row for row in tied if "wire_bytes" in estimates(row)]
    wire = find_metric("wire_bytes")
    if best not in known or wire.name in objectives:
        return ""
    least = min(known, key=lambda row: estimates(row)[wire.name].value)
    its, own = (estimates(row)[wire.name] for row in (least, best))
    if not _is_better(wire, its, own, BETTER):
        return ""
    sizes = f"{show(its.value, wire.unit)} instead of {show(own.value, wire.unit)}"
    return f"; by {wire.title} it would be {least.label} ({sizes}{_but_loses(least, best)})"


def _but_loses(row: Ranked, best: Ranked) -> str:
    """What a row that is spoken well of loses, or that it may lose what the best promises to keep."""
    loss = estimates(row).get("loss")
    if loss is not None and loss.value > 0:
        return f", but it loses {show(loss.value, loss.unit)}"
    return ", but it may lose messages" if best.delivery.keeps and not row.delivery.keeps else ""


def estimates(row: Ranked) -> dict[str, Estimate]:
    """The estimates that a row (or a choice, in its worst context) is judged by."""
    return row.estimates if isinstance(row, Row) else row.worst


def _figure(row: Ranked, name: str) -> str:
    estimate = estimates(row).get(name)
    return f"{find_metric(name).title} {estimate}" if estimate else f"no {find_metric(name).title}"


def _names(rows: Sequence[Ranked]) -> str:
    names = [row.label for row in rows]
    if len(names) <= MOST_NAMED:
        return _join(names)
    return f"{', '.join(names[: MOST_NAMED - 1])} and {len(names) - MOST_NAMED + 1} others"


def _join(parts: Sequence[str], last: str = " and ") -> str:
    return last.join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
