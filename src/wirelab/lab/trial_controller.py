"""The course of a trial, wherever its processes run."""

from __future__ import annotations

import time
from typing import Protocol

from wirelab.lab.drain_limits import DrainEnd, DrainLimits, DrainState
from wirelab.lab.outcome import Outcome
from wirelab.lab.peer_requests import Unsupported
from wirelab.model.errors import WirelabError
from wirelab.model.reason import Reason
from wirelab.model.trial import State, Verdict


class Testbed(Protocol):
    """The place of a trial's processes: hosts of a lab, or nodes of a cluster.

    Its observations go into `outcome`.
    """

    outcome: Outcome

    def serve(self) -> None:
        """Start the server, if the trial has one."""

    def connect(self) -> None:
        """Start and connect the subscribers, then the publishers."""

    def start(self, offset_ns: int) -> DrainLimits:
        """Start sending after a delay."""

    def look(self) -> DrainState:
        """Poll the processes."""

    def collect(self) -> None:
        """Stop the peers, and collect counters, usage and samples."""


class TrialController:
    """Takes one trial through its phases. Errors of the testbed pass through."""

    def __init__(self, testbed: Testbed) -> None:
        self._testbed = testbed

    def prepare(self) -> None:
        """Start all processes; afterwards every peer is connected."""
        self._testbed.serve()
        self._testbed.connect()

    def measure(self, offset_ns: int = 0) -> None:
        """Send, drain and collect.

        It drains until all messages have arrived, all is quiet for the protocol's timeout, overload
        is certain, or the drain limit is reached.
        """
        testbed = self._testbed
        limits = testbed.start(offset_ns)
        end = None
        while end is None:
            time.sleep(limits.poll_s)
            end = limits.end(testbed.look())
        testbed.outcome.overloaded = end is DrainEnd.OVERLOADED
        testbed.collect()


def verdict_of(error: WirelabError) -> Verdict:
    """The verdict of a trial that ended with an error."""
    state = State.SKIPPED if isinstance(error, Unsupported) else State.FAILED
    return Verdict(state, Reason.of(error))
