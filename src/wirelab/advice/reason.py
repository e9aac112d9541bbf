"""The answer in one sentence of plain words, with its numbers and its ties."""

from __future__ import annotations

from collections.abc import Sequence

from wirelab.model.answer import Choice, Held, Need, Row
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import METRICS
from wirelab.model.units import show

MOST_NAMED = 3
"""Ties beyond these are counted, not named."""


def reason(
    rows: Sequence[Row | Choice], needs: Sequence[Need], objectives: Sequence[str], where: str = ""
) -> str:
    """Why the first row is first, or why none is. `where` is the context in words (`on lte-drive`)."""
    if not rows:
        return f"Nothing could be measured{where}: no combination has a valid trial."
    best = rows[0]
    if best.held is Held.FAILS:
        return _none_meets(best, needs, objectives[0], where)
    asked = _words([need.text for need in needs])
    if best.held is Held.NOT_SHOWN:
        open_ = [f"{met.need} is not shown ({met.why})" for met in best.met if met.held is Held.NOT_SHOWN]
        start = f"{best.label} comes first{where} with {_figure(best, objectives[0])}, but {_words(open_)}"
        return f"{start}{_ties(rows, objectives)}."
    meets = f"meets {asked}{where} with" if needs else f"is first{where} with"
    return (
        f"{best.label} {meets} {_figure(best, objectives[0])}{_losing(best, needs)}{_ties(rows, objectives)}."
    )


def _losing(best: Row | Choice, needs: Sequence[Need]) -> str:
    """Losses nobody asked about: latency is of the messages that arrived."""
    loss = estimates(best).get("loss")
    if loss is None or loss.value == 0 or any(need.metric == "loss" for need in needs):
        return ""
    return f", losing {show(loss.value, loss.unit)} of the messages"


def _ties(rows: Sequence[Row | Choice], objectives: Sequence[str]) -> str:
    """What the second row says: a tie that nothing breaks, a tie that another objective breaks, or the distance."""
    best, title = rows[0], METRICS[objectives[0]].title
    tied = [row for row in rows[1:] if row.group == best.group]
    if not tied:
        return _ahead(rows, objectives[0])
    even = [row for row in tied if row.rank == best.rank]
    if even:
        return f"; a tie with {_named(even)}: {title} does not separate them" + (
            f", nor does {_words([METRICS[name].title for name in objectives[1:]])}" if objectives[1:] else ""
        )
    told = f"; {title} does not separate it from {_named(tied)}"
    second = objectives[1] if len(objectives) > 1 else ""
    mine, other = (estimates(row).get(second) for row in (best, tied[0]))
    if mine is None or other is None:
        return told
    unit = METRICS[second].unit
    return f"{told}, so {METRICS[second].title} decides: {show(mine.value, unit)} against {show(other.value, unit)}"


def _ahead(rows: Sequence[Row | Choice], objective: str) -> str:
    best, unit = rows[0], METRICS[objective].unit
    rest = [row for row in rows[1:] if row.held is best.held and objective in estimates(row)]
    if not rest:
        return "; no other combination does" if len(rows) > 1 and best.met else ""
    return f"; next is {rest[0].label} with {show(estimates(rest[0])[objective].value, unit)}"


def _none_meets(best: Row | Choice, needs: Sequence[Need], objective: str, where: str) -> str:
    failed = [f"{met.need} ({met.why})" for met in best.met if met.held is Held.FAILS]
    asked = _words([need.text for need in needs])
    return (
        f"No combination meets {asked}{where}; first among the rest is {best.label} with "
        f"{_figure(best, objective)}, which fails {_words(failed)}."
    )


def estimates(row: Row | Choice) -> dict[str, Estimate]:
    """The estimates that a row (or a choice, in its worst context) is judged by."""
    return row.estimates if isinstance(row, Row) else row.worst


def _figure(row: Row | Choice, name: str) -> str:
    estimate = estimates(row).get(name)
    return f"{METRICS[name].title} {estimate}" if estimate else f"no {METRICS[name].title}"


def _named(rows: Sequence[Row | Choice]) -> str:
    names = [row.label for row in rows]
    if len(names) <= MOST_NAMED:
        return _words(names)
    return f"{', '.join(names[: MOST_NAMED - 1])} and {len(names) - MOST_NAMED + 1} others"


def _words(parts: Sequence[str]) -> str:
    return " and ".join(", ".join(parts).rsplit(", ", 1)) if len(parts) > 1 else "".join(parts)
