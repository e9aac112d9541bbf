"""Latency, rate and loss over the time of a trial: where a link changes, or a queue grows."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from wirelab.advice.answer import StoreView
from wirelab.model.answer import Answer, Ranking, Row
from wirelab.model.errors import BadInput
from wirelab.report import cell_text, svg
from wirelab.report.html_values import Values, both
from wirelab.report.rendering import render
from wirelab.report.section import Part, Section
from wirelab.stats.sample_join import DELIVERED, UNSENT

MAX_ROWS = 4
MAX_BINS = 60
WIDTHS_S = (1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)


class Bin(Struct, frozen=True):
    """Messages of all valid replicates that were due from `start_s` on, for `width_s` seconds.

    Times count from the first message after the warm-up. Latencies are ns, NaN where none arrived.
    `rate_hz` is how many messages of a replicate arrived per second of this time, whenever they
    were due; NaN if sending ended before the bin did.
    """

    start_s: float
    width_s: float
    messages: int
    lost: int
    p50_ns: float
    p99_ns: float
    rate_hz: float = math.nan


def bins(view: StoreView, row: Row) -> list[Bin]:
    """A row's bins of whole seconds, at most MAX_BINS; [] without one-way times or samples."""
    if "latency_p50" not in row.estimates:
        return []
    due, latency, came, ends = [], [], [], []
    for trial in row.trials:
        try:
            columns = view.samples(trial)
        except (BadInput, KeyError):
            continue
        if not columns:
            continue
        counted = ~columns["warmup"].astype(bool) & (columns["outcome"] != UNSENT)
        planned = columns["planned"][counted].astype(np.float64)
        if len(planned):
            arrived = columns["outcome"][counted] == DELIVERED
            due.append((planned - planned.min()) / 1e9)
            latency.append(np.where(arrived, columns["decoded"][counted] - planned, np.nan))
            came.append((columns["decoded"][counted][arrived] - planned.min()) / 1e9)
            # The last message too stands for the time until the next.
            ends.append(due[-1].max() * len(planned) / max(len(planned) - 1, 1))
    if not due:
        return []
    at, took = np.concatenate(due), np.concatenate(latency)
    width = next((one for one in WIDTHS_S if at.max() < one * MAX_BINS), math.ceil(at.max() / MAX_BINS) + 1)
    index, arrivals = (at // width).astype(int), (np.concatenate(came) // width).astype(int)
    sent = min(ends) + 1e-9
    found = []
    for number in map(int, np.unique(index)):
        whole = (number + 1) * width <= sent
        rate = float((arrivals == number).sum()) / (width * len(due)) if whole else math.nan
        found.append(_bin(number * width, width, took[index == number], rate))
    return found


def _bin(start_s: float, width_s: float, took: np.ndarray, rate_hz: float) -> Bin:
    arrived = took[~np.isnan(took)]
    p50, p99 = np.quantile(arrived, (0.5, 0.99)) if len(arrived) else (math.nan, math.nan)
    return Bin(start_s, width_s, len(took), len(took) - len(arrived), float(p50), float(p99), rate_hz)


class Line(Struct, frozen=True):
    """One row in a picture: its mark, name, colour, and a value for each bin."""

    mark: str
    name: str
    colour: int
    points: Sequence[tuple[float, float]]


def picture(lines: Sequence[Line], unit: str, title: str, width: int, class_: str) -> str:
    """Values over the time of a trial; a line has a gap where a value is NaN."""
    height, left, bottom = 260, 64, 210
    values = [value for line in lines for _, value in line.points]
    x = svg.Scale(0.0, max(at for line in lines for at, _ in line.points), left, width - 12)
    y = svg.fit(values, bottom, 34, zero=unit in ("fraction", "1/s"))
    body = svg.axis_bottom(x, 34, bottom, "s", "time", width // 125)
    body += svg.axis_left(y, left, width - 12, unit, title, 4)
    marks = ""
    for number, line in enumerate(lines):
        for run in _runs(line.points):
            body += svg.steps(run, x, y, class_=f"curve c{line.colour} d{number % 4}")
        known = [point for point in line.points if not math.isnan(point[1])]
        at, value = known[(number + 1) * (len(known) - 1) // (len(lines) + 1)]
        marks += svg.lettered(x.at(at), y.at(value), line.mark, line.name, line.colour)
    described = "; ".join(f"{line.mark}: {line.name}" for line in lines)
    return svg.picture(width, height, title, described, body + marks, class_)


def _runs(points: Sequence[tuple[float, float]]) -> list[list[tuple[float, float]]]:
    """The points between gaps."""
    runs: list[list[tuple[float, float]]] = [[]]
    for point in points:
        if math.isnan(point[1]):
            runs.append([])
        else:
            runs[-1].append(point)
    return [run for run in runs if run]


def _ranking(answer: Answer, ranking: Ranking, view: StoreView) -> Values | None:
    columns = cell_text.choices(answer)
    latency, rate, loss, width = [], [], [], 0.0
    for index, row in enumerate(ranking.rows[:MAX_ROWS]):
        found = bins(view, row)
        if len(found) < 2 or all(math.isnan(one.p50_ns) for one in found):
            continue
        name = f"{row.choice.get('format', '')} {cell_text.delivery(row, columns)}".strip()
        mark, end, width = cell_text.letter(index), found[-1].start_s + found[-1].width_s, found[0].width_s
        times = [(one.start_s, one.p50_ns) for one in found]
        lost = [(one.start_s, one.lost / one.messages) for one in found]
        latency.append(Line(mark, name, index, [*times, (end, times[-1][1])]))
        whole = [(one.start_s, one.rate_hz) for one in found if not math.isnan(one.rate_hz)]
        if whole:
            rate.append(Line(mark, name, index, [*whole, (whole[-1][0] + width, whole[-1][1])]))
        if not row.overloaded:
            loss.append(Line(mark, name, index, [*lost, (end, lost[-1][1])]))
    if not latency:
        return None
    lossy = any(value for line in loss for _, value in line.points)
    return {
        "where": cell_text.where(ranking),
        "width": f"{width:g} s",
        "latency": both(picture, latency, "ns", "median latency"),
        "rate": both(picture, rate, "1/s", "messages arrived per second") if rate else None,
        "loss": both(picture, loss, "fraction", "messages lost") if lossy else None,
        "key": [{"letter": line.mark, "colour": line.colour, "name": line.name} for line in latency],
    }


def _html(answer: Answer, view: StoreView) -> list[Part]:
    shown = [values for one in answer.rankings if (values := _ranking(answer, one, view))]
    body = render("over_time/section.html", rankings=shown)
    return [Part("over-time", "Latency, rate and loss over time", body)] if shown else []


def _csv(answer: Answer, view: StoreView) -> str:
    rows = [row for ranking in answer.rankings for row in ranking.rows]
    levels = list(dict.fromkeys(name for row in rows for name in row.levels))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    figures = ("start_s", "width_s", "messages", "lost", "latency_p50_ns", "latency_p99_ns", "arrived_per_s")
    writer.writerow((*levels, *figures))
    for row in rows:
        for one in bins(view, row):
            rate = "" if math.isnan(one.rate_hz) else f"{one.rate_hz:g}"
            times = ("" if math.isnan(ns) else f"{ns:.0f}" for ns in (one.p50_ns, one.p99_ns))
            context = (row.levels.get(name, "") for name in levels)
            # What an overloaded row had not delivered is a backlog.
            lost = "" if row.overloaded else one.lost
            writer.writerow(
                (*context, f"{one.start_s:g}", f"{one.width_s:g}", one.messages, lost, *times, rate)
            )
    return out.getvalue()


SECTION = Section(25, lambda answer: any(one.rows for one in answer.rankings), html=_html, csv=_csv)
