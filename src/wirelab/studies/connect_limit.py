"""The connect timeout of a trial, from the link that its handshakes cross."""

from __future__ import annotations

import math
from collections.abc import Mapping

from wirelab.lab.peer_requests import CONNECT_TIMEOUT, CONNECT_TIMEOUT_S, LONGEST_CONNECT_S
from wirelab.studies.link_facts import LinkFacts

# AMQP 0-9-1 over TLS takes about ten round trips until a consumer is ready: TCP, TLS 1.3, seven of
# AMQP and a queue, binding and consumer. Twice as many leave room for retransmissions.
ROUND_TRIPS = 20


def options_for(given: Mapping[str, str], link: LinkFacts) -> dict[str, str]:
    """The peer options of a trial: those given, and a connect timeout where the link needs more."""
    if CONNECT_TIMEOUT in given:
        return dict(given)
    needed = math.ceil(min(ROUND_TRIPS * link.exchange_s, LONGEST_CONNECT_S))
    return {**given, **({CONNECT_TIMEOUT: f"{needed}"} if needed > float(CONNECT_TIMEOUT_S) else {})}
