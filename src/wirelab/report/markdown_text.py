"""Text and tables in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\`*_\[<|#~&])")


def escape(name: str) -> str:
    """Text that Markdown shows unchanged, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(name.split()))


def bullets(lines: Iterable[str]) -> str:
    """Lines as a list, escaped."""
    return "\n".join(f"- {escape(line)}" for line in lines)


def titled(title: str, lines: Sequence[str]) -> list[str]:
    """A heading and its lines as a list; empty if there are none."""
    return [f"## {title}", bullets(lines)] if lines else []


def table(headings: Sequence[str], lines: Iterable[Sequence[str]], right: range = range(0)) -> str:
    """A table whose columns in `right` are set to the right; every cell is escaped."""
    rule = ["---:" if index in right else "---" for index in range(len(headings))]
    rows = [list(map(escape, headings)), rule, *(list(map(escape, line)) for line in lines)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
