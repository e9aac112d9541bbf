"""The flows of captured trials: bytes, dropped packets by cause, queue sojourn."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from wirelab.advice.answer import StoreView
from wirelab.model.answer import Answer, Ranking, Row
from wirelab.model.result import Flow, TrialResult
from wirelab.model.study import study_of
from wirelab.model.units import show
from wirelab.report import cell_text
from wirelab.report.html_values import Values
from wirelab.report.rendering import render
from wirelab.report.section import Part, Section

MAX_ROWS = 4
COUNTS = ("packets", "l2_bytes", "l3_bytes", "payload_bytes", "retransmissions")
CAUSES = ("loss", "queue", "mtu", "own")


def _captured(answer: Answer) -> bool:
    return bool(study_of(answer.meta).get("capture"))


def _results(view: StoreView) -> dict[str, TrialResult]:
    return {one.result.trial_id: one.result for one in view.results() if one.result is not None}


def _html(answer: Answer, view: StoreView) -> list[Part]:
    results = _results(view)
    shown = [_ranking(answer, one, results) for one in answer.rankings]
    body = render("flows/section.html", rankings=[one for one in shown if one["rows"]])
    return [Part("flows", "Flows", body)]


def _ranking(answer: Answer, ranking: Ranking, results: Mapping[str, TrialResult]) -> Values:
    columns = cell_text.choices(answer)
    rows = [_row(row, columns, results) for row in ranking.rows[:MAX_ROWS]]
    return {"where": cell_text.where(ranking), "rows": [row for row in rows if row["flows"]]}


def _row(row: Row, columns: Sequence[str], results: Mapping[str, TrialResult]) -> Values:
    captured = [results[trial] for trial in row.trials if trial in results and results[trial].flows]
    return {
        "name": f"{row.choice.get('format', '')} {cell_text.delivery(row, columns)}".strip(),
        "captures": [f"packets/{result.trial_id}.pcapng" for result in captured],
        "flows": [_texts(flow) for result in captured[:1] for flow in result.flows],
    }


def _texts(flow: Flow) -> list[str]:
    ends = f"{flow.source} to {flow.destination}" if flow.source else "all hosts"
    return [
        f"{flow.protocol} {ends}",
        " ".join(filter(None, (flow.host, flow.direction))),
        f"{flow.packets:,}",
        show(flow.l3_bytes, "B"),
        show(flow.payload_bytes, "B"),
        f"{flow.retransmissions:,}",
        ", ".join(f"{cause} {number:,}" for cause, number in flow.dropped.items()) or "-",
        show(flow.queue_max_bytes, "B"),
        show(flow.sojourn_mean_ns, "ns"),
        show(flow.sojourn_max_ns, "ns"),
    ]


def _csv(_: Answer, view: StoreView) -> str:
    results = _results(view)
    records = [one for one in view.results() if one.trial.id in results]
    levels = list(dict.fromkeys(name for one in records for name in one.trial.levels))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    dropped = [f"dropped_{cause}" for cause in CAUSES]
    ends = ("host", "direction", "protocol", "source", "destination")
    heads = ["ip_protocol" if name == "protocol" else name for name in ends]
    times = ("queue_max_bytes", "sojourn_mean_ns", "sojourn_max_ns")
    writer.writerow((*levels, "replicate", "trial", "verdict", *heads, *COUNTS, *dropped, *times))
    for one in records:
        trial, result = one.trial, results[one.trial.id]
        context = [trial.levels.get(name, "") for name in levels]
        for flow in result.flows:
            named = [getattr(flow, name) for name in (*ends, *COUNTS)]
            causes = [flow.dropped.get(cause, 0) for cause in CAUSES]
            waits = (flow.queue_max_bytes, f"{flow.sojourn_mean_ns:.0f}", flow.sojourn_max_ns)
            writer.writerow(
                (*context, trial.replicate, trial.id, result.verdict.state, *named, *causes, *waits)
            )
    return out.getvalue()


SECTION = Section(27, _captured, html=_html, csv=_csv)
