"""The report's codec tables, as plain values for the template."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from wirelab.advice.codec_ranking import codec_headline
from wirelab.model.answer import CodecRow
from wirelab.model.codec_result import HEADLINE, TOTAL
from wirelab.model.origin import Origin
from wirelab.report import extra_metrics, svg
from wirelab.report.cell_text import as_sentence
from wirelab.report.codec_cells import ACCESS, CROSSING, crossings, legend, opened, places, ratio, size
from wirelab.report.html_values import Values, number
from wirelab.report.rendering import render_page


def page(payload: str, ranked: Sequence[CodecRow], by: str = TOTAL, origin: Origin | None = None) -> str:
    """One HTML file that opens offline, all text from outside escaped."""
    return render_page("codecs_page.html", payload=payload, codecs=codecs(ranked, by), origin=origin)


def codecs(ranked: Sequence[CodecRow], by: str = TOTAL) -> Values | None:
    """Time and bytes of each codec, with bars. Access without reading is a separate table."""
    if not ranked:
        return None
    longest = max((row.total.value for row in ranked if row.total), default=0.0)
    largest = max(row.bytes.value for row in ranked)
    accessed, crossed = opened(ranked), crossings(ranked)
    groups = [row.place.group if row.place and row.place.tied else 0 for row in ranked]
    shown = (*HEADLINE, *ACCESS, TOTAL)
    phases = list(dict.fromkeys([*crossed, *(n for row in ranked for n in row.phases if n not in shown)]))
    return {
        "headline": codec_headline(ranked, by),
        "legend": as_sentence(legend(ranked, by)),
        "phases": phases,
        "crossing": CROSSING if crossed else "",
        "opened": [f"access, {ACCESS[name]}" for name in accessed],
        "extra_metrics": extra_metrics.tables(ranked),
        "skipped": extra_metrics.skipped(ranked),
        "rows": [
            {
                "place": place.partition(" ")[0],
                "tied": bool(group),
                "last": group != after,
                "ratio": number(ratio(row)),
                "codec": row.codec,
                "version": row.version,
                "language": row.language,
                "bar": _time_bar(row, longest),
                "both": number(row.total),
                "headline": [number(row.phases.get(name)) for name in HEADLINE],
                "phases": [number(row.phases.get(name)) for name in phases],
                "access": [number(row.phases.get(name)) for name in accessed],
                "bytes": row.bytes.value,
                "size": size(row.bytes),
                "size_bar": Markup(
                    svg.bar([("size", row.bytes.value, "")], largest, f"{row.codec}: {size(row.bytes)}")
                ),
                "losses": row.losses,
                "round_trip": row.round_trip,
                "options": ", ".join(f"{key} {value}" for key, value in row.options.items()),
                "notes": row.notes,
            }
            for place, row, group, after in zip(places(ranked), ranked, groups, [*groups[1:], 0], strict=True)
        ],
    }


def _time_bar(row: CodecRow, longest: float) -> Markup:
    parts = [
        (name, row.phases[name].value, f"{name} {row.phases[name]}")
        for name in HEADLINE
        if name in row.phases
    ]
    return Markup(svg.bar(parts, longest, f"{row.codec}: {', '.join(title for *_, title in parts)}"))
