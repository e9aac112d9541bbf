"""The codec table in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from wirelab.advice.codec_ranking import codec_headline
from wirelab.model.answer import CodecRow
from wirelab.model.codec_result import HEADLINE, TOTAL
from wirelab.report import cell_text, extra_metrics
from wirelab.report.codec_cells import ACCESS, CROSSING, crossings, legend, opened, places, ratio, size
from wirelab.report.markdown_text import bullets, escape, table


def codecs(ranked: Sequence[CodecRow], by: str = TOTAL) -> str:
    """The codec table."""
    accessed, crossed = opened(ranked), crossings(ranked)
    headings = [
        "rank",
        "codec",
        "language",
        "version",
        "size, mean (min to max)",
        *HEADLINE,
        "both",
        "ratio",
        *crossed,
        *(f"access, {ACCESS[n]}" for n in accessed),
    ]
    lines = [
        [
            place,
            row.codec,
            row.language,
            row.version,
            size(row.bytes),
            *(cell_text.figure(row.phases.get(name)) for name in HEADLINE),
            cell_text.figure(row.total),
            cell_text.figure(ratio(row)),
            *(cell_text.figure(row.phases.get(name)) for name in (*crossed, *accessed)),
        ]
        for place, row in zip(places(ranked), ranked, strict=True)
    ]
    parts = (legend(ranked, by), CROSSING if crossed else "")
    about = [cell_text.as_sentence(part) for part in parts if part]
    first = [f"**{escape(headline)}**"] if (headline := codec_headline(ranked, by)) else []
    shown = table(headings, lines, right=range(4, len(headings)))
    return "\n\n".join([*first, shown, *about, *_beyond(ranked)])


def _beyond(rows: Sequence[CodecRow]) -> list[str]:
    blocks = []
    for found in extra_metrics.tables(rows):
        lines = [[cell.replace("\n", "; ") for cell in line] for line in found.lines]
        shown = table(found.headings, lines, right=range(found.left, len(found.headings)))
        blocks += [f"### {escape(found.title)}", f"{escape(found.about)}.", shown]
    return blocks + [bullets(extra_metrics.skipped(rows))] * bool(blocks)
