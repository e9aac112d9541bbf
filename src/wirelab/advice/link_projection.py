"""Times of codecs over a link, computed from bytes and times; `wirelab compare` measures them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from wirelab.model.answer import CodecRow
from wirelab.model.estimate import Estimate

OVER = "over "
"""Begins the name of the phase, which ends with the link's text."""
NS_PER_S = 1e9


def over_link(rows: Sequence[CodecRow], link: str, shown: Mapping[str, Any]) -> list[CodecRow]:
    """The rows with a further phase: serialize, transmission, delay, deserialize, in ns.

    Transmission is the mean bytes at the mean rate of the uplink. `shown` is the output of
    `wirelab-link show`. Protocol, queues and loss are not included. A row without times is
    unchanged.
    """
    up = shown["up"]
    rate, delay_ns = up["rate"]["mean_bit_per_s"], float(up["delay_ns"])

    def crossed(row: CodecRow) -> CodecRow:
        both = row.total
        if both is None:
            return row
        added = delay_ns + (8 * row.bytes.value / rate * NS_PER_S if rate else 0.0)
        ends = (both.value + added, both.low + added, both.high + added)
        whole = Estimate(
            *ends, "ns", both.replicates, both.n, f"{both.method}, and computed time on the link"
        )
        return replace(row, phases={**row.phases, f"{OVER}{link}": whole})

    return [crossed(row) for row in rows]
