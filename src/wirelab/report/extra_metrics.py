"""Kinds of message, compression, single calls and memory of codecs as tables of text that every
view shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from wirelab.model.answer import CodecRow
from wirelab.model.codec_result import Compressed
from wirelab.model.units import show
from wirelab.report import cell_text
from wirelab.report.codec_cells import size

TITLES = {
    "none": "as it is",
    "gzip": "gzip",
    "zstd": "zstd",
    "zstd-dict": "zstd, dictionary",
    "zstd-prev": "zstd, previous message",
    "merge-patch": "merge patch",
}


class TextTable(Struct, frozen=True):
    """A table with a title, an explanation, headings (the first column is the codec) and rows.

    A cell may have several lines.
    """

    title: str
    about: str
    headings: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    left: int = 1
    """columns set to the left; the others hold figures"""


def tables(rows: Sequence[CodecRow]) -> list[TextTable]:
    """The tables that have something to show."""
    batches = dict.fromkeys(one.batch for row in rows for one in row.extra_metrics.compressed)
    made = [_compressed(rows, batch) for batch in batches]
    return [table for table in (_kinds(rows), *made, _single(rows), _memory(rows)) if table.lines]


def _kinds(rows: Sequence[CodecRow]) -> TextTable:
    lines = []
    for row in rows:
        for at, one in enumerate(row.extra_metrics.by_kind):
            times = map(cell_text.figure, (one.serialize, one.deserialize))
            name = _name(row) if at == 0 else ""
            lines.append((name, one.kind, f"{one.size.n:,}", size(one.size), *times))
    headings = ("codec", "kind", "messages", "size, mean (min to max)", "serialize", "deserialize")
    about = "each kind of message by itself, as a corpus of its own"
    return TextTable("By kind of message", about, headings, tuple(lines), left=2)


def _compressed(rows: Sequence[CodecRow], batch: int) -> TextTable:
    cells_ = [
        (row, one) for row in rows for one in row.extra_metrics.compressed if one.batch == batch and one.size
    ]
    lines = []
    for row, one in cells_:
        first = one is next(known for owner, known in cells_ if owner is row)
        lines.append((_name(row) if first else "", *_squeezed(one)))
    title = "After compression" if batch == 1 else f"In batches of {batch}, after compression"
    about = "per message: bytes, and CPU time"
    trained = {one.trained_on for _, one in cells_ if one.trained_on}
    if trained:
        about += f"; dictionaries are trained on the {max(trained)} messages before those measured, and both sides have them"
    headings = ("codec", "method", "size, mean (min to max)", "compress", "decompress", "dictionary")
    return TextTable(title, about, headings, tuple(lines), left=2)


def _squeezed(one: Compressed) -> tuple[str, ...]:
    method = TITLES[one.method] + (f" -{one.level}" if one.level else "")
    times = [cell_text.figure(time) for time in (one.compress, one.decompress)]
    dictionary = show(one.dictionary_bytes, "B") if one.dictionary_bytes else "-"
    return (method, size(one.size) if one.size else "-", *times, dictionary)


def skipped(rows: Sequence[CodecRow]) -> list[str]:
    """Why methods have no figure, each reason once with the codecs it holds for."""
    reasons: dict[str, dict[str, None]] = {}
    for row in rows:
        for one in row.extra_metrics.compressed:
            if one.skipped:
                reasons.setdefault(f"{TITLES[one.method]}: {one.skipped}", {})[row.format] = None
    return [f"{reason} ({', '.join(formats)})" for reason, formats in reasons.items()]


def _single(rows: Sequence[CodecRow]) -> TextTable:
    lines = [
        (
            _name(row),
            *(cell_text.figure(time) for call in row.extra_metrics.single for time in (call.p50, call.p99)),
        )
        for row in rows
        if row.extra_metrics.single
    ]
    clock = max((call.clock_ns for row in rows for call in row.extra_metrics.single), default=0.0)
    about = f"wall time of one call on one message, caches as other messages left them; reading the clock takes {show(clock, 'ns')} of it"
    headings = ("codec", "encode, median", "99 %", "decode, median", "99 %")
    return TextTable("Single calls", about, headings, tuple(lines))


def _memory(rows: Sequence[CodecRow]) -> TextTable:
    lines = tuple(
        (_name(row), *_heap(row), *(_resident(row) if row.extra_metrics.resident else ("-", "-", "-")))
        for row in rows
        if row.extra_metrics.allocated
    )
    about = (
        "allocations and allocated bytes per message (a JVM counts bytes only); peak resident set of a process that does one phase with one message: "
        "mean (least to most) from the smallest message to the largest"
    )
    headings = ("codec", "serialize", "deserialize", "peak: loaded", "serialize", "deserialize")
    return TextTable("Memory", about, headings, lines)


def _heap(row: CodecRow) -> Iterable[str]:
    for one in row.extra_metrics.allocated:
        number = "" if one.allocations is None else f"{one.allocations:.4g}\n"
        yield f"{number}{show(one.bytes, 'B')}"


def _resident(row: CodecRow) -> Iterable[str]:
    show_peak: Callable[[float], str] = lambda value: f"{value / 2**20:.2f}"  # noqa: E731
    for one in row.extra_metrics.resident:
        peak = one.peak
        yield f"{show_peak(peak.value)} MiB\n({show_peak(peak.low)} to {show_peak(peak.high)})"


def _name(row: CodecRow) -> str:
    return row.codec if row.language == "rust" else f"{row.codec} ({row.language})"
