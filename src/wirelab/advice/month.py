"""The bytes of a deployed device in a month of 30 days: messages, keep-alives, connecting once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from wirelab.advice.figures import Replicate
from wirelab.model import trial_values, units
from wirelab.model.study import study_of

MONTH_S = 30 * 86_400
MONTH_HOURS = MONTH_S / 3600


def deployed_hz_of(meta: Mapping[str, object]) -> float | None:
    """The messages per second of a deployed device in the metadata of a run; None if not given."""
    given = study_of(meta).get("messages")
    return units.deployed_hz(given) if isinstance(given, str) and given else None


def month_bytes(deployed_hz: float, replicates: Sequence[Replicate]) -> list[float]:
    """The bytes of each replicate; NaN for all if no replicate was observed while idle."""
    idle = [trial_values.idle_hour_bytes(one.result) for one in replicates]
    known = [value for value in idle if not math.isnan(value)]
    hour = sum(known) / len(known) if known else math.nan
    return [
        trial_values.wire_bytes(one.result) * deployed_hz * MONTH_S
        + hour * MONTH_HOURS
        + trial_values.connecting_bytes(one.result)
        for one in replicates
    ]
