"""The deployed device of a study: how often it sends, and how long its connections are observed."""

from __future__ import annotations

from wirelab.advice.thresholds import parse_threshold
from wirelab.model import units
from wirelab.model.errors import BadInput
from wirelab.model.metrics import Source, metric
from wirelab.model.study import Study

# Three keep-alives of MQTT at its usual 60 s: two whole periods.
IDLE = "190s"


def check_deployment(study: Study) -> None:
    """Check --messages and --idle, and that metrics of a deployed device have a rate.

    Raises BadInput.
    """
    idle_ns(study)
    if study.messages:
        units.deployed_hz(study.messages)
        if study.placement:
            why = "no link counts bytes between the nodes of a cluster"
            raise BadInput(f"messages '{study.messages}'", why, "leave out --placement or --messages")
        return
    asked = [*study.rank_by, *(parse_threshold(threshold).metric for threshold in study.thresholds)]
    for name in asked:
        if metric(name).source is Source.DEPLOYMENT:
            step = "say how often a device sends: --messages 24/day"
            raise BadInput(f"metric '{name}'", "needs the rate of a deployed device", step)


def idle_ns(study: Study) -> int:
    """How long connections stay open after the messages of the first replicate. Raises BadInput."""
    asked = study.idle or (IDLE if study.messages else "")
    if study.idle and study.placement:
        why = "no link counts bytes between the nodes of a cluster"
        raise BadInput(f"idle '{study.idle}'", why, "leave out --placement or --idle")
    return units.duration_ns(asked) if asked else 0
