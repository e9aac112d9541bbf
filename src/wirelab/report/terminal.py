"""The answer in a terminal: the headline, then every section that has a terminal view."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from wirelab.model.answer import Answer
from wirelab.model.origin import Origin, origin_of
from wirelab.report.section import sections
from wirelab.report.terminal_codecs import preview_text, print_codecs
from wirelab.report.terminal_columns import STYLES
from wirelab.report.terminal_table import plain_console

__all__ = ["plain_console", "preview_text", "print_answer", "print_codecs", "print_origin"]


def print_answer(answer: Answer, console: Console | None = None) -> None:
    """Print the answer."""
    console = console or plain_console()
    console.print(Text(answer.headline, style=f"bold {STYLES[answer.status]}"))
    for section in sections(answer).values():
        if section.terminal:
            section.terminal(answer, console)
    print_origin(origin_of(answer.meta), console)


def print_origin(origin: Origin | None, console: Console) -> None:
    """When, with what and where it was measured; nothing if that is not known."""
    if origin:
        console.print()
        console.print(Text(f"measured {origin}", style="dim"))
