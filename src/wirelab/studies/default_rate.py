"""The default rate: well under what a link carries of a study's messages."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from wirelab.lab.link import LinkFacts
from wirelab.lab.protocols import protocol
from wirelab.model.coap import BLOCK_BYTES
from wirelab.model.study import AUTO, Study
from wirelab.model.trial import Trial
from wirelab.model.units import rate_text
from wirelab.studies.delivery_modes import deliveries

# The rate of links that carry far more.
USUAL_HZ = 5.0
# The part of the mean capacity that the default takes. Capacity varies, and queues grow with load.
SHARE = 0.2
# The part of the time in which a protocol that waits for each acknowledgement is busy.
BUSY = 0.5
# Headers and acknowledgements of a message: IP, TCP, TLS and the protocol's own.
OVERHEAD_BYTES = 200
# Rates are rounded down to one of these, times a power of ten.
STEPS = (8.0, 6.0, 5.0, 4.0, 3.0, 2.5, 2.0, 1.5, 1.2, 1.0)


class DefaultRate(Struct, frozen=True):
    """What the default rate of a study depends on beside the link.

    `waits`: one of its protocols sends a message only after the last is acknowledged.
    """

    message_bytes: float = 0.0
    waits: bool = False

    @classmethod
    def of(cls, study: Study, message_bytes: float) -> DefaultRate:
        """That of a study with messages of this mean size."""
        waits = any(one.qos in protocol(one.protocol).one_by_one for one in deliveries(study))
        return cls(message_bytes, waits)

    def hz(self, link: LinkFacts) -> float:
        """Messages per second that every protocol of the study carries over the link."""
        limits = [USUAL_HZ]
        for way in (link.up, link.down):
            if way.bit_per_s:
                limits.append(SHARE * way.bit_per_s / (8 * (self.message_bytes + OVERHEAD_BYTES)))
        blocks = max(1, math.ceil(self.message_bytes / BLOCK_BYTES))
        took_s = blocks * link.round_trip_s(self.message_bytes / blocks + OVERHEAD_BYTES, OVERHEAD_BYTES)
        if self.waits and took_s > 0:
            limits.append(BUSY / took_s)
        return _rounded(min(limits))


def _rounded(hz: float) -> float:
    """The next round rate that is not above: 0.3 for 0.31."""
    power = 10.0 ** math.floor(math.log10(hz))
    step = next(step for step in STEPS if step * power <= hz * (1 + 1e-9))
    return float(f"{step * power:.6g}")


def stated_rates(study: Study, planned: Sequence[Trial]) -> list[str]:
    """A sentence for each default rate below the usual one, with its links and messages."""
    if AUTO not in study.rate or study.utilization:
        return []
    slow: dict[tuple[float, int | None, int], dict[str, None]] = {}
    for trial in planned:
        own = trial.workload
        if own.rate_hz is not None and own.rate_hz < USUAL_HZ and trial.levels.get("rate", AUTO) == AUTO:
            slow.setdefault((own.rate_hz, own.count, own.warmup), {})[trial.link.text] = None
    return [
        f"default rate on {', '.join(links)}: {rate_text(hz)}, well under what it carries"
        + (f"; {count} messages a trial after {warmup} of warm-up" if count else "")
        + "; --rate asks for another"
        for (hz, count, warmup), links in slow.items()
    ]
