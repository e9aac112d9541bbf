"""What readers of one version of a schema make of messages that writers of another version wrote."""

from __future__ import annotations

import enum
from typing import Literal

from msgspec import Struct


class Compatibility(enum.StrEnum):
    """How a reader fares, best first.

    ok: it gets every value that its own schema has. loses: some values are missing, rounded, or a
    default that was not written. misread: it gets values that were not written. fails: it refuses
    messages, or crashes.
    """

    OK = "ok"
    LOSES = "loses"
    MISREAD = "misread"
    FAILS = "fails"
    SKIPPED = "skipped"


DifferenceKind = Literal["missing", "default", "rounded", "misread"]


class ValueDifference(Struct, frozen=True):
    """A value that the reader's schema has and its reader did not get as written.

    `count` is the number of messages with one at this path; `written` and `read` are of the first.
    """

    path: str
    kind: DifferenceKind
    count: int
    written: str
    read: str


class ReaderResult(Struct, frozen=True):
    """One codec in one direction.

    `bytes` is the mean of the writer's messages. Of `values` that they hold, `kept` came back
    equal, also those of fields that the reader's schema does not have. `failed` messages were
    refused, with the first `reason`; a skipped codec has only a reason.
    """

    codec: str
    verdict: Compatibility
    bytes: float = 0.0
    messages: int = 0
    failed: int = 0
    values: int = 0
    kept: int = 0
    differences: tuple[ValueDifference, ...] = ()
    reason: str = ""


class Direction(Struct, frozen=True):
    """Messages of the version `writer`, read by the version `reader`; `new` or `old`.

    `unread` are the fields that only the writer's schema has, `absent` those that only the
    reader's has.
    """

    writer: Literal["old", "new"]
    reader: Literal["old", "new"]
    messages: int
    unread: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    results: tuple[ReaderResult, ...] = ()


class Evolution(Struct, frozen=True):
    """The result of `wirelab schema evolve`: what changed, and both directions."""

    old: str
    new: str
    changes: tuple[str, ...]
    directions: tuple[Direction, ...]
    notes: tuple[str, ...] = ()
    toolchain: str = ""
    format: str = "wirelab-evolution"
    version: int = 1
