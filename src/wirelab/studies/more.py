"""More replicates of what a study's claims left open: which trials those are, and how many of them a time bears."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from wirelab.model.answer import Record
from wirelab.model.trial import Trial
from wirelab.studies.claims import Checked
from wirelab.studies.execute import SETUP_S
from wirelab.studies.paper import Paper, Part
from wirelab.studies.results import places_in

# Time that a study has left is spent in so many rounds: what the first tells needs no second, and each is a look at what stays open.
ROUNDS = 2
# What a hundred replicates leave open lies where the claim draws its line.
MOST = 100


def further(
    paper: Paper,
    plan: Callable[[Paper], Sequence[Trial]],
    done: Iterable[Trial],
    checked: Iterable[Checked],
    number: int,
) -> list[Trial]:
    """`number` more trials of each combination that an open comparison names, in the order of `plan`.

    They are what the study would have had next with more replicates: the same draws for the same replicate, so that combinations
    go on meeting the same link in pairs. `done` are the trials of the run so far.
    """

    def fronts(trial: Trial) -> list[str]:
        """How its figures' names begin; the first is its own, the others are those of its kinds of request."""
        return [one.name for one in places_in(paper, trial)]

    wanted = {name.rpartition(".")[0] for claim in checked for name in claim.open}
    had: dict[str, int] = {}
    for trial in done:
        own, *kinds = fronts(trial)
        if not wanted.isdisjoint((own, *kinds)):
            had[own] = max(had.get(own, 0), trial.replicate + 1)
    if not had:
        return []
    planned = plan(_longer(paper, max(had.values()) + number))
    return [
        trial
        for trial in planned
        if (first := had.get(fronts(trial)[0])) is not None and first <= trial.replicate < first + number
    ]


def fitting(left_s: float, one: Iterable[Trial], done: Iterable[Record], took_s: float) -> int:
    """How many replicates like `one` fit into `left_s`, where all that is `done` took `took_s`: each trial its share, by what its combination lasted."""
    lasted: dict[tuple[str, ...], list[float]] = {}
    for record in done:
        if record.result is not None:
            lasted.setdefault(_combination(record.trial), []).append(record.result.elapsed_ns / 1e9 + SETUP_S)
    mean = {combination: sum(each) / len(each) for combination, each in lasted.items()}
    all_s = sum(sum(each) for each in lasted.values())
    one_s = sum(mean.get(_combination(trial), SETUP_S) for trial in one) * took_s / all_s if all_s else 0.0
    return min(max(0, int(left_s / one_s)), MOST) if one_s else 0


def _combination(trial: Trial) -> tuple[str, ...]:
    return tuple(trial.levels.values())


def _longer(paper: Paper, repeats: int) -> Paper:
    """The same study with so many replicates."""
    return replace(
        paper, parts=tuple(Part(part.name, replace(part.study, repeats=repeats)) for part in paper.parts)
    )
