"""The ranked rows of one context in Markdown."""

from __future__ import annotations

from wirelab.model.answer import Answer, Ranking
from wirelab.report import cell_text, ranking_reasons
from wirelab.report.markdown_text import bullets, escape, table


def ranking(answer: Answer, ranking: Ranking) -> list[str]:
    """Its table, and the thresholds that rows do not pass, as blocks."""
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
        figures = [
            cell_text.figure(row.estimates.get(name), cell_text.missing(row, name)) for name in metrics
        ]
        met = [cell_text.threshold_text(row)] if answer.thresholds else []
        lines.append(
            [f"{rank} {bracket}".rstrip(), *(row.choice.get(name, "") for name in columns), *figures, *met]
        )
    blocks.append(table(headings, lines, right=range(1 + len(columns), 1 + len(columns) + len(metrics))))
    legends = [cell_text.tie_legend(answer)] if any(cell_text.brackets(ranking.rows)) else []
    legends += [cell_text.wire_legend(answer)] if "wire_bytes" in metrics else []
    blocks += map(cell_text.as_sentence, legends)
    for title, reasons in (
        ("Failed thresholds", ranking_reasons.failed(answer, ranking)),
        ("Inconclusive thresholds", ranking_reasons.inconclusive(answer, ranking)),
        ("Why", ranking_reasons.why(answer, ranking)),
        ("Notes (rows with !)", ranking_reasons.notes(answer, ranking)),
        (cell_text.FLOORS, ranking_reasons.floors(answer, ranking)),
    ):
        blocks += [f"{title}:", bullets(reasons)] if reasons else []
    return blocks
