"""The answer as CSV: one line per combination, the unit in each heading; empty where not known."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from msgspec.structs import asdict

from wirelab.model.answer import Answer, CodecRow, Excluded, Row, Status
from wirelab.model.metrics import METRICS, UNITS, Source
from wirelab.model.metrics import metric as find_metric
from wirelab.model.origin import Origin, origin_of
from wirelab.report import cell_text

LEVELS = ("format", "protocol", "qos", "server", "client_library", "transport", "link", "rate", "topology")
_COUNTS = ("planned", "sent", "delivered", "lost", "failed", "duplicated", "reordered", "corrupt")
_TALLY = ("valid", "invalid", "skipped", "failed", "missing")


def text(answer: Answer) -> str:
    """The whole table: rankings in the order of the answer, floors without a rank, then what has no
    valid trial.
    """
    rows = [row for ranking in answer.rankings for row in ranking.rows]
    floors = [row for ranking in answer.rankings for row in ranking.floors]
    every = [one.levels for one in (*rows, *floors)] + [one.levels for one in answer.excluded]
    levels = list(dict.fromkeys([*LEVELS, *(name for one in every for name in one)]))
    out = io.StringIO()
    metrics, origin = _metrics(answer), origin_columns(origin_of(answer.meta))
    writer = csv.DictWriter(out, [*_headings(levels, metrics), *origin], restval="", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(_row(row, metrics) | origin)
    unranked = dict.fromkeys(("rank", "group", "tied", "inconclusive"), "")
    for row in floors:
        writer.writerow(_row(row, metrics) | unranked | origin)
    for one in answer.excluded:
        writer.writerow(_excluded(one) | origin)
    return out.getvalue()


def origin_columns(origin: Origin | None) -> dict[str, object]:
    """When, with what and where it was measured: the last columns of each line."""
    return {f"measured_{key}": value for key, value in asdict(origin).items()} if origin else {}


def codecs(rows: Sequence[CodecRow], origin: Origin | None = None) -> str:
    """The codec table: sizes in bytes, phases in ns, each phase with the ends of its interval."""
    phases = list(dict.fromkeys(phase for row in rows for phase in row.phases))
    times = [f"{phase}_ns{end}" for phase in phases for end in ("", "_low", "_high")]
    out = io.StringIO()
    more = [_beyond(row) for row in rows]
    names = [
        "codec",
        "version",
        "language",
        "bytes_mean",
        "bytes_min",
        "bytes_max",
        *times,
        *_PLACE,
        "losses",
    ]
    names += [*dict.fromkeys(name for found in more for name in found), *origin_columns(origin)]
    writer = csv.DictWriter(out, names, restval="", lineterminator="\n")
    writer.writeheader()
    for row, extra in zip(rows, more, strict=True):
        found: dict[str, object] = {
            "codec": row.codec,
            "version": row.version,
            "language": row.language,
            "bytes_mean": _plain(row.bytes.value),
            "bytes_min": _plain(row.bytes.low),
            "bytes_max": _plain(row.bytes.high),
            "losses": "; ".join(row.losses),
        }
        for phase, time in row.phases.items():
            ends = {"": time.value, "_low": time.low, "_high": time.high}
            found |= {f"{phase}_ns{end}": _plain(value) for end, value in ends.items()}
        writer.writerow(_place(row) | found | extra | origin_columns(origin))
    return out.getvalue()


_PLACE = ("rank", "group", "tied", "inconclusive", "ratio", "ratio_low", "ratio_high")


def _place(row: CodecRow) -> dict[str, object]:
    place = row.place
    if place is None:
        return {}
    ratio = place.ratio
    marks = (str(place.tied).lower(), str(place.inconclusive).lower())
    ends = map(_plain, (ratio.value, ratio.low, ratio.high))
    return dict(zip(_PLACE, (place.rank, place.group, *marks, *ends), strict=True))


def _beyond(row: CodecRow) -> dict[str, object]:
    """Kinds of message, compression by method and batch, single calls and memory, each with its
    unit in the heading.
    """
    found: dict[str, object] = {}
    for kind in row.extra_metrics.by_kind:
        found[f"kind {kind.kind} bytes"] = _plain(kind.size.value)
        times = {"serialize": kind.serialize, "deserialize": kind.deserialize}
        found |= {f"kind {kind.kind} {what}_ns": _plain(time.value) for what, time in times.items() if time}
    for one in row.extra_metrics.compressed:
        name = f"{one.method}_batch{one.batch}".replace("-", "_")
        figures = {"bytes": one.size, "compress_ns": one.compress, "decompress_ns": one.decompress}
        found |= {f"{name}_{what}": _plain(figure.value) for what, figure in figures.items() if figure}
        if one.dictionary_bytes:
            found[f"{name}_dictionary_bytes"] = one.dictionary_bytes
    for call in row.extra_metrics.single:
        found |= {f"single_{call.call}_p50_ns": _plain(call.p50.value)}
        found |= {f"single_{call.call}_p99_ns": _plain(call.p99.value)}
    for heap in row.extra_metrics.allocated:
        found |= {f"{heap.phase}_allocated_bytes": _plain(heap.bytes)}
        if heap.allocations is not None:
            found |= {f"{heap.phase}_allocations": _plain(heap.allocations)}
            found |= {f"{heap.phase}_allocated_peak_bytes": heap.peak_bytes}
    for process in row.extra_metrics.resident:
        found[f"{process.phase or 'loaded'}_peak_resident_bytes"] = _plain(process.peak.value)
    return found


def column(metric: str) -> str:
    """The heading of a metric: `latency_p50_ns`; `_low` and `_high` follow it for its interval."""
    unit = UNITS[find_metric(metric).unit].heading
    return metric if metric.endswith(unit) else f"{metric}_{unit}"


def _metrics(answer: Answer) -> list[str]:
    """The metrics of the table, and those asked for by objectives and thresholds."""
    device = answer.device is not None
    named = [name for name, metric in METRICS.items() if device or metric.source is not Source.DEVICE]
    return list(dict.fromkeys([*named, *(name for name in answer.asked_metrics if name not in METRICS)]))


def _headings(levels: list[str], metrics: list[str]) -> list[str]:
    figures = [name + end for name in map(column, metrics) for end in ("", "_low", "_high")]
    shares = [f"mean_{name}_ns" for name in (cell_text.BATCH, *cell_text.PARTS, *cell_text.PATH)]
    shares += ["round_trips", "timeouts"]
    ends = [f"trials_{name}" for name in _TALLY]
    counts = [*(f"messages_{name}" for name in _COUNTS), "trials_overloaded"]
    return [
        *levels,
        "rank",
        "group",
        "tied",
        "inconclusive",
        "thresholds",
        "failed_thresholds",
        "inconclusive_thresholds",
        *figures,
        *shares,
        *counts,
        *ends,
        "why",
        "notes",
        "reasons",
    ]


def _row(row: Row, metrics: Sequence[str]) -> dict[str, object]:
    found: dict[str, object] = {
        **row.levels,
        "rank": row.rank,
        "group": row.group,
        "tied": str(row.tied).lower(),
        "inconclusive": str(row.inconclusive).lower(),
        "thresholds": str(row.status),
        "failed_thresholds": "; ".join(cell_text.thresholds_with(row, Status.FAIL)),
        "inconclusive_thresholds": "; ".join(cell_text.thresholds_with(row, Status.INCONCLUSIVE)),
    }
    for metric, estimate in row.estimates.items():
        if metric in metrics:
            name = column(metric)
            ends = "" if estimate.open_above else _plain(estimate.high)
            found |= {name: _plain(estimate.value), f"{name}_low": _plain(estimate.low), f"{name}_high": ends}
    found |= {f"mean_{name}_ns": _plain(ns) for name, ns in cell_text.parts(row.shares)}
    if row.path.messages:
        found |= {f"mean_{name}_ns": _plain(getattr(row.path, name)) for name in cell_text.PATH}
    if row.why is not None:
        found |= {"round_trips": _plain(row.why.round_trips), "timeouts": _plain(row.why.timeouts)}
        found["why"] = row.why.text
    found |= {f"messages_{name}": getattr(row.counts, name) for name in _COUNTS}
    if row.overloaded:
        # What had not arrived may be on its way.
        found["messages_lost"] = ""
    found["trials_overloaded"] = row.overloaded
    found |= {f"trials_{name}": getattr(row.tally, name) for name in _TALLY}
    found["notes"] = "; ".join(note.text for note in row.notes)
    return found | {"reasons": "; ".join(map(str, row.tally.reasons))}


def _excluded(one: Excluded) -> dict[str, object]:
    ends = {f"trials_{name}": getattr(one.tally, name) for name in _TALLY}
    return {**one.levels, **ends, "reasons": "; ".join(map(str, one.tally.reasons))}


def _plain(number: float) -> str:
    """Enough digits for any use, and none that are noise of binary fractions."""
    return f"{number:.10g}" if abs(number) < 1e10 else f"{number:.0f}"
