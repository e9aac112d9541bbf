"""The verdict on one codec in one direction, from what its reader got."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from wirelab.codecs.evolution.differences import differences, kept_values, values
from wirelab.codecs.evolution.exchange import Reading
from wirelab.model.evolution import Compatibility, ReaderResult, ValueDifference
from wirelab.model.schema import Schema
from wirelab.schema.projection import projected


def judge(codec: str, own: Sequence[Reading], other: Sequence[Reading] | str, schema: Schema) -> ReaderResult:
    """The result of a codec.

    `own` is what a reader of the writer's version gets, so that what a format loses in any case is
    no difference. `other` is what the reader of the other version gets, or why its process died.
    `schema` is that reader's.
    """
    sizes = [len(one.data) for one in own]
    written = [one.value for one in own]
    base = ReaderResult(
        codec,
        Compatibility.OK,
        bytes=sum(sizes) / len(sizes),
        messages=len(own),
        values=sum(map(values, written)),
    )
    if isinstance(other, str):
        return replace(base, verdict=Compatibility.FAILS, failed=len(own), reason=other)
    pairs = [(one, read.value) for one, read in zip(written, other, strict=True) if not read.failed]
    mine = [one for one, _ in pairs]
    # A padded reader still has removed fields. The new version does not.
    seen = [projected(read, schema) for _, read in pairs]
    found = _merged([projected(one, schema) for one in mine], seen)
    reasons = [read.failed for read in other if read.failed]
    return replace(
        base,
        verdict=_verdict(found, bool(reasons)),
        failed=len(reasons),
        kept=sum(map(kept_values, mine, seen)),
        differences=found,
        reason=reasons[0] if reasons else "",
    )


def _verdict(found: Sequence[ValueDifference], failed: bool) -> Compatibility:
    if failed:
        return Compatibility.FAILS
    if any(one.kind == "misread" for one in found):
        return Compatibility.MISREAD
    return Compatibility.LOSES if found else Compatibility.OK


def _merged(expected: Sequence[Any], read: Sequence[Any]) -> tuple[ValueDifference, ...]:
    """Each path and kind of difference once, with the number of messages that have it."""
    found: dict[tuple[str, str], ValueDifference] = {}
    for one, other in zip(expected, read, strict=True):
        own = {(each.path, each.kind): each for each in differences(one, other)}
        for key, each in own.items():
            known = found.get(key) or ValueDifference(each.path, each.kind, 0, each.written, each.read)
            found[key] = replace(known, count=known.count + 1)
    return tuple(found.values())
