"""The connect timeout of a trial, from the link that its handshakes cross."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Any

from wirelab.lab import link
from wirelab.lab.peer_requests import CONNECT_TIMEOUT, CONNECT_TIMEOUT_S, LONGEST_CONNECT_S

# AMQP 0-9-1 over TLS takes about ten round trips until a consumer is ready: TCP, TLS 1.3, seven of
# AMQP and a queue, binding and consumer. Twice as many leave room for retransmissions.
ROUND_TRIPS = 20
# A round trip of a handshake carries at most about this much each way: certificates, or a queue of
# other connections' packets.
BYTES = 1500


def options_for(given: Mapping[str, str], link_text: str) -> dict[str, str]:
    """The peer options of a trial: those given, and a connect timeout where the link needs more.

    Raises BadInput for an invalid link.
    """
    if CONNECT_TIMEOUT in given:
        return dict(given)
    needed = connect_limit_s(link_text)
    return {**given, **({CONNECT_TIMEOUT: f"{needed}"} if needed > float(CONNECT_TIMEOUT_S) else {})}


@functools.cache
def connect_limit_s(link_text: str) -> int:
    """Seconds in which every handshake of the lab's protocols ends over a link. Raises BadInput."""
    shown = link.show(link_text)
    ways = [shown["up"], shown["down"]]
    round_trip_s = sum(map(_way_s, ways))
    arrives = math.prod(1 - _loss(way) for way in ways)
    limit = ROUND_TRIPS * round_trip_s / max(arrives, 0.01) if round_trip_s else 0.0
    return math.ceil(min(limit, LONGEST_CONNECT_S))


def _way_s(way: Mapping[str, Any]) -> float:
    """The time of a packet of a handshake in one direction: delay, four deviations, serialization."""
    jitter = way["jitter"] or {}
    rate = way["rate"]["mean_bit_per_s"]
    spread = 4 * float(jitter.get("sd_ns", 0.0))
    return (float(way["delay_ns"]) + spread) / 1e9 + (8 * BYTES / float(rate) if rate else 0.0)


def _loss(way: Mapping[str, Any]) -> float:
    return float(way["loss"]["mean"]) if way["loss"] else 0.0
