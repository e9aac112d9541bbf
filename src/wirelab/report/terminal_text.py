"""The common part of terminal views: lists below a heading, figures."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from wirelab.model.estimate import Estimate
from wirelab.report import cell_text


def headed(console: Console, title: str) -> None:
    """An empty line and a title."""
    console.print()
    console.print(Text(title, style="bold"))


def wrapped(lines: Iterable[str], width: int) -> list[str]:
    """Lines as a list, each with a hanging indent."""
    return [textwrap.fill(line, width, initial_indent=" - ", subsequent_indent="   ") for line in lines]


def figure(estimate: Estimate | None, one_line: bool, missing: str = "-") -> Text:
    """A value and, dimmed, its interval after or below it; `missing` for none."""
    if estimate is None:
        return Text(missing)
    text, between = Text(cell_text.value(estimate)), cell_text.interval(estimate)
    return text.append((" " if one_line else "\n") + between, style="dim") if between else text


def print_list(console: Console, title: str, lines: Sequence[str]) -> None:
    """A heading and its lines, wrapped with a hanging indent; nothing if there are none."""
    if not lines:
        return
    headed(console, title)
    for line in wrapped(lines, console.width):
        console.print(Text(line))
