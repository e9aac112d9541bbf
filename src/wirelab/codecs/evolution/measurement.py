"""The measurement of both directions: every codec writes with one pack and reads with another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from wirelab.codecs.build import build_pack
from wirelab.codecs.evolution import avro_resolution
from wirelab.codecs.evolution.exchange import exchange
from wirelab.codecs.evolution.judgement import judge
from wirelab.codecs.evolution.messages import Version, derived, messages_of
from wirelab.codecs.memfd import in_memory
from wirelab.codecs.pack import Pack
from wirelab.codecs.registry import codecs_for, select, skipped
from wirelab.model.codec_id import CodecId
from wirelab.model.errors import BadInput
from wirelab.model.evolution import Compatibility, Direction, Evolution, ReaderResult
from wirelab.model.schema import Schema
from wirelab.schema.corpus import Corpus
from wirelab.schema.payload import normalised
from wirelab.schema.versions import Versions, align, only_in

PADDED = frozenset({"flatbuffers", "capnp", "thrift"})
"""Formats whose schemas keep a removed field, as deprecated, or leave its number unused."""

Progress = Callable[[str], None]
Name = Literal["old", "new"]


class Side(Struct, frozen=True):
    """One version: its schema as measured, its pack for most formats and for padded ones."""

    name: Name
    schema: Schema
    pack: Pack
    padded_schema: Schema
    padded: Pack

    def pack_of(self, codec: str) -> Pack:
        """The pack with this codec."""
        return self.padded if CodecId.parse(codec).format in PADDED else self.pack


def measure_evolution(
    old: Version,
    new: Version,
    payloads: Sequence[str],
    asked: Sequence[str] = (),
    *,
    cache: Path | None = None,
    progress: Progress | None = None,
) -> Evolution:
    """What readers of each version make of messages of the other, for the codecs in `asked`.

    Codecs are those in Rust. Raises BadInput if the versions are equal, no message fits either, or
    a word selects no codec.
    """
    versions = align(old.schema, new.schema, equal_ranges=not (old.is_given or new.is_given))
    if not versions.changes:
        raise BadInput(f"{old.source} and {new.source}", "the schemas are equal", "give another version")
    notes = [*old.notes, *new.notes]
    messages = _messages(old, new, versions, payloads, notes)
    chosen, left = _codecs(versions, asked)
    sides = _sides(versions, chosen, cache, progress)
    directions = tuple(
        _direction(sides[writer], sides[reader], messages[writer], chosen, left, progress)
        for writer, reader in (("new", "old"), ("old", "new"))
        if messages[writer]
    )
    toolchain = sides["old"].pack.toolchain
    return Evolution(old.source, new.source, versions.changes, directions, tuple(notes), toolchain)


def _messages(
    old: Version, new: Version, versions: Versions, payloads: Sequence[str], notes: list[str]
) -> dict[str, list[Any]]:
    """The messages of each version. Notes say which are derived from those of the other."""
    found = {
        "old": messages_of(old, versions.old, payloads),
        "new": messages_of(new, versions.new, payloads),
    }
    for name, other, schema in (("old", "new", versions.old), ("new", "old", versions.new)):
        if found[name] or not found[other]:
            continue
        found[name] = derived(found[other], schema)
        notes.append(
            f"no message fits the {name} version: {len(found[name])} of the {other} one are used without "
            "the keys that it does not have"
            if found[name]
            else f"no message fits the {name} version: give one as PAYLOAD to see what its writers cause"
        )
    if not any(found.values()):
        given = ", ".join(payloads) or "no payload"
        raise BadInput(given, "no message fits the old or the new version", "give messages of either")
    return found


def _codecs(versions: Versions, asked: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The codecs that carry both versions, and why others do not."""
    reasons = skipped(versions.old) | skipped(versions.new)
    fit = {codec.name for codec in codecs_for(versions.new)}
    both = [codec.name for codec in codecs_for(versions.old) if codec.name in fit]
    names = select(asked, [*both, *reasons])
    return tuple(name for name in names if name in both), {
        name: reasons[name] for name in names if name not in both
    }


def _sides(
    versions: Versions, codecs: Sequence[str], cache: Path | None, progress: Progress | None
) -> dict[str, Side]:
    padded = [name for name in codecs if CodecId.parse(name).format in PADDED]

    def pack(schema: Schema, names: Sequence[str]) -> Pack:
        return build_pack(schema, cache, progress, tuple(names) or ("json",))

    before = pack(versions.old, codecs)
    if versions.new == versions.new_padded or not padded:
        after = kept = pack(versions.new, codecs)
    else:
        after = pack(versions.new, [name for name in codecs if name not in padded])
        kept = pack(versions.new_padded, padded)
    return {
        "old": Side("old", versions.old, before, versions.old, before),
        "new": Side("new", versions.new, after, versions.new_padded, kept),
    }


def _direction(
    writer: Side,
    reader: Side,
    messages: Sequence[Any],
    codecs: Sequence[str],
    left: dict[str, str],
    progress: Progress | None,
) -> Direction:
    corpus = Corpus(tuple(messages), b"", f"messages of the {writer.name} version")
    results = []
    with in_memory(normalised(corpus, writer.schema)) as path:
        for name in codecs:
            if progress is not None:
                progress(f"{name}: {writer.name} writer, {reader.name} reader")
            results += _results(writer, reader, path, name)
    results += [ReaderResult(name, Compatibility.SKIPPED, reason=why) for name, why in left.items()]
    return Direction(
        writer.name,
        reader.name,
        len(messages),
        only_in(writer.schema, reader.schema),
        only_in(reader.schema, writer.schema),
        tuple(results),
    )


def _results(writer: Side, reader: Side, corpus: str, name: str) -> list[ReaderResult]:
    """The result of a codec; for Avro also that of a reader that has the writer's schema."""
    source, target = writer.pack_of(name), reader.pack_of(name)
    own = exchange(source, source, corpus, source.codec(name))
    if isinstance(own, str) or any(read.failed for read in own):
        why = own if isinstance(own, str) else next(read.failed for read in own if read.failed)
        return [ReaderResult(name, Compatibility.FAILS, reason=f"its own reader fails: {why}")]
    found = [judge(name, own, exchange(source, target, corpus, source.codec(name)), reader.schema)]
    if CodecId.parse(name).format == "avro":
        data = [read.data for read in own]
        same, other = (
            avro_resolution.resolved(data, writer.schema, to) for to in (writer.schema, reader.schema)
        )
        found.insert(0, judge(avro_resolution.NAME, same, other, avro_resolution.named(reader.schema)))
    return found
