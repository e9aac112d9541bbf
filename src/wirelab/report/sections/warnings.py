"""What limits the answer. The HTML page has the warnings in its head."""

from __future__ import annotations

from rich.console import Console

from wirelab.model.answer import Answer
from wirelab.report.markdown_text import titled
from wirelab.report.section import Section
from wirelab.report.terminal_text import print_list


def _markdown(answer: Answer) -> list[str]:
    return titled("Warnings", answer.warnings)


def _print(answer: Answer, console: Console) -> None:
    print_list(console, "Warnings:", answer.warnings)


SECTION = Section(70, lambda answer: bool(answer.warnings), markdown=_markdown, terminal=_print)
