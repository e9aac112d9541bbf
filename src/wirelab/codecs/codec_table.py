"""The rows for answers and reports from a comparison of codecs."""

from __future__ import annotations

from wirelab.model.answer import CodecRow
from wirelab.model.codec_result import TOTAL, CodecComparison, CodecResult
from wirelab.model.estimate import Estimate


def codec_rows(comparison: CodecComparison) -> list[CodecRow]:
    """One row per codec, in the comparison's order."""
    return [_row(result) for result in comparison.codecs]


def _row(result: CodecResult) -> CodecRow:
    sizes = result.sizes
    number = len(sizes.per_message)
    phases = {timing.phase: timing.time for timing in result.timings}
    if result.total is not None:
        phases[TOTAL] = result.total
    found = tuple(
        f"{loss.kind} at {loss.path} in {loss.count} messages: {loss.sent} came back as {loss.received}"
        for loss in result.round_trip
    )
    unsteady = [call.call for call in result.extra_metrics.single if not call.steady]
    moving = (f"single calls: no steady state ({', '.join(unsteady)})",) if unsteady else ()
    return CodecRow(
        codec=result.name,
        format=result.format,
        library=result.library,
        version=result.version,
        language=result.language,
        bytes=Estimate(
            sizes.mean, sizes.smallest, sizes.largest, "B", 1, number, "mean; smallest and largest message"
        ),
        phases=phases,
        losses=(*result.losses, *found),
        round_trip=not found and not result.failed,
        options=result.options,
        notes=tuple(filter(None, (result.failed, f"skipped: {result.skipped}" if result.skipped else "")))
        + result.notes
        + moving,
        extra_metrics=result.extra_metrics,
        totals=result.totals,
    )
