"""The codec table and the size preview in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rich.console import Console
from rich.text import Text

from wirelab.advice.codec_ranking import codec_headline
from wirelab.model.answer import CodecRow
from wirelab.model.codec_result import HEADLINE, TOTAL
from wirelab.model.estimate import Estimate
from wirelab.report import extra_metrics
from wirelab.report.codec_cells import (
    ACCESS,
    CROSSING,
    crossings,
    legend,
    not_carried,
    places,
    ratio,
    size,
)
from wirelab.report.terminal_table import Column, print_table, table_width, width
from wirelab.report.terminal_text import figure, headed

__all__ = ["codec_columns", "preview_text", "print_codecs"]


def codec_columns(ranked: Sequence[CodecRow], one_line: bool, by: str) -> list[Column]:
    """Size, the two headline times and their sum, with intervals; what orders the rows stays at
    every width.
    """
    crossed = crossings(ranked)
    names = [Text(row.codec) for row in ranked]
    sizes = [Text(size(row.bytes, one_line) if row.bytes.n else "-") for row in ranked]
    heading = "size, mean (min to max)" if one_line else "size, mean\n(min to max)"

    def times(name: str, drop: int) -> Column:
        texts = [figure(row.phases.get(name), one_line) for row in ranked]
        return Column(name, texts, 0 if name == by else drop, right=True)

    languages = [Text(row.language) for row in ranked]
    several = len({row.language for row in ranked}) > 1
    marks = Column("", [Text(place) for place in places(ranked)])
    ratios = Column("ratio", [figure(ratio(row), one_line) for row in ranked], 1, right=True)
    compared = sum(row.place is not None for row in ranked) > 1
    return [
        *([marks] if compared else []),
        Column("codec", names),
        *([Column("language", languages, 3)] if several else []),
        Column("version", [Text(row.version) for row in ranked], 4),
        Column(heading, sizes, 0 if by == "size" else 1, right=True),
        *(times(name, 2) for name in HEADLINE),
        Column("both", [figure(row.total, one_line) for row in ranked], 0 if by == TOTAL else 1, right=True),
        *(times(name, 3) for name in crossed),
        *([ratios] if compared else []),
    ]


def print_codecs(ranked: Sequence[CodecRow], console: Console, by: str = TOTAL) -> None:
    """Print the first codec in a sentence, the codec table, access without reading, and losses."""
    if headline := codec_headline(ranked, by):
        console.print(Text(headline, style="bold"))
        console.print()
    wide = codec_columns(ranked, one_line=True, by=by)
    print_table(
        console,
        wide if width(wide) <= table_width(console) else codec_columns(ranked, one_line=False, by=by),
    )
    if said := legend(ranked, by):
        console.print(Text(said, style="dim"))
    if crossed := crossings(ranked):
        _section(console, f"{', '.join(crossed)}:", [CROSSING])
    for found in extra_metrics.tables(ranked):
        _section(console, found.title, [found.about])
        print_table(console, _text_columns(found.headings, found.lines, found.left))
    if missing := extra_metrics.skipped(ranked):
        _section(console, "Without a figure:", missing)
    opened = [line for row in ranked for line in _access(row)]
    if opened:
        _section(console, "Access alone, nothing read (not comparable with deserialize):", opened)
    broken = [f"{row.codec}: does not give the messages back" for row in ranked if not row.round_trip]
    lost = not_carried(ranked)
    if broken or lost:
        _section(console, "Not carried:", broken + lost)
    noted = [f"{row.codec}: {note}" for row in ranked for note in row.notes]
    if noted:
        _section(console, "Warnings:", noted)


def _text_columns(headings: Sequence[str], lines: Sequence[Sequence[str]], left: int) -> list[Column]:
    """Columns of texts; of the figures the last are left out first, and one stays."""
    return [
        Column(heading, list(map(Text, texts)), max(0, at - left), right=at >= left)
        for at, (heading, texts) in enumerate(zip(headings, zip(*lines, strict=True), strict=True))
    ]


def _access(row: CodecRow) -> list[str]:
    return [
        f"{row.codec}: {row.phases[name]} ({word})" for name, word in ACCESS.items() if name in row.phases
    ]


def _section(console: Console, title: str, lines: Sequence[str]) -> None:
    headed(console, title)
    for line in lines:
        console.print(Text("  " + line))


class Preview(Protocol):
    """A format's size for each sampled message; empty if only the compiled codec can determine it."""

    @property
    def format(self) -> str: ...
    @property
    def per_message(self) -> tuple[int, ...]: ...


def preview_text(previews: Sequence[Preview]) -> str:
    """Sizes by format, smallest first, as they are known before any codec is compiled."""
    sizes = {one.format: _spread(one.per_message) for one in previews if one.per_message}
    wide = max(map(len, sizes), default=0)
    order = sorted(sizes, key=lambda name: sizes[name].value)
    lines = [f"  {name:<{wide}}  {size(sizes[name])}" for name in order]
    pending = [one.format for one in previews if not one.per_message]
    lines += [f"  known once compiled: {', '.join(pending)}"] if pending else []
    return "\n".join(["bytes per message before compiling, mean (min to max):", *lines])


def _spread(sizes: Sequence[int]) -> Estimate:
    return Estimate(sum(sizes) / len(sizes), min(sizes), max(sizes), "B", 1, len(sizes), "least to most")
