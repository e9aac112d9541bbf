"""Texts of codecs that all views share: order, sizes, times over a link, access, losses."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wirelab.advice.link_projection import OVER
from wirelab.model.answer import CodecRow
from wirelab.model.codec_result import TOTAL
from wirelab.model.estimate import Estimate
from wirelab.report import cell_text

SIZE = "size"
CROSSING = (
    "serialize, the bytes at the link's mean uplink rate, its delay, deserialize: computed, without a protocol, a queue or loss; "
    "wirelab compare measures those"
)
ACCESS = {"access": "not validated", "access_validated": "validated"}


def ordered(rows: Sequence[CodecRow], by: str = TOTAL) -> list[CodecRow]:
    """Codecs by a phase, by serialize + deserialize (`total`) or by `size`.

    Codecs without a time come last, by size.
    """

    def key(row: CodecRow) -> tuple[float, float]:
        time = row.total if by == TOTAL else row.phases.get(by)
        return 0.0 if by == SIZE else time.value if time else math.inf, row.bytes.value

    return sorted(rows, key=key)


def crossings(rows: Sequence[CodecRow]) -> list[str]:
    """The phases with the computed times over a link."""
    return list(dict.fromkeys(name for row in rows for name in row.phases if name.startswith(OVER)))


def opened(rows: Sequence[CodecRow]) -> list[str]:
    """The phases that only open a message, of those that any codec has."""
    return [name for name in ACCESS if any(name in row.phases for row in rows)]


def size(estimate: Estimate, one_line: bool = True) -> str:
    """`1,157 B (1,090 to 1,260)`: mean, least and most of the corpus."""
    spread = cell_text.interval(estimate).strip("[]").replace(", ", " to ")
    return cell_text.value(estimate) + (f"{' ' if one_line else chr(10)}({spread})" if spread else "")


def not_carried(rows: Sequence[CodecRow]) -> list[str]:
    """Losses of the round trip, one line for all codecs that lose the same."""
    codecs: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        codecs.setdefault(row.losses, []).append(row.codec)
    return [f"{', '.join(names)}: {', '.join(lost)}" for lost, names in codecs.items() if lost]
