"""What all views say alike: names of columns, a number with its interval, marks of ties."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wirelab.model.answer import Answer, Choice, Held, Ranking, Row
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import METRICS, Source
from wirelab.model.result import Shares
from wirelab.model.units import show

PARTS = ("queue", "encode", "wire", "server", "decode")
ON_DEVICE = tuple(name for name, metric in METRICS.items() if metric.source is Source.DEVICE)
ALWAYS = ("format", "protocol", "qos")


def interval(estimate: Estimate) -> str:
    """`[33.1, 41.0]`: without the unit where it is the value's own; empty for an exact value.

    `>` before the upper end: too few values bound it from above, it is only the largest seen.
    """
    if estimate.low == estimate.high and not estimate.open_above:
        return ""
    unit = _unit(show(estimate.value, estimate.unit))
    ends = [show(end, estimate.unit) for end in (estimate.low, estimate.high)]
    if all(_unit(end) == unit or float(estimate.low) == 0 == index for index, end in enumerate(ends)):
        ends = ["0" if end.startswith("0 ") else end.removesuffix(unit).rstrip() for end in ends]
    return f"[{ends[0]}, {'>' if estimate.open_above else ''}{ends[1]}]"


def _unit(shown: str) -> str:
    return shown.rpartition(" ")[2]


def value(estimate: Estimate) -> str:
    """The value with its unit, without the interval: only beside the interval."""
    return show(estimate.value, estimate.unit)


def figure(estimate: Estimate | None) -> str:
    """The value and, where it has one, its interval; a dash for none."""
    return " ".join(filter(None, (value(estimate), interval(estimate)))) if estimate else "-"


def where(ranking: Ranking) -> str:
    """The context of a ranking: `link lte-drive, rate 10/s`; empty where there is only one."""
    return ", ".join(f"{name} {level}" for name, level in ranking.context.items())


def metrics(answer: Answer) -> list[str]:
    """The metrics worth a column: those that rank and those that are needed first, then the usual ones."""
    known = {name for ranking in answer.rankings for row in ranking.rows for name in row.estimates}
    usual = [name for name, metric in METRICS.items() if metric.usual]
    ranked = [*answer.objectives, *(need.metric for need in answer.needs)]
    first = [name for name in dict.fromkeys(ranked) if name not in usual]
    return [name for name in (*first, *usual) if name in known]


def title(metric: str) -> str:
    """A metric's column heading."""
    return METRICS[metric].column


def choices(answer: Answer) -> list[str]:
    """The chosen levels worth a column: format, protocol and qos, and whatever else differs between rows."""
    seen: dict[str, set[str]] = {}
    for row in (row for ranking in answer.rankings for row in ranking.rows):
        for name, level in row.choice.items():
            seen.setdefault(name, set()).add(level)
    return [name for name, levels in seen.items() if name in ALWAYS or len(levels) > 1]


def contexts(answer: Answer) -> list[str]:
    """The given levels that differ between rankings."""
    return list(dict.fromkeys(name for ranking in answer.rankings for name in ranking.context))


def letter(index: int) -> str:
    """A, B ... Z, AA, AB ...: what a row is called in the pictures."""
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = chr(65 + rest) + text
    return text


def places(rows: Sequence[Row | Choice]) -> list[str]:
    """Each row's rank: `2=` where it is shared, `2?` where the row is too noisy to be told from the best."""
    ranks = [row.rank for row in rows]
    return [
        f"{r.rank}{'=' if ranks.count(r.rank) > 1 else ''}{'?' if isinstance(r, Row) and r.unplaced else ''}"
        for r in rows
    ]


def brackets(rows: Sequence[Row | Choice]) -> list[str]:
    """A bracket along each group of ties: first, middle, last."""
    groups = [row.group if row.tied else None for row in rows]
    found = []
    for index, group in enumerate(groups):
        before = index > 0 and groups[index - 1] == group
        after = index + 1 < len(groups) and groups[index + 1] == group
        found.append(
            ""
            if group is None or not (before or after)
            else "│"
            if before and after
            else "└"
            if before
            else "┌"
        )
    return found


def needs_met(row: Row) -> str:
    """`met`, or which needs fail, or which are not shown either way."""
    for held in (Held.FAILS, Held.NOT_SHOWN):
        named = [met.need for met in row.met if met.held is held]
        if named:
            return f"{held} {', '.join(named)}"
    return "met"


def parts(shares: Shares) -> list[tuple[str, float]]:
    """The parts of the mean latency in ns. Where the server cannot be told from the wire, `wire` holds both."""
    return [(name, max(getattr(shares, name), 0.0)) for name in PARTS]


def delivery(row: Row, columns: Iterable[str]) -> str:
    """What a row is without its format: `mqtt qos 1`, `coap con`."""
    named = {name: row.choice[name] for name in columns if name != "format" and name in row.choice}
    return " ".join(f"qos {v}" if k == "qos" and v.isdigit() else v for k, v in named.items()) or row.label


def count(number: int, noun: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
