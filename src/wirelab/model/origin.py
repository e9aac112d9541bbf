"""When, with what and where a result was measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

ORIGIN = "origin"
"""The key in a run's metadata."""


class Origin(Struct, frozen=True):
    """When, with what and where a result was measured; "" where it is not known.

    `commit` is that of the checkout, with `+` if files differ from it.
    """

    date: str
    wirelab: str
    commit: str = ""
    compiler: str = ""
    machine: str = ""

    def __str__(self) -> str:
        """One line for people."""
        program = f"wirelab {self.wirelab}" + (f" ({self.commit})" if self.commit else "")
        return "; ".join(filter(None, (self.date, program, self.compiler, self.machine)))


def origin_of(meta: Mapping[str, Any]) -> Origin | None:
    """The origin in the metadata of a run; None in runs of releases that did not store it."""
    return msgspec.convert(meta[ORIGIN], Origin) if ORIGIN in meta else None
