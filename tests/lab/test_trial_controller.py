"""The phases of a trial, and when it has drained, wherever its processes run."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from wirelab.lab.drain_limits import DrainEnd, DrainLimits, DrainState, overload_ns
from wirelab.lab.outcome import Outcome
from wirelab.lab.peer_requests import Unsupported
from wirelab.lab.trial_controller import TrialController, verdict_of
from wirelab.model.errors import MeasurementFailed
from wirelab.model.trial import State

SECOND = 1_000_000_000
LIMITS = DrainLimits(due_ns=100 * SECOND, linger_ns=20 * SECOND, drain_ns=60 * SECOND, poll_s=0.0)


def at(second: int, settled: bool = True, complete: bool = False, quiet: float = 0.0) -> DrainState:
    return DrainState(second * SECOND, settled, complete, int(quiet * SECOND))


class RecordedTestbed:
    """A testbed that records its calls and drains through the given states."""

    def __init__(self, *states: DrainState) -> None:
        self.outcome = Outcome()
        self.calls: list[str] = []
        self._states = list(states)

    def serve(self) -> None:
        self.calls.append("serve")

    def connect(self) -> None:
        self.calls.append("connect")

    def start(self, offset_ns: int) -> DrainLimits:
        self.calls.append(f"start {offset_ns}")
        return LIMITS

    def look(self) -> DrainState:
        self.calls.append("look")
        return self._states.pop(0)

    def collect(self) -> None:
        self.calls.append("collect")


def test_a_trial_is_prepared_then_drains_before_it_is_collected() -> None:
    testbed = RecordedTestbed(at(99, settled=False), at(100, complete=True))
    controller = TrialController(testbed)
    controller.prepare()
    controller.measure(offset_ns=7)
    assert testbed.calls == ["serve", "connect", "start 7", "look", "look", "collect"]
    assert not testbed.outcome.overloaded


def test_a_trial_whose_messages_still_move_long_after_the_last_was_due_is_overloaded() -> None:
    testbed = RecordedTestbed(at(109), at(111))
    TrialController(testbed).measure()
    assert testbed.outcome.overloaded


@pytest.mark.parametrize(
    ("state", "end"),
    [
        (at(90, complete=True), DrainEnd.QUIET),
        (at(90, settled=False, complete=True), None),
        (at(101, quiet=20), None),
        (at(101, quiet=21), DrainEnd.QUIET),
        (at(110, quiet=0.5), None),
        (at(111, quiet=0.5), DrainEnd.OVERLOADED),
        (at(111, quiet=1), None),
        (at(111, settled=False), DrainEnd.OVERLOADED),
        (at(161, settled=False, quiet=2), DrainEnd.LIMIT),
    ],
)
def test_draining_ends_when_nothing_more_can_arrive(state: DrainState, end: DrainEnd | None) -> None:
    assert LIMITS.end(state) is end


@pytest.mark.parametrize(("exchange_s", "late_s"), [(0.0, 10), (2.0, 10), (20.0, 80)])
def test_overload_is_certain_after_four_exchanges_of_a_slow_link(exchange_s: float, late_s: int) -> None:
    assert overload_ns(exchange_s) == late_s * SECOND
    slow = replace(LIMITS, drain_ns=900 * SECOND, overload_ns=overload_ns(exchange_s))
    assert slow.end(at(100 + late_s, quiet=0.5)) is None
    assert slow.end(at(101 + late_s, quiet=0.5)) is DrainEnd.OVERLOADED


def test_a_flood_on_nodes_is_never_overloaded() -> None:
    flood = DrainLimits(100 * SECOND, 20 * SECOND, 60 * SECOND, detects_overload=False)
    assert flood.end(at(111)) is None
    assert flood.end(at(161)) is DrainEnd.LIMIT


def test_a_trial_that_a_peer_does_not_support_is_skipped_and_any_other_error_fails_it() -> None:
    assert verdict_of(Unsupported("peer", "no qos 2")).state is State.SKIPPED
    assert verdict_of(MeasurementFailed("peer", "ended")).state is State.FAILED
