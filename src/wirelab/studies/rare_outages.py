"""Means that are asked for over links whose rare outages most trials do not meet."""

from __future__ import annotations

from wirelab.advice.thresholds import asked_metrics
from wirelab.lab.link import link_facts
from wirelab.model.study import Study
from wirelab.model.units import show
from wirelab.studies.plan import link_texts


def stated_outages(study: Study) -> list[str]:
    """A sentence for each such link (docs/explanation/method.md)."""
    asked = asked_metrics(study.thresholds, study.rank_by)
    means = [one.title for one in asked if one.times and one.statistic in ("mean", "sd")]
    if not means or study.placement:
        return []
    shares = {
        text: max(link_facts(text).up.outage, link_facts(text).down.outage) for text in link_texts(study)
    }
    return [
        f"{means[0]} over {text}: it has no capacity in {show(share, 'fraction')} of its seconds, which few "
        "trials meet, so the true mean is outside the interval more often than stated; rank by a quantile, "
        "or ask for late>500ms"
        for text, share in shares.items()
        if share
    ]
