"""Run distributed trials in sequence on one group of nodes; after the loss of a node on a new one."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from wirelab.engine import ray_connection
from wirelab.engine.agent_group import AgentGroup, NodeLost
from wirelab.engine.base import FinishedTrial, JournalCallbacks
from wirelab.engine.dispatcher import MAX_LOSSES, lost_twice
from wirelab.engine.node_inventory import NodeInventory
from wirelab.engine.nodes_testbed import NodesTestbed
from wirelab.lab.outcome import Outcome
from wirelab.lab.trial_controller import TrialController, verdict_of
from wirelab.model.errors import BadInput, WirelabError
from wirelab.model.reason import Reason
from wirelab.model.trial import State, Trial, Verdict
from wirelab.workloads.placement import parse


def run_distributed(
    trials: Sequence[Trial], inventory: NodeInventory, journal: JournalCallbacks
) -> Generator[FinishedTrial, None, None]:
    """Run trials in sequence. A trial that loses a node or worker is retried once, with a note.

    Raises BadInput, MeasurementFailed.
    """
    with ExitStack() as kept:
        group: AgentGroup | None = None
        for trial in trials:
            lost: list[str] = []
            folder = journal.begin([trial])[trial.id]
            try:
                while len(lost) < MAX_LOSSES:
                    try:
                        if group is None or group.placement != parse(trial.workload.placement):
                            kept.close()
                            group = _gathered(trial, trials, inventory, journal)
                            kept.callback(group.close)
                        ran = _ran(trial, group, folder, inventory, lost)
                    except NodeLost as error:
                        if not ray_connection.head_answers():
                            raise ray_connection.lost_head(str(journal.directory)) from None
                        lost.append(str(error))
                        group = None
                    else:
                        break
                yield lost_twice(trial, lost) if len(lost) >= MAX_LOSSES else ran
            finally:
                journal.end([trial])


def _gathered(
    trial: Trial, trials: Sequence[Trial], inventory: NodeInventory, journal: JournalCallbacks
) -> AgentGroup:
    """The nodes of a trial's placement, suitable for all trials with the same placement.

    Warnings about the nodes are stored.
    """
    same = [one for one in trials if one.workload.placement == trial.workload.placement]
    group = AgentGroup(parse(trial.workload.placement), dict.fromkeys(one.server for one in same), inventory)
    for note in inventory.notes([node for node in ray_connection.living() if node.id in group.ids]):
        journal.note(note)
    return group


def _ran(
    trial: Trial, group: AgentGroup, folder: Path, inventory: NodeInventory, lost: Sequence[str]
) -> FinishedTrial:
    """Run one trial. Every outcome except NodeLost is a result."""
    testbed = NodesTestbed(trial, group, folder)
    controller = TrialController(testbed)
    try:
        controller.prepare()
        controller.measure()
        outcome = testbed.outcome
    except BadInput as error:
        outcome = Outcome(verdict=Verdict(State.SKIPPED, Reason.of(error)))
    except WirelabError as error:
        outcome = Outcome(verdict=verdict_of(error))
    finally:
        with suppress(NodeLost, WirelabError):
            testbed.leave()
    notes = tuple(f"retried: {where} was lost while it ran" for where in lost)
    return FinishedTrial(trial, outcome, notes, inventory.environment(group.ids, ""))
