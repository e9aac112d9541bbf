"""Texts of codecs that all views share: places, sizes, times over a link, access, losses."""

from __future__ import annotations

from collections.abc import Sequence

from wirelab.advice.codec_ranking import SIZE
from wirelab.advice.link_projection import OVER
from wirelab.model.answer import CodecRow
from wirelab.model.codec_result import TOTAL
from wirelab.model.estimate import Estimate
from wirelab.report import cell_text

CROSSING = (
    "serialize, the bytes at the link's mean uplink rate, its delay, deserialize: computed, without a protocol, a queue or loss; "
    "wirelab compare measures those"
)
ACCESS = {"access": "not validated", "access_validated": "validated"}


def places(ranked: Sequence[CodecRow]) -> list[str]:
    """Rank and bracket of each ranked row, `-` without a figure."""
    known = [row.place for row in ranked if row.place]
    marks = [
        f"{rank} {bracket}".rstrip()
        for rank, bracket in zip(cell_text.ranks(known), cell_text.brackets(known), strict=True)
    ]
    return marks + ["-"] * (len(ranked) - len(known))


def ratio(row: CodecRow) -> Estimate | None:
    """How many times the first codec's figure a row has."""
    return row.place.ratio if row.place else None


def legend(ranked: Sequence[CodecRow], by: str) -> str:
    """What rank, bracket and ratio say, of the marks that are in the table."""
    places = [row.place for row in ranked if row.place]
    if len(places) < 2:
        return ""
    figure = {TOTAL: "serialize + deserialize", SIZE: "size"}.get(by, f"the time {by}")
    second = TOTAL if by == SIZE else SIZE
    parts = [f"ratio: {figure} against the first row's"]
    if any(place.tied for place in places):
        order = {TOTAL: "serialize + deserialize", SIZE: "size"}[second]
        parts.append(
            f"bracketed codecs tie: their difference in {figure} is not significant; {order} orders them"
        )
    if any(mark.partition(" ")[0].rstrip("?").endswith("=") for mark in cell_text.ranks(places)):
        parts.append("= tie")
    if any(place.inconclusive for place in places):
        parts.append("? inconclusive: too noisy to be separated from the best")
    return "; ".join(parts)


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
