"""Tables in a terminal: columns that do not fit are left out and named below; a pipe gets whole
lines.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace
from rich import box
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

# Characters between columns.
GAP = 2
# As wide as any table: nothing is left out, no line is broken.
WHOLE = 100_000
PIPE_WIDTH = 120
# A column that wraps is not made narrower than this.
NARROWEST = 16


class Column(Struct, frozen=True):
    """A column and one text per row.

    `drop`: 0 stays at every width, else the highest number is left out first. `wrap`: its texts may
    be broken between words. `least`: its least width, where other tables have the same column.
    """

    title: str
    texts: Sequence[Text]
    drop: int = 0
    right: bool = False
    wrap: bool = False
    least: int = 0

    @property
    def width(self) -> int:
        """The widest line in it, in characters."""
        lines = [self.title, *(text.plain for text in self.texts)]
        return max(self.least, *(len(line) for text in lines for line in text.split("\n")))


class PipeConsole(Console):
    """Where lines are read by a program or a pager: text is wrapped, tables are whole."""


def plain_console(width: int | None = None) -> Console:
    """Where answers are printed: colours only in a terminal and without NO_COLOR."""
    console = Console(width=width, highlight=False)
    if width is None and not console.is_terminal and "COLUMNS" not in os.environ:
        return PipeConsole(width=PIPE_WIDTH, highlight=False)
    return console


def table_width(console: Console) -> int:
    """The characters that a table may take."""
    return WHOLE if isinstance(console, PipeConsole) else console.width


def width(columns: Sequence[Column]) -> int:
    """What columns take side by side, in characters."""
    return sum(column.width + GAP for column in columns) - GAP


def fitted(columns: Sequence[Column], most: int) -> tuple[list[Column], list[str]]:
    """The columns that fit into `most` characters, and the titles of the others."""
    kept, dropped = list(columns), list[str]()
    while True:
        shown = _wrapped(kept, most)
        if width(shown) <= most or not any(column.drop for column in kept):
            return shown, dropped[::-1]
        last = max(kept, key=lambda column: column.drop)
        kept = [column for column in kept if column is not last]
        dropped.append(last.title)


def _wrapped(columns: Sequence[Column], most: int) -> list[Column]:
    """The columns with those that wrap as narrow as needed, the widest first, as far as their words
    allow.
    """
    widths = [column.width for column in columns]
    least = [_narrowest(column) if column.wrap else column.width for column in columns]
    excess = sum(widths) + GAP * (len(widths) - 1) - most
    while excess > 0:
        able = [at for at, wide in enumerate(widths) if wide > least[at]]
        if not able:
            break
        widths[max(able, key=widths.__getitem__)] -= 1
        excess -= 1
    return [
        column
        if wide == column.width
        else replace(column, texts=[_fill(text, wide) for text in column.texts])
        for column, wide in zip(columns, widths, strict=True)
    ]


def _narrowest(column: Column) -> int:
    words = (len(word) for text in column.texts for word in text.plain.split())
    return min(column.width, max(NARROWEST, len(column.title), *words))


def _fill(text: Text, wide: int) -> Text:
    filled = textwrap.fill(text.plain, wide, break_long_words=False, break_on_hyphens=False)
    return Text(filled, style=text.style)


def draw(console: Console, columns: Sequence[Column], gap: int = GAP) -> None:
    """Print columns as they are.

    A line is broken within a name only where that alone is wider than a terminal.
    """
    wide = width(columns)
    fits = wide <= table_width(console)
    table = table_of(columns, fits, gap)
    before = console.width
    if fits and wide > before:
        console.width = wide
    console.print(table)
    if console.width != before:
        console.width = before


def table_of(columns: Sequence[Column], fits: bool = True, gap: int = GAP) -> Table:
    """Columns as a table of rich. `fits`: no line is broken."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, gap - 1, 0, 0), show_edge=False)
    for column in columns:
        side: JustifyMethod = "right" if column.right else "left"
        least = column.width if fits else None
        table.add_column(column.title, justify=side, overflow="fold", min_width=least)
    for texts in zip(*(column.texts for column in columns), strict=True):
        table.add_row(*texts)
    return table


def print_table(console: Console, columns: Sequence[Column]) -> None:
    """Print the columns that fit, and name the others below."""
    shown, dropped = fitted(columns, table_width(console))
    draw(console, shown)
    if dropped:
        console.print(Text(not_shown(dropped), style="dim"))


def not_shown(dropped: Sequence[str]) -> str:
    """What names the columns that are left out."""
    titles = (" ".join(title.replace(",", " ").split()) for title in dropped)
    return f"not shown at this width: {', '.join(titles)}"
