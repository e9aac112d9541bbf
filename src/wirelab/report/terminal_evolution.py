"""The result of `wirelab schema evolve` in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from wirelab.model.evolution import Compatibility, Direction, Evolution, ReaderResult, ValueDifference
from wirelab.report.terminal_table import Column, print_table
from wirelab.report.terminal_text import headed, print_list

STYLES = {
    Compatibility.OK: "green",
    Compatibility.LOSES: "yellow",
    Compatibility.MISREAD: "bold red",
    Compatibility.FAILS: "red",
    Compatibility.SKIPPED: "dim",
}
MOST = 3


def print_evolution(evolution: Evolution, console: Console) -> None:
    """Print what changed, and a table for each direction."""
    print_list(console, f"{evolution.old} -> {evolution.new}:", evolution.changes)
    for direction in evolution.directions:
        _direction(direction, console)


def _direction(direction: Direction, console: Console) -> None:
    headed(console, f"{direction.writer} writer, {direction.reader} reader, {direction.messages} messages")
    about = {
        "the reader does not know": direction.unread,
        "the writer does not write": direction.absent,
    }
    for fact, paths in about.items():
        if paths:
            console.print(Text(f"{fact}: {', '.join(paths)}"))
    rows = direction.results
    print_table(
        console,
        [
            Column("codec", [Text(row.codec) for row in rows]),
            Column("verdict", [Text(row.verdict, style=STYLES[row.verdict]) for row in rows]),
            Column(
                "bytes", [Text(f"{row.bytes:.1f} B" if row.messages else "-") for row in rows], 2, right=True
            ),
            Column("values kept", [Text(_kept(row)) for row in rows], 1, right=True),
            Column("what", [Text(what(row)) for row in rows], wrap=True),
        ],
    )


def _kept(row: ReaderResult) -> str:
    return f"{row.kept:,} of {row.values:,}" if row.messages else "-"


def what(row: ReaderResult) -> str:
    """What the reader did not get, in one line."""
    found = _differences(row.differences)
    if row.failed:
        found = [f"{row.failed} of {row.messages} refused: {row.reason}", *found]
    elif row.reason:
        found = [row.reason]
    return "; ".join(found)


def _differences(differences: Sequence[ValueDifference]) -> list[str]:
    worst = sorted(differences, key=lambda one: one.kind != "misread")
    more = [f"and {len(worst) - MOST} more"] if len(worst) > MOST else []
    return [*map(_difference, worst[:MOST]), *more]


def _difference(one: ValueDifference) -> str:
    if one.kind == "missing":
        return f"{one.path} is missing"
    if one.kind == "default":
        return f"{one.path} reads {one.read} although it was not written"
    if one.kind == "rounded":
        return f"{one.path} is rounded: {one.written} reads {one.read}"
    return f"{one.path}: {one.written} reads {one.read}"
