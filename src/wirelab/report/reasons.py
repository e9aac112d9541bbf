"""Why rows do not meet the needs, and why combinations or some of their trials are no evidence: a line for each reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from wirelab.model.answer import Answer, Held, Need, Ranking, Row
from wirelab.report import cells

MOST_NAMED = 3


def failures(ranking: Ranking, needs: Sequence[Need], columns: Sequence[str]) -> list[str]:
    """Why rows do not meet the needs: what fails by way of delivery, what is not shown in one line for each need.

    `coap non: lost 4.8 % fails loss=0 (6 rows)`. Rows that fail a need are not told again for what they do not show.
    """
    metric = {need.text: need.metric for need in needs}
    fails: dict[tuple[str, str], list[Row]] = {}
    unknown: dict[str, list[Row]] = {}
    for row in ranking.rows:
        for met in row.met:
            if not metric.get(met.need):
                continue
            if met.held is Held.FAILS:
                fails.setdefault((cells.delivery(row, columns), met.need), []).append(row)
            elif met.held is Held.NOT_SHOWN and row.held is not Held.FAILS:
                unknown.setdefault(met.need, []).append(row)
    lines = list(_without_figure(ranking.rows, [need.text for need in needs if not need.metric]))
    lines += [
        f"{name}: {_range(rows, metric.get(need, ''))}fails {need} ({cells.count(len(rows), 'row')})"
        for (name, need), rows in fails.items()
    ]
    for need, rows in unknown.items():
        names = _named(list(dict.fromkeys(cells.delivery(row, columns) for row in rows)))
        figures = _range(rows, metric.get(need, ""))
        lines.append(f"{names}: {figures}does not show {need} ({cells.count(len(rows), 'row')})")
    return lines


def _without_figure(rows: Sequence[Row], needs: Sequence[str]) -> Iterator[str]:
    """Needs that are met or not without a figure (that a format runs on the device), by reason."""
    for need in needs:
        found = Counter((met.held, met.why) for row in rows for met in row.met if met.need == need)
        for (held, why), number in found.items():
            if held is not Held.HOLDS:
                verb = "fails" if held is Held.FAILS else "does not show"
                yield f"{why}: {verb} {need} ({cells.count(number, 'row')})"


def _range(rows: Sequence[Row], metric: str) -> str:
    known = [row.estimates[metric] for row in rows if metric in row.estimates]
    if not known:
        return ""
    ends = [cells.value(pick(known, key=lambda estimate: estimate.value)) for pick in (min, max)]
    span = cells.figure(known[0]) if len(known) == 1 else " to ".join(dict.fromkeys(ends))
    return f"{cells.title(metric)} {span} "


def excluded(answer: Answer) -> list[str]:
    """Why combinations have no valid trial, one line for each reason."""
    found: list[tuple[str, str, dict[str, str]]] = []
    for one in answer.excluded:
        told = "; ".join(one.tally.reasons) or ("not measured yet" if one.tally.missing else "no valid trial")
        found.append((told, one.label, one.levels))
    return _grouped(found, answer)


def blemished(answer: Answer) -> list[str]:
    """Why some trials of ranked rows are no evidence, one line for each reason."""
    rows = (row for ranking in answer.rankings for row in ranking.rows if row.tally.reasons)
    return _grouped([("; ".join(row.tally.reasons), row.label, row.levels) for row in rows], answer)


def _grouped(told: Iterable[tuple[str, str, dict[str, str]]], answer: Answer) -> list[str]:
    """Combinations by reason; where each stands only if it is not so in every context."""
    given, everywhere = cells.contexts(answer), len(answer.rankings)
    found: dict[str, dict[str, list[str]]] = {}
    for reason, label, levels in told:
        where = " ".join(levels[name] for name in given if name in levels)
        found.setdefault(reason, {}).setdefault(label, []).append(where)
    lines = []
    for reason, labels in found.items():
        number = sum(map(len, labels.values()))
        names = [
            f"{label} at {', '.join(places)}" if any(places) and len(places) < everywhere else label
            for label, places in labels.items()
        ]
        lines.append(f"{reason} ({cells.count(number, 'combination')}: {_named(names)})")
    return lines


def _named(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    shown = ", ".join(names[:MOST_NAMED])
    return shown if len(names) <= MOST_NAMED else f"{shown} and {len(names) - MOST_NAMED} more"
