"""More replicates of what a study's claims left open: which trials those are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from wirelab.model.trial import Trial
from wirelab.studies.claims import Checked
from wirelab.studies.paper import Paper, Part
from wirelab.studies.results import places_in


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


def _longer(paper: Paper, repeats: int) -> Paper:
    """The same study with so many replicates."""
    return replace(
        paper, parts=tuple(Part(part.name, replace(part.study, repeats=repeats)) for part in paper.parts)
    )
