"""Which rows fail thresholds, and why trials are invalid: one line for each reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from wirelab.model.answer import (
    Answer,
    Ranking,
    Row,
    Status,
    Tally,
    Threshold,
    ThresholdResult,
    VerdictCount,
)
from wirelab.model.note import NoteCode, RowNote, merged
from wirelab.model.reason import sentence
from wirelab.report import cell_text

MOST_NAMED = 3


def failed(answer: Answer, ranking: Ranking) -> list[str]:
    """Which rows fail a threshold, in one line for each delivery mode and threshold.

    `coap non: lost 4.8 % fails loss=0 (6 rows)`.
    """
    columns = cell_text.choices(answer)
    rows: dict[tuple[str, Threshold], list[Row]] = {}
    for row, threshold, _ in _results(answer, ranking, Status.FAIL):
        rows.setdefault((cell_text.delivery(row, columns), threshold), []).append(row)
    return [
        *_on_device(answer, ranking, Status.FAIL, "fails"),
        *(f"{name}: {_line(found, threshold, 'fails')}" for (name, threshold), found in rows.items()),
    ]


def inconclusive(answer: Answer, ranking: Ranking) -> list[str]:
    """Which rows are inconclusive, one line for each threshold; rows that fail another are left
    out.
    """
    columns = cell_text.choices(answer)
    rows: dict[Threshold, list[Row]] = {}
    for row, threshold, _ in _results(answer, ranking, Status.INCONCLUSIVE):
        if row.status is not Status.FAIL:
            rows.setdefault(threshold, []).append(row)
    lines = _on_device(answer, ranking, Status.INCONCLUSIVE, "is inconclusive for")
    for threshold, found in rows.items():
        names = _named(list(dict.fromkeys(cell_text.delivery(row, columns) for row in found)))
        lines.append(f"{names}: {_line(found, threshold, 'is inconclusive for')}")
    return lines


def notes(answer: Answer, ranking: Ranking) -> list[str]:
    """The notes of rows and floors, in one line for each kind of note.

    `rate missed: 4.10/s to 4.40/s instead of 5.00/s ...: 6 of 28 rows, e.g. mqtt qos 0 (2 rows)`.
    """
    rows, columns = (*ranking.rows, *ranking.floors), cell_text.choices(answer)
    kinds: dict[tuple[str, ...], list[tuple[Row, RowNote]]] = {}
    for row in rows:
        for note in row.notes:
            if note.code not in cell_text.UNMARKED:
                kinds.setdefault(_kind(note), []).append((row, note))
    return [_noted(alike, columns, len(rows)) for alike in kinds.values()]


def why(answer: Answer, ranking: Ranking) -> list[str]:
    """The reason for the latency of the best row of each delivery mode, one line for each."""
    columns = cell_text.choices(answer)
    best: dict[str, Row] = {}
    for row in ranking.rows:
        best.setdefault(cell_text.delivery(row, columns), row)
    return [f"{row.label}: {row.why.text}" for row in best.values() if row.why is not None]


def _kind(note: RowNote) -> tuple[str, ...]:
    """What notes of one line share. Latency that rose and latency that fell are one kind."""
    steady = note.code is not NoteCode.NO_STEADY_STATE
    return (note.code, note.what, *note.spans, *([note.why] if steady else []))


def _noted(alike: Sequence[tuple[Row, RowNote]], columns: Sequence[str], rows: int) -> str:
    """A kind of note with the rows that have it, of so many."""
    own = {tuple(row.levels.items()): row for row, _ in alike}
    why = " or ".join(dict.fromkeys(note.why for _, note in alike))
    trials = sum(len(row.trials) for row in own.values())
    (one,) = merged((replace(note, why=why) for _, note in alike), trials)
    if len(own) == 1:
        return f"{alike[0][0].label}: {one.text}"
    deliveries: dict[str, list[str]] = {}
    for row in own.values():
        deliveries.setdefault(cell_text.delivery(row, columns), []).append(row.label)
    names = [
        labels[0] if len(labels) == 1 else f"{name} ({len(labels)} rows)"
        for name, labels in deliveries.items()
    ]
    such = "e.g. " if len(names) > MOST_NAMED else ""
    return f"{one.text}: {len(own)} of {rows} rows, {such}{', '.join(names[:MOST_NAMED])}"


def _results(
    answer: Answer, ranking: Ranking, status: Status, of_metric: bool = True
) -> Iterator[tuple[Row, Threshold, ThresholdResult]]:
    """Rows and thresholds with this status, those about a metric or those about the device alone."""
    thresholds = {one.text: one for one in answer.thresholds if bool(one.metric) is of_metric}
    for row in ranking.rows:
        for result in row.thresholds:
            if result.status is status and result.threshold in thresholds:
                yield row, thresholds[result.threshold], result


def _on_device(answer: Answer, ranking: Ranking, status: Status, verb: str) -> list[str]:
    """That formats do not run on the device, by reason."""
    results = _results(answer, ranking, status, of_metric=False)
    reasons = Counter((result.evidence, threshold.text) for _, threshold, result in results)
    return [
        f"{evidence}: {verb} {text} ({cell_text.count(rows, 'row')})"
        for (evidence, text), rows in reasons.items()
    ]


def _line(rows: Sequence[Row], threshold: Threshold, verb: str) -> str:
    return f"{_range(rows, threshold.metric)}{verb} {threshold.text} ({cell_text.count(len(rows), 'row')})"


def _range(rows: Sequence[Row], metric: str) -> str:
    known = [row.estimates[metric] for row in rows if metric in row.estimates]
    if not known:
        return ""
    ends = [cell_text.value(pick(known, key=lambda estimate: estimate.value)) for pick in (min, max)]
    span = cell_text.figure(known[0]) if len(known) == 1 else " to ".join(dict.fromkeys(ends))
    return f"{cell_text.title(metric)} {span} "


def floors(answer: Answer, ranking: Ranking) -> list[str]:
    """The best row of each transport alone, one line for each.

    `tcp stream: latency p50 40.5 ms [21.1, 59.8], on the wire 1,231 B (protobuf/prost)`.
    """
    columns = cell_text.choices(answer)
    best: dict[str, Row] = {}
    for row in ranking.floors:
        best.setdefault(cell_text.delivery(row, columns), row)
    return [f"{name}: {_figures(row)}" for name, row in best.items()]


def _figures(row: Row) -> str:
    names = ("latency_p50", "loss", "wire_bytes")
    shown = ", ".join(
        f"{cell_text.title(name)} {cell_text.figure(row.estimates.get(name), cell_text.missing(row, name))}"
        for name in names
        if name in row.estimates or row.overloaded
    )
    return f"{shown} ({row.choice['format']})" if row.choice.get("format") else shown


def excluded(answer: Answer) -> list[str]:
    """Why combinations have no valid trial, one line for each reason."""
    return _grouped([(one.tally, one.label, one.levels) for one in answer.excluded], answer)


def partly_invalid(answer: Answer) -> list[str]:
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
            f"{label} at {', '.join(contexts_of)}"
            if any(contexts_of) and len(contexts_of) < everywhere
            else label
            for label, contexts_of in labels.items()
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
