"""The codec table and the size preview in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rich.console import Console
from rich.table import Table
from rich.text import Text

from wirelab.model.answer import CodecRow
from wirelab.model.codec_result import HEADLINE, TOTAL
from wirelab.model.estimate import Estimate
from wirelab.report import extra_metrics
from wirelab.report.codec_cells import ACCESS, CROSSING, crossings, not_carried, ordered, size
from wirelab.report.terminal_text import figure, headed, plain_table

__all__ = ["codec_table", "preview_text", "print_codecs"]


def codec_table(rows: Sequence[CodecRow], one_line: bool = True, by: str = TOTAL) -> Table:
    """One line per codec: size, the two headline times and their sum, with intervals."""
    table = plain_table()
    table.add_column("codec", overflow="fold")
    crossed, sized = crossings(rows), "size, mean (min to max)" if one_line else "size, mean\n(min to max)"
    for heading in (sized, *HEADLINE, "both", *crossed):
        table.add_column(heading, justify="right")
    for row in ordered(rows, by):
        times = [figure(row.phases.get(name), one_line) for name in HEADLINE]
        table.add_row(
            Text(f"{row.codec} {row.version}".rstrip()),  # a setting in brackets is no markup
            size(row.bytes, one_line) if row.bytes.n else "-",
            *times,
            figure(row.total, one_line),
            *(figure(row.phases.get(name), one_line) for name in crossed),
        )
    return table


def print_codecs(rows: Sequence[CodecRow], console: Console, by: str = TOTAL) -> None:
    """Print the codec table, what only opens a message without reading it, and what is not carried."""
    console.print(codec_table(rows, one_line=console.width >= 120, by=by))
    if crossed := crossings(rows):
        _section(console, f"{', '.join(crossed)}:", [CROSSING])
    for found in extra_metrics.tables(rows):
        _section(console, found.title, [found.about])
        console.print(_text_table(found.headings, found.lines, found.left))
    if missing := extra_metrics.skipped(rows):
        _section(console, "Without a figure:", missing)
    opened = [line for row in rows for line in _access(row)]
    if opened:
        _section(console, "Access alone, nothing read (not comparable with deserialize):", opened)
    broken = [f"{row.codec}: does not give the messages back" for row in rows if not row.round_trip]
    lost = not_carried(rows)
    if broken or lost:
        _section(console, "Not carried:", broken + lost)
    noted = [f"{row.codec}: {note}" for row in rows for note in row.notes]
    if noted:
        _section(console, "To know:", noted)


def _text_table(headings: Sequence[str], lines: Sequence[Sequence[str]], left: int) -> Table:
    shown = plain_table()
    for index, heading in enumerate(headings):
        shown.add_column(heading, justify="left" if index < left else "right", overflow="fold")
    for line in lines:
        shown.add_row(*map(Text, line))
    return shown


def _access(row: CodecRow) -> list[str]:
    return [
        f"{row.codec}: {row.phases[name]} ({word})" for name, word in ACCESS.items() if name in row.phases
    ]


def _section(console: Console, title: str, lines: Sequence[str]) -> None:
    headed(console, title)
    for line in lines:
        console.print(Text("  " + line))


class Preview(Protocol):
    """A format's size for each message looked at; empty where only the compiled codec can tell."""

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
