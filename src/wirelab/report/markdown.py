"""The answer as Markdown, for issues and wikis. Names from outside are escaped: they stay text."""

from __future__ import annotations

from collections.abc import Sequence

from wirelab.model.answer import Answer, CodecRow, Ranking
from wirelab.model.codec_result import HEADLINE, TOTAL
from wirelab.report import cell_text, device_table, devices, extra_metrics, ranking_reasons
from wirelab.report.codec_cells import ACCESS, CROSSING, crossings, not_carried, opened, ordered, size
from wirelab.report.markdown_text import bullets, escape, table


def text(answer: Answer) -> str:
    """The whole answer."""
    blocks = [f"**{escape(answer.headline)}**"]
    if answer.thresholds:
        blocks.append(f"Thresholds: {', '.join(escape(threshold.text) for threshold in answer.thresholds)}.")
    for ranking in answer.rankings:
        blocks += _ranking(answer, ranking)
    blocks += _list("No valid trial", ranking_reasons.excluded(answer))
    blocks += _list("Trials left out", ranking_reasons.partly_invalid(answer))
    if answer.device:
        blocks += [f"## On {escape(devices.title(answer.device))}", *devices.section(answer.device)]
        blocks.append(bullets(device_table.sources(answer.device)))
    if answer.codecs:
        blocks += ["## Codecs", codecs(answer.codecs)]
        blocks += _list("Not carried", not_carried(answer.codecs))
    blocks += _list("Warnings", answer.warnings)
    return "\n\n".join(blocks) + "\n"


def _list(title: str, lines: Sequence[str]) -> list[str]:
    return [f"## {title}", bullets(lines)] if lines else []


def _ranking(answer: Answer, ranking: Ranking) -> list[str]:
    columns, metrics = cell_text.choices(answer), cell_text.metrics(answer)
    where = cell_text.where(ranking)
    blocks = [f"## {escape(where)}", escape(ranking.headline)] if where else ["## Ranking"]
    headings = [
        "rank",
        *columns,
        *map(cell_text.title, metrics),
        *(["thresholds"] if answer.thresholds else []),
    ]
    lines = []
    for rank, bracket, row in zip(
        cell_text.ranks(ranking.rows), cell_text.brackets(ranking.rows), ranking.rows, strict=True
    ):
        figures = [cell_text.figure(row.estimates.get(name)) for name in metrics]
        met = [cell_text.threshold_text(row)] if answer.thresholds else []
        lines.append(
            [f"{rank} {bracket}".rstrip(), *(row.choice.get(name, "") for name in columns), *figures, *met]
        )
    blocks.append(table(headings, lines, right=range(1 + len(columns), 1 + len(columns) + len(metrics))))
    if any(cell_text.brackets(ranking.rows)):
        legend = cell_text.tie_legend(answer)
        blocks.append(f"{legend[:1].upper()}{legend[1:]}.")
    for title, reasons in (
        ("Failed thresholds", ranking_reasons.failed(answer, ranking)),
        ("Inconclusive thresholds", ranking_reasons.inconclusive(answer, ranking)),
    ):
        blocks += [f"{title}:", bullets(reasons)] if reasons else []
    return blocks


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
