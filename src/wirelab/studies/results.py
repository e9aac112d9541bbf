"""A study's results as figures by name: `PART.DELIVERY.LEVEL.METRIC`, as claims and charts refer to
them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from wirelab.advice.answer import StoreView
from wirelab.advice.figures import Columns, estimates, replicate, spread
from wirelab.advice.rows import combinations, tally
from wirelab.model.answer import Record
from wirelab.model.errors import BadInput
from wirelab.model.metrics import ALIASES, METRICS, metric
from wirelab.model.study import Study
from wirelab.model.suggestions import nearest
from wirelab.model.trial import State, Trial
from wirelab.stats.intervals import mean_interval
from wirelab.studies import expression, requests
from wirelab.studies.claims import Claim, Figure
from wirelab.studies.delivery_modes import BENEATH
from wirelab.studies.figure_key import FigureKey
from wirelab.studies.plan import LinkLevel, link_levels
from wirelab.studies.study_file import Paper
from wirelab.workloads import services

PART = "part"
NAMES = [*METRICS, *ALIASES]


class Place(Struct, frozen=True):
    """The place of a combination in its part: the delivery, and by factor the levels that vary.

    `request` and `share` select some of its requests.
    """

    part: str
    delivery: str
    levels: dict[str, str]
    request: str = ""
    share: float | None = None

    @property
    def series(self) -> str:
        """The delivery, and the kind of request where only that is meant: `coap-con-get`."""
        return f"{self.delivery}-{self.request}" if self.request else self.delivery

    @property
    def name(self) -> str:
        """The front of its figures' names: `large.coap-non.5`."""
        return ".".join(filter(None, [self.part, self.series, *map(word, self.levels.values())]))


def word(level: str) -> str:
    """A level as a part of a name: `5%` is `5`, `lte-drive,rate*0.5` is `lte-drive_rate_0_5`."""
    return re.sub(r"[^a-z0-9-]+", "_", level.lower().removesuffix("%")).strip("_")


def place(trial: Trial, study: Study, utilization: str = "") -> Place:
    """Where a trial stands, or its requests at one of the utilizations that take turns.

    A factor is named if it has several levels in its part, loss wherever it is a factor.
    """
    levels = trial.levels | ({"utilization": utilization} if utilization else {})
    delivery = [levels["protocol"], levels["qos"]]
    delivery += [levels[f] for f in BENEATH if f in levels and _several(getattr(study, f))]
    links = {level.text: level for level in link_levels(study)}
    at = links.get(levels["link"], LinkLevel(levels["link"], levels["link"]))
    found = {
        "format": levels.get("format", "") if len(study.format) > 1 and not study.size else "",
        "size": levels.get("size", "") if len(study.size) > 1 else "",
        "link": at.link if len(study.link) > 1 else "",
        "loss": at.loss,
        **{
            name: levels.get(name, "")
            for name in ("rate", "utilization", "workload", "subscribers", "topology", "compression", "batch")
        },
    }
    return Place(
        levels.get(PART, ""),
        "-".join(map(word, filter(None, delivery))),
        {key: level for key, level in found.items() if level},
    )


def places(trial: Trial, study: Study) -> list[Place]:
    """Where a trial stands, and its requests of each kind, at each utilization where several take
    turns.
    """
    found = [place(trial, study)]
    if len(trial.workload.utilization) > 1:
        turns = zip(study.utilization, trial.workload.utilization, strict=True)
        found = [replace(place(trial, study, level), share=share) for level, share in turns]
    kinds = ("", *services.kinds_of(trial.workload.application))
    return [replace(one, request=kind) for one in found for kind in kinds]


def places_in(paper: Paper, trial: Trial) -> list[Place]:
    """`places` of a trial of that study file."""
    return places(trial, next(part.study for part in paper.parts if part.name == trial.levels.get(PART, "")))


def _several(asked: Sequence[str]) -> bool:
    return len(asked) > 1 or "all" in asked


def results(view: StoreView, paper: Paper) -> tuple[dict[str, Figure], dict[str, str]]:
    """All figures by name, and for each combination without a valid trial the reason, by the front
    of its names.
    """
    figures: dict[str, Figure] = {}
    reasons: dict[str, str] = {}
    most = max((record.trial.replicate for record in view.results()), default=0) + 1
    for records in combinations(view.results()):
        trial = records[0].trial
        stands = places_in(paper, trial)
        valid = [r for r in records if r.result is not None and r.result.verdict.state is State.VALID]
        if valid:
            samples = {record.trial.id: view.samples(record.trial.id) for record in valid}
            for one in stands:
                figures |= _of_combination(one, valid, most, samples)
        else:
            told = tally(records)
            reason = str(told.reasons[0]) if told.reasons else f"{told.missing} trials have not run"
            reasons |= {one.name: reason for one in stands}
    return figures, reasons


def _of_combination(
    one: Place, valid: Sequence[Record], most: int, samples: Mapping[str, Columns]
) -> dict[str, Figure]:
    name, kind, share = one.name, one.request, one.share
    meant = {r.trial.id: requests.meant(r.trial, samples[r.trial.id], kind, share) for r in valid}
    replicates = [replicate(record, meant.__getitem__) for record in valid]
    single, found = estimates(replicates)
    if kind or share is not None:
        # A trial's bytes and its CPU time are those of all its requests.
        single = {key: values for key, values in single.items() if key.startswith("latency")}
    expected = [requests.expected_ns(r.trial, samples[r.trial.id], kind, share) for r in valid]
    if not np.all(np.isnan(expected)):
        single["expected"] = expected
        found["expected"] = mean_interval([np.array([v]) for v in expected if not np.isnan(v)], "ns")
    own = {key: Figure(spread(single[key], replicates, most), found[key]) for key in found if key in single}
    return {f"{name}.{short}": own[key] for short in NAMES if (key := metric(short).name) in own}


def why_missing(reasons: Mapping[str, str], lacking: Mapping[str, str], name: str) -> str:
    """What to say of a figure that is not there: how its trials ended, or what is not installed."""
    key = FigureKey.parse(name)
    known = next((known for known in reasons if key.front.star(FigureKey.parse(known)) is not None), None)
    if known is not None:
        return f"{known} ({reasons[known]})"
    protocol = next(filter(key.is_of, lacking), None)
    return f"{protocol}: {lacking[protocol]}" if protocol is not None else name


def check_claims(paper: Paper, planned: Sequence[Trial]) -> None:
    """Every figure that claims and charts name is one that the study measures, and every test is
    one. Raises BadInput with the nearest name.
    """
    fronts = {one.name for trial in planned for one in places_in(paper, trial)}
    every = [f"{front}.{name}" for front in fronts for name in NAMES]
    for claim in paper.claims:
        if not claim.tests and not claim.reason:
            raise BadInput(
                f"claim '{claim.text}'",
                "neither tests nor a reason",
                "add tests, or the reason why there are none",
            )
        for test in (one for text in claim.tests for one in expression.instances(text, every)):
            _check_names(claim, test, fronts)
            for a, _, b in expression.steps(test):
                for term in (a, b):
                    expression.value(term, lambda _: np.ones(1))
        for shown in (one for text in claim.display for one in expression.instances(text, every)):
            _check_names(claim, shown, fronts)
    for chart in paper.charts:
        metric(chart.metric)


def _check_names(claim: Claim, text: str, fronts: set[str]) -> None:
    for name in expression.names(text):
        key = FigureKey.parse(name)
        what, front = f"claim '{claim.text}': figure {name}", str(key.front)
        if key.metric not in NAMES:
            raise BadInput(what, "no such metric", nearest(key.metric, NAMES))
        if front not in fronts:
            raise BadInput(what, "not a measured figure", nearest(front, fronts))
