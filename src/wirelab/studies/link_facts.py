"""What a link carries and how long it takes, as its text says."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from wirelab.lab import link

# A packet of a handshake: certificates, or a queue of other connections' packets.
PACKET_BYTES = 1500
# Links that are not recorded are sampled over this time. Start offsets are drawn over at least as
# much.
TRACE_S = 600.0
# With fewer round trips that arrive, no limit would end.
LEAST_ARRIVING = 0.01


class Way(Struct, frozen=True):
    """One direction: its mean rate (None: unlimited), delay and loss.

    `spread_s` is what few packets take longer than the delay.
    """

    bit_per_s: float | None = None
    delay_s: float = 0.0
    spread_s: float = 0.0
    loss: float = 0.0

    def takes_s(self, size_bytes: float) -> float:
        """The mean time of a packet on an idle link."""
        return self.delay_s + (8 * size_bytes / self.bit_per_s if self.bit_per_s else 0.0)


class LinkFacts(Struct, frozen=True):
    """Both directions of a link, and the seconds of its recorded trace (the longer; 0: none)."""

    up: Way = Way()
    down: Way = Way()
    recorded_s: float = 0.0

    @property
    def trace_s(self) -> float:
        """The seconds of time that messages can be spread over."""
        return self.recorded_s or TRACE_S

    def round_trip_s(self, there_bytes: float, back_bytes: float) -> float:
        """The mean time of a packet each way."""
        return self.up.takes_s(there_bytes) + self.down.takes_s(back_bytes)

    @property
    def exchange_s(self) -> float:
        """The longest usual round trip of full packets; longer where losses repeat it."""
        longest = self.round_trip_s(PACKET_BYTES, PACKET_BYTES) + self.up.spread_s + self.down.spread_s
        return longest / max((1 - self.up.loss) * (1 - self.down.loss), LEAST_ARRIVING)


@functools.cache
def link_facts(text: str) -> LinkFacts:
    """The facts of a link. Raises BadInput for an invalid one."""
    shown = link.show(text)
    recorded_ns = [int(shown[way]["rate"].get("period_ns", 0)) for way in ("up", "down")]
    return LinkFacts(_way(shown["up"]), _way(shown["down"]), max(recorded_ns) / 1e9)


def _way(shown: Mapping[str, Any]) -> Way:
    jitter, rate = shown["jitter"] or {}, shown["rate"]["mean_bit_per_s"]
    return Way(
        None if rate is None or math.isinf(rate) else float(rate),
        float(shown["delay_ns"]) / 1e9,
        4 * float(jitter.get("sd_ns", 0.0)) / 1e9,  # four deviations
        float(shown["loss"]["mean"]) if shown["loss"] else 0.0,
    )
