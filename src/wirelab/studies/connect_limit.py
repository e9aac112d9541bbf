"""The connect timeout of a trial, from the link that its handshakes cross."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from wirelab.lab.link import LinkFacts
from wirelab.lab.peer_requests import CONNECT_TIMEOUT, CONNECT_TIMEOUT_S, LONGEST_CONNECT_S, connecting_s
from wirelab.model.trial import Trial
from wirelab.model.units import show_duration

# AMQP 0-9-1 over TLS takes about ten round trips until a consumer is ready: TCP, TLS 1.3, seven of
# AMQP and a queue, binding and consumer. Twice as many leave room for retransmissions.
ROUND_TRIPS = 20


def options_for(given: Mapping[str, str], link: LinkFacts) -> dict[str, str]:
    """The peer options of a trial: those given, and a connect timeout where the link needs more."""
    if CONNECT_TIMEOUT in given:
        return dict(given)
    needed = math.ceil(min(ROUND_TRIPS * link.exchange_s, LONGEST_CONNECT_S))
    return {**given, **({CONNECT_TIMEOUT: f"{needed}"} if needed > float(CONNECT_TIMEOUT_S) else {})}


def too_slow(planned: Iterable[Trial]) -> list[str]:
    """A sentence for each link over which a handshake may take longer than its connect timeout."""
    limits = {trial.link.text: (trial.link.exchange_s, connecting_s(trial.options)) for trial in planned}
    return [
        f"link {text}: an exchange takes {show_duration(took_s * 1e9)} with its losses, and connecting up to "
        f"{ROUND_TRIPS} of them; trials fail that are not connected after {show_duration(limit_s * 1e9)}; "
        + (
            "protocols with few round trips, such as CoAP, may still connect"
            if limit_s == LONGEST_CONNECT_S
            else f"leave out the option {CONNECT_TIMEOUT}, or give a longer one"
        )
        for text, (took_s, limit_s) in limits.items()
        if ROUND_TRIPS * took_s > limit_s
    ]
