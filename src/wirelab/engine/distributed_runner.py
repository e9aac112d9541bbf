"""Trials whose roles stand on several nodes, one after the other on the same group of nodes; on a new group where a node is lost."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from wirelab.engine import ray_connection
from wirelab.engine.agent_group import Lost, Team
from wirelab.engine.base import Desk, Ran
from wirelab.engine.dispatcher import MAX_LOSSES, lost_twice
from wirelab.engine.distributed_trial import Performance
from wirelab.engine.node_inventory import Census
from wirelab.lab.outcome import Outcome
from wirelab.lab.peer_requests import Unsupported
from wirelab.model.errors import BadInput, WirelabError
from wirelab.model.reason import Reason
from wirelab.model.trial import State, Trial, Verdict
from wirelab.workloads.placement import parse


def run_placed(trials: Sequence[Trial], census: Census, desk: Desk) -> Generator[Ran, None, None]:
    """One after the other; a trial that loses a node or worker runs again, once, and says so. Raises BadInput, MeasurementFailed."""
    with ExitStack() as kept:
        team: Team | None = None
        for trial in trials:
            lost: list[str] = []
            folder = desk.begin([trial])[trial.id]
            try:
                while len(lost) < MAX_LOSSES:
                    try:
                        if team is None or team.placement != parse(trial.workload.placement):
                            kept.close()
                            team = _gathered(trial, trials, census, desk)
                            kept.callback(team.close)
                        ran = _ran(trial, team, folder, census, lost)
                    except Lost as error:
                        if not ray_connection.head_answers():
                            raise ray_connection.lost_head(str(desk.directory)) from None
                        lost.append(str(error))
                        team = None
                    else:
                        break
                yield lost_twice(trial, lost) if len(lost) >= MAX_LOSSES else ran
            finally:
                desk.end([trial])


def _gathered(trial: Trial, trials: Sequence[Trial], census: Census, desk: Desk) -> Team:
    """The nodes of a trial's placement, fit for every trial that has the same; what a reader must know of them is noted."""
    same = [one for one in trials if one.workload.placement == trial.workload.placement]
    team = Team(parse(trial.workload.placement), dict.fromkeys(one.server for one in same), census)
    for note in census.notes([node for node in ray_connection.living() if node.id in team.ids]):
        desk.note(note)
    return team


def _ran(trial: Trial, team: Team, folder: Path, census: Census, lost: Sequence[str]) -> Ran:
    """One trial, whatever it gives. Raises Lost."""
    performance = Performance(trial, team, folder)
    try:
        outcome = performance.run()
    except (Unsupported, BadInput) as error:
        outcome = Outcome(verdict=Verdict(State.SKIPPED, Reason.of(error)))
    except WirelabError as error:
        outcome = Outcome(verdict=Verdict(State.FAILED, Reason.of(error)))
    finally:
        with suppress(Lost, WirelabError):
            performance.leave()
    notes = tuple(f"retried: {where} was lost while it ran" for where in lost)
    return Ran(trial, outcome, notes, census.environment(team.ids, ""))
