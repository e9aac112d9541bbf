"""Cross traffic: a second publisher and subscriber, with their own hosts and topic.

`2MB,from=30s,for=10s`            messages of 2 MB as a flood, from second 30 to 40
`1kB,from=0s,for=60s,rate=100/s`  messages of 1 kB, 100 per second
"""

from __future__ import annotations

from wirelab.model import units
from wirelab.model.errors import BadInput
from wirelab.model.suggestions import nearest
from wirelab.model.trial import Cross

KEYS = ("from", "for", "rate")
EXAMPLE = "write it like 2MB,from=30s,for=10s"
# Two different messages are made, so that the second does not look like a duplicate. A flood of
# larger ones would not fit into memory.
MOST_BYTES = 64 << 20


def parse(text: str) -> Cross | None:
    """The flow that a text names; None if empty. Raises BadInput."""
    if not text:
        return None
    size, *rest = (part.strip() for part in text.split(","))
    given: dict[str, str] = {}
    for part in rest:
        key, _, value = part.partition("=")
        if key not in KEYS or key in given:
            raise BadInput(f"cross traffic '{text}'", f"'{key}' is not a part of it", nearest(key, KEYS))
        given[key] = value
    if "from" not in given or "for" not in given:
        raise BadInput(f"cross traffic '{text}'", "needs from= and for=", EXAMPLE)
    flow = Cross(
        size_bytes=units.size_bytes(size),
        from_ns=units.duration_ns(given["from"]),
        for_ns=units.duration_ns(given["for"]),
        rate_hz=units.rate_hz(given.get("rate", "max")),
    )
    if not 0 < flow.size_bytes <= MOST_BYTES:
        raise BadInput(f"cross traffic '{text}'", "messages of no size, or above 64 MiB", EXAMPLE)
    return flow
