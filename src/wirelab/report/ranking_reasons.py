"""Why rows do not meet the needs, and why combinations or some of their trials are no evidence: a line for each reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from wirelab.model.answer import Answer, Held, Need, Ranking, Row, Tally, VerdictCount
from wirelab.model.reason import sentence
from wirelab.report import cell_text

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
    return _grouped([(one.tally, one.label, one.levels) for one in answer.excluded], answer)


def blemished(answer: Answer) -> list[str]:
    """Why some trials of ranked rows are not valid, one line for each reason."""
    rows = (row for ranking in answer.rankings for row in ranking.rows if row.tally.reasons)
    return _grouped([(row.tally, row.label, row.levels) for row in rows], answer)


def _grouped(tallies: Iterable[tuple[Tally, str, dict[str, str]]], answer: Answer) -> list[str]:
    """Combinations, by label and levels, by their kinds of reasons.

    The contexts of a combination are named where the reasons are not those of every context.
    """
    given, everywhere = cell_text.contexts(answer), len(answer.rankings)
    contexts: dict[tuple[object, ...], dict[str, list[str]]] = {}
    alike: dict[tuple[object, ...], list[Tally]] = {}
    for tally, label, levels in tallies:
        context = " ".join(levels[name] for name in given if name in levels)
        key = (
            tally.missing > 0 and not tally.reasons,
            *((count.state, count.trials > 1, count.reasons[0].kind) for count in tally.reasons),
        )
        contexts.setdefault(key, {}).setdefault(label, []).append(context)
        alike.setdefault(key, []).append(tally)
    lines = []
    for key, labels in contexts.items():
        number = sum(map(len, labels.values()))
        names = [
            f"{label} at {', '.join(places)}" if any(places) and len(places) < everywhere else label
            for label, places in labels.items()
        ]
        lines.append(f"{_why(alike[key])} ({cell_text.count(number, 'combination')}: {_named(names)})")
    return lines


def _why(tallies: Sequence[Tally]) -> str:
    """The reasons of combinations that differ in their figures at most."""
    if not tallies[0].reasons:
        return "not measured yet" if tallies[0].missing else "no valid trial"
    columns = zip(*(tally.reasons for tally in tallies), strict=True)
    return "; ".join(
        f"{counts[0].state}: {sentence([reason for count in counts for reason in count.reasons])}{_times(counts)}"
        for counts in columns
    )


def _times(counts: Sequence[VerdictCount]) -> str:
    ends = dict.fromkeys(str(pick(count.trials for count in counts)) for pick in (min, max))
    return "" if list(ends) == ["1"] else f" ({' to '.join(ends)} times)"


def _named(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    shown = ", ".join(names[:MOST_NAMED])
    return shown if len(names) <= MOST_NAMED else f"{shown} and {len(names) - MOST_NAMED} more"
