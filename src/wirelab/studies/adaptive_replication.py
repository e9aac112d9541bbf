"""Extra replicates for inconclusive claims: which trials they are, and how many fit into a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from wirelab.advice.rows import Combination, combination, combinations
from wirelab.model.answer import Record
from wirelab.model.trial import Trial
from wirelab.studies.claims import Checked
from wirelab.studies.figure_key import FigureKey
from wirelab.studies.results import places_in
from wirelab.studies.study_file import Paper, Part
from wirelab.studies.time_left import SETUP_S

# Remaining time is spent in this many rounds. Each is one look. Decided claims need no further one.
ROUNDS = 2
# A comparison that a hundred replicates do not decide is at the claim's own limit.
MOST = 100


def further(
    paper: Paper,
    plan: Callable[[Paper], Sequence[Trial]],
    done: Iterable[Trial],
    checked: Iterable[Checked],
    number: Callable[[Combination], int],
) -> list[Trial]:
    """More trials of each combination that an inconclusive comparison names, in the order of
    `plan`.

    `number` gives how many of a combination. They are the trials that the study would have had next
    with more replicates: the same draws for the same replicate, so that combinations keep meeting
    the same link in pairs. `done` are the trials of the run so far.
    """

    def fronts(trial: Trial) -> list[str]:
        """The prefixes of the names of a trial's figures."""
        return [one.name for one in places_in(paper, trial)]

    wanted = {str(FigureKey.parse(name).front) for claim in checked for name in claim.open}
    had: dict[Combination, int] = {}
    for trial in done:
        if not wanted.isdisjoint(fronts(trial)):
            own = combination(trial)
            had[own] = max(had.get(own, 0), trial.replicate + 1)
    most = {own: first + number(own) for own, first in had.items()}
    planned = plan(_longer(paper, max(most.values()))) if most else []
    return [
        trial
        for trial in planned
        if (own := combination(trial)) in had and had[own] <= trial.replicate < most[own]
    ]


def fitting(
    left_s: float, one: Sequence[Trial], done: Iterable[Record], took_s: float
) -> dict[Combination, int]:
    """How many replicates of each combination of `one` fit into `left_s`, an equal part for each.

    All trials of `done` took `took_s` together. A trial takes its part of that, in proportion to
    how long those of its combination lasted. So short trials get many replicates.
    """
    lasted = {
        combination(records[0].trial): [r.result.elapsed_ns / 1e9 + SETUP_S for r in records if r.result]
        for records in combinations(record for record in done if record.result)
    }
    all_s = sum(sum(each) for each in lasted.values())
    found: dict[Combination, int] = {}
    for own in map(combination, one):
        each = lasted.get(own, [SETUP_S])
        one_s = sum(each) / len(each) * took_s / all_s if all_s else float("inf")
        found[own] = min(max(0, int(left_s / len(one) / one_s)), MOST)
    return found


def _longer(paper: Paper, replicates: int) -> Paper:
    """The same study with another number of replicates."""
    return replace(
        paper,
        parts=tuple(Part(part.name, replace(part.study, replicates=replicates)) for part in paper.parts),
    )
