"""The codec table in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from wirelab.model.answer import CodecRow
from wirelab.model.codec_result import HEADLINE, TOTAL
from wirelab.report import cell_text, extra_metrics
from wirelab.report.codec_cells import ACCESS, CROSSING, crossings, opened, ordered, size
from wirelab.report.markdown_text import bullets, escape, table


def codecs(rows: Sequence[CodecRow], by: str = TOTAL) -> str:
    """The codec table."""
    accessed, crossed = opened(rows), crossings(rows)
    headings = [
        "codec",
        "version",
        "size, mean (min to max)",
        *HEADLINE,
        *crossed,
        *(f"access, {ACCESS[n]}" for n in accessed),
    ]
    lines = [
        [
            row.codec,
            row.version,
            size(row.bytes),
            *(cell_text.figure(row.phases.get(name)) for name in (*HEADLINE, *crossed, *accessed)),
        ]
        for row in ordered(rows, by)
    ]
    about = [CROSSING[:1].upper() + CROSSING[1:] + "."] if crossed else []
    return "\n\n".join([table(headings, lines, right=range(2, len(headings))), *about, *_beyond(rows)])


def _beyond(rows: Sequence[CodecRow]) -> list[str]:
    blocks = []
    for found in extra_metrics.tables(rows):
        lines = [[cell.replace("\n", "; ") for cell in line] for line in found.lines]
        shown = table(found.headings, lines, right=range(found.left, len(found.headings)))
        blocks += [f"### {escape(found.title)}", f"{escape(found.about)}.", shown]
    return blocks + [bullets(extra_metrics.skipped(rows))] * bool(blocks)
