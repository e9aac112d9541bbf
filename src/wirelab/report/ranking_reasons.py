"""Why rows do not meet the needs, and why combinations or some of their trials are no evidence: a line for each reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from wirelab.model.answer import Answer, Held, Need, Ranking, Row
from wirelab.report import cell_text

MOST_NAMED = 3
# A figure with its unit: other numbers in a reason are names, or counts of something.
FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?(?= (?:%|(?:ns|us|ms|s)\b))")


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
                fails.setdefault((cell_text.delivery(row, columns), met.need), []).append(row)
            elif met.held is Held.NOT_SHOWN and row.held is not Held.FAILS:
                unknown.setdefault(met.need, []).append(row)
    lines = list(_without_figure(ranking.rows, [need.text for need in needs if not need.metric]))
    lines += [
        f"{name}: {_range(rows, metric.get(need, ''))}fails {need} ({cell_text.count(len(rows), 'row')})"
        for (name, need), rows in fails.items()
    ]
    for need, rows in unknown.items():
        names = _named(list(dict.fromkeys(cell_text.delivery(row, columns) for row in rows)))
        figures = _range(rows, metric.get(need, ""))
        lines.append(f"{names}: {figures}does not show {need} ({cell_text.count(len(rows), 'row')})")
    return lines


def _without_figure(rows: Sequence[Row], needs: Sequence[str]) -> Iterator[str]:
    """Needs that are met or not without a figure (that a format runs on the device), by reason."""
    for need in needs:
        found = Counter((met.held, met.why) for row in rows for met in row.met if met.need == need)
        for (held, why), number in found.items():
            if held is not Held.HOLDS:
                verb = "fails" if held is Held.FAILS else "does not show"
                yield f"{why}: {verb} {need} ({cell_text.count(number, 'row')})"


def _range(rows: Sequence[Row], metric: str) -> str:
    known = [row.estimates[metric] for row in rows if metric in row.estimates]
    if not known:
        return ""
    ends = [cell_text.value(pick(known, key=lambda estimate: estimate.value)) for pick in (min, max)]
    span = cell_text.figure(known[0]) if len(known) == 1 else " to ".join(dict.fromkeys(ends))
    return f"{cell_text.title(metric)} {span} "


def excluded(answer: Answer) -> list[str]:
    """Why combinations have no valid trial, one line for each reason."""
    found: list[_Told] = []
    for one in answer.excluded:
        told = one.tally.reasons or ("not measured yet" if one.tally.missing else "no valid trial",)
        found.append((told, one.label, one.levels))
    return _grouped(found, answer)


def blemished(answer: Answer) -> list[str]:
    """Why some trials of ranked rows are no evidence, one line for each reason."""
    rows = (row for ranking in answer.rankings for row in ranking.rows if row.tally.reasons)
    return _grouped([(row.tally.reasons, row.label, row.levels) for row in rows], answer)


_Told = tuple[Sequence[str], str, dict[str, str]]
"""Reasons, and the label and levels of the combination that has them."""


def _grouped(told: Iterable[_Told], answer: Answer) -> list[str]:
    """Combinations by reasons that differ in their figures at most; where each stands only if it is not so in every context."""
    given, everywhere = cell_text.contexts(answer), len(answer.rankings)
    found: dict[tuple[str, ...], dict[str, list[str]]] = {}
    alike: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for reasons, label, levels in told:
        where = " ".join(levels[name] for name in given if name in levels)
        shapes = [FIGURE.sub("#", reason) for reason in reasons]
        kinds = tuple(sorted(set(shapes)))
        found.setdefault(kinds, {}).setdefault(label, []).append(where)
        for shape, reason in zip(shapes, reasons, strict=True):
            alike.setdefault(kinds, {}).setdefault(shape, []).append(reason)
    lines = []
    for kinds, labels in found.items():
        number = sum(map(len, labels.values()))
        names = [
            f"{label} at {', '.join(places)}" if any(places) and len(places) < everywhere else label
            for label, places in labels.items()
        ]
        told_once = "; ".join(map(_spanned, alike[kinds].values()))
        lines.append(f"{told_once} ({cell_text.count(number, 'combination')}: {_named(names)})")
    return lines


def _spanned(alike: Sequence[str]) -> str:
    """Reasons that differ in their figures at most as one: `14.2 to 66.1 ms late`."""
    spans = iter([_span(figures) for figures in zip(*map(FIGURE.findall, alike), strict=True)])
    return FIGURE.sub(lambda _: next(spans), alike[0])


def _span(figures: Sequence[str]) -> str:
    ends = [pick(figures, key=lambda text: float(text.replace(",", ""))) for pick in (min, max)]
    return " to ".join(dict.fromkeys(ends))


def _named(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    shown = ", ".join(names[:MOST_NAMED])
    return shown if len(names) <= MOST_NAMED else f"{shown} and {len(names) - MOST_NAMED} more"
