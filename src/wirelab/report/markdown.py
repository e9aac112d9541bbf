"""The answer as Markdown, for issues and wikis. Names from outside are escaped: they stay text."""

from __future__ import annotations

from wirelab.model.answer import Answer
from wirelab.model.origin import Origin, origin_of
from wirelab.report.markdown_text import escape
from wirelab.report.section import sections


def text(answer: Answer) -> str:
    """The whole answer."""
    blocks = [f"**{escape(answer.headline)}**"]
    if answer.thresholds:
        blocks.append(f"Thresholds: {', '.join(escape(threshold.text) for threshold in answer.thresholds)}.")
    for section in sections(answer).values():
        blocks += section.markdown(answer) if section.markdown else []
    blocks += origin_line(origin_of(answer.meta))
    return "\n\n".join(blocks) + "\n"


def origin_line(origin: Origin | None) -> list[str]:
    """When, with what and where it was measured, as a block; none if that is not known."""
    return [f"Measured {escape(str(origin))}."] if origin else []
