"""Texts that all views share: names of columns, a number with its interval, marks of ties."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wirelab.advice.rows import level_text
from wirelab.model.answer import Answer, Choice, Ranking, Row, Status
from wirelab.model.codec_result import CodecPlace
from wirelab.model.estimate import Estimate
from wirelab.model.metrics import METRICS, Source
from wirelab.model.metrics import metric as find_metric
from wirelab.model.note import NoteCode
from wirelab.model.result import MessagePath, Shares
from wirelab.model.study import study_of
from wirelab.model.topic import DEFAULT, fill
from wirelab.model.units import show

BATCH = "batch"
"""The wait of messages until their batch is full; a part only where there are batches."""
PARTS = ("queue", "encode", "wire", "server", "decode")
PATH = ("hosts", "serialization", "capacity", "propagation", "retransmission", "broker", "unexplained")
ON_DEVICE = tuple(name for name, metric in METRICS.items() if metric.source is Source.DEVICE)
FLOORS = "Floors, not ranked (transports alone; --rank-floors ranks them)"
NO_PATH = MessagePath()
ALWAYS = ("format", "protocol", "qos")
UNMARKED = frozenset({NoteCode.RETRIED, NoteCode.CLOCK_ERROR})
"""Notes that do not limit a row's figures. CSV and JSON have them."""


def interval(estimate: Estimate) -> str:
    """`[33.1, 41.0]`: without the unit if it is that of the value; empty for an exact value.

    `>` before the upper end: too few values to bound it from above; it is the largest seen.
    """
    if estimate.low == estimate.high and not estimate.open_above:
        return ""
    unit = _unit(show(estimate.value, estimate.unit))
    ends = [show(end, estimate.unit) for end in (estimate.low, estimate.high)]
    if all(_unit(end) == unit or float(estimate.low) == 0 == index for index, end in enumerate(ends)):
        ends = ["0" if end.startswith("0 ") else end.removesuffix(unit).rstrip() for end in ends]
    return f"[{ends[0]}, {'>' if estimate.open_above else ''}{ends[1]}]"


def _unit(shown: str) -> str:
    return "/s" if shown.endswith("/s") else shown.rpartition(" ")[2] if " " in shown else ""


def value(estimate: Estimate) -> str:
    """The value with its unit, without the interval."""
    return show(estimate.value, estimate.unit)


def figure(estimate: Estimate | None, missing: str = "-") -> str:
    """The value and its interval, if it has one; `missing` for none."""
    return " ".join(filter(None, (value(estimate), interval(estimate)))) if estimate else missing


def missing(row: Row, name: str) -> str:
    """What a cell without a figure says: an overloaded row has a backlog, not a loss."""
    return "overloaded" if row.overloaded and name == "loss" else "-"


def where(ranking: Ranking) -> str:
    """The context of a ranking: `link lte-drive, rate 10/s`; empty if there is only one."""
    return ", ".join(f"{name} {level}" for name, level in ranking.context.items())


def metrics(answer: Answer) -> list[str]:
    """The metrics worth a column: those that rank and those of thresholds first, then the usual
    ones.
    """
    known = {name for ranking in answer.rankings for row in ranking.rows for name in row.estimates}
    usual = [name for name, metric in METRICS.items() if metric.usual]
    first = [name for name in answer.asked_metrics if name not in usual]
    return [name for name in (*first, *usual) if name in known]


def title(metric: str) -> str:
    """A metric's column heading."""
    return find_metric(metric).column


def choices(answer: Answer) -> list[str]:
    """The factors worth a column: format, protocol and qos, and what else differs between rows."""
    seen: dict[str, set[str]] = {}
    for row in (row for ranking in answer.rankings for row in ranking.rows):
        for name, level in row.choice.items():
            seen.setdefault(name, set()).add(level)
    return [name for name, levels in seen.items() if name in ALWAYS or len(levels) > 1]


def contexts(answer: Answer) -> list[str]:
    """The levels of the situation (link, rate) that differ between rankings."""
    return list(dict.fromkeys(name for ranking in answer.rankings for name in ranking.context))


def letter(index: int) -> str:
    """A, B ... Z, AA, AB ...: the name of a row in the pictures."""
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = chr(65 + rest) + text
    return text


def ranks(rows: Sequence[Row | Choice | CodecPlace]) -> list[str]:
    """Each row's rank: `2=` if it is shared, `2?` if the row is inconclusive, `2!` if it has notes."""
    numbers = [row.rank for row in rows]
    return [
        f"{row.rank}{'=' * (numbers.count(row.rank) > 1)}{'?' * row.inconclusive}{'!' * has_notes(row)}"
        for row in rows
    ]


def has_notes(row: Row | Choice | CodecPlace) -> bool:
    """Whether notes limit a row's figures."""
    return isinstance(row, Row) and any(note.code not in UNMARKED for note in row.notes)


def as_sentence(text: str) -> str:
    """A part of a legend as a sentence of its own; "" for none."""
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def tie_legend(answer: Answer) -> str:
    """The meaning of a bracket at the left of rows."""
    order = f"; {title(answer.objectives[1])} orders them" if len(answer.objectives) > 1 else ""
    return f"bracketed rows tie: their difference in {title(answer.objectives[0])} is not significant{order}"


def wire_legend(answer: Answer) -> str:
    """What is in the bytes on the wire that a user's messages may have otherwise."""
    topic = fill(str(study_of(answer.meta).get("topic", DEFAULT)), 0, 1, 0)
    own = "" if topic == DEFAULT else f" {topic}"
    return f"on the wire: with a topic of {len(topic.encode())} B{own}, without connecting"


def brackets(rows: Sequence[Row | Choice | CodecPlace]) -> list[str]:
    """A bracket along each group of ties: first, middle, last."""
    groups = [row.group if row.tied else None for row in rows]
    brackets = []
    for index, group in enumerate(groups):
        before = index > 0 and groups[index - 1] == group
        after = index + 1 < len(groups) and groups[index + 1] == group
        brackets.append(
            ""
            if group is None or not (before or after)
            else "│"
            if before and after
            else "└"
            if before
            else "┌"
        )
    return brackets


def threshold_text(row: Row | Choice) -> str:
    """`pass`, or `fail` or `inconclusive` and the thresholds that are so."""
    return " ".join(filter(None, (row.status, ", ".join(thresholds_with(row, row.status)))))


def thresholds_with(row: Row | Choice, status: Status) -> list[str]:
    """The thresholds of a row that fail or are inconclusive; those that pass are not named."""
    if status is Status.PASS:
        return []
    return [result.threshold for result in row.thresholds if result.status is status]


def parts(shares: Shares, path: MessagePath = NO_PATH) -> list[tuple[str, float]]:
    """The parts of the mean latency in ns.

    Where the packets were followed, `wire` and `server` are the parts of the path. Where they were
    not and server and wire are not separable, `wire` holds both.
    """
    waited = [(BATCH, max(shares.batch, 0.0))] if shares.batch else []
    if path.messages:
        inner = [(name, getattr(path, name)) for name in PATH]
        return [
            *waited,
            ("queue", max(shares.queue, 0.0)),
            ("encode", shares.encode),
            *inner,
            ("decode", shares.decode),
        ]
    return [*waited, *((name, max(getattr(shares, name), 0.0)) for name in PARTS)]


def breakdown(shares: Shares, path: MessagePath = NO_PATH) -> list[tuple[str, str]]:
    """Each part of the mean latency with its share, 1 % and more: `("wire", "83 %")`; [] if not
    known.

    Where server and wire are not separable, their sum is named `wire+server`.
    """
    known = parts(shares, path)
    whole = sum(ns for _, ns in known)
    names = {"wire": "wire" if shares.separable else "wire+server"}
    return [
        (names.get(name, name), f"{100 * ns / whole:.0f} %") for name, ns in known if ns >= whole / 100 > 0
    ]


def delivery(row: Row, columns: Iterable[str]) -> str:
    """The name of a row without its format: `mqtt qos 1`, `coap con`."""
    named = {name: row.choice[name] for name in columns if name != "format" and name in row.choice}
    return " ".join(level_text(factor, level) for factor, level in named.items()) or row.label


def count(number: int, noun: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
