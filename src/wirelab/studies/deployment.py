"""The deployed device of a study: how often it sends, and how long its connections are observed."""

from __future__ import annotations

from wirelab.advice.thresholds import asked_metrics
from wirelab.model import units
from wirelab.model.errors import BadInput
from wirelab.model.metrics import Source
from wirelab.model.study import Study

# Three keep-alives of MQTT at its usual 60 s: two whole periods.
IDLE = "190s"


def check_deployment(study: Study) -> None:
    """Check --messages and --idle, and that metrics of a deployed device have a rate.

    Raises BadInput.
    """
    for key in ("messages", "idle"):
        if study.placement and (given := getattr(study, key)):
            why = "no link counts bytes between the nodes of a cluster"
            raise BadInput(f"{key} '{given}'", why, f"leave out --placement or --{key}")
    idle_ns(study)
    if study.messages:
        units.deployed_hz(study.messages)
        return
    for one in asked_metrics(study.thresholds, study.rank_by):
        if one.source is Source.DEPLOYMENT:
            step = "say how often a device sends: --messages 24/day"
            raise BadInput(f"metric '{one.name}'", "needs the rate of a deployed device", step)


def idle_ns(study: Study) -> int:
    """How long connections stay open after the messages of the first replicate. Raises BadInput."""
    asked = study.idle or (IDLE if study.messages else "")
    return units.duration_ns(asked) if asked else 0
