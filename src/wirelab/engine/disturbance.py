"""How much a trial may be disturbed by the machine, and how much it was."""

from __future__ import annotations

from wirelab.lab.outcome import Outcome
from wirelab.model.host_role import PUBLISHER, SUBSCRIBER, role_of
from wirelab.model.result import Usage
from wirelab.model.trial import Trial

# The largest lateness of the emulator at the 99th percentile: 1 ms, or 2 % of the median latency if
# that is more.
LATE_NS, LATE_SHARE = 1_000_000.0, 0.02
# Peers that waited longer than this per message for a CPU measured the machine, not the protocol.
WAIT_NS, WAIT_SHARE = 200_000.0, 0.05
# A subscriber is scheduled this often for one message: woken by the kernel, by its own runtime, to
# hand over, to acknowledge.
TURNS = 4


def allowed_wait_ns(latency_ns: float) -> float:
    """How long peers may wait for a CPU per message of this latency."""
    return max(WAIT_NS, WAIT_SHARE * latency_ns)


def allowed_lateness_ns(latency_ns: float) -> float:
    """How late the emulator may be for messages of this latency."""
    return max(LATE_NS, LATE_SHARE * latency_ns)


def least_latency_ns(trial: Trial) -> float:
    """A lower bound of a trial's latency: its link crossed once."""
    return trial.link.exchange_s * 1e9 / 2


def strain(trial: Trial, outcome: Outcome) -> float:
    """How much of what is allowed the machine disturbed a finished trial; above 1 it is void."""
    latency_ns = least_latency_ns(trial)
    late_ns = float(outcome.link.get("lateness", {}).get("p99_ns", 0.0))
    wait_ns = _each(outcome, PUBLISHER) + TURNS * _each(outcome, SUBSCRIBER)
    return max(late_ns / allowed_lateness_ns(latency_ns), wait_ns / allowed_wait_ns(latency_ns))


def _each(outcome: Outcome, role: str) -> float:
    """The mean wait of a wake-up of these peers, ns."""
    used: list[Usage] = [one for name, one in outcome.usage.items() if role_of(name) == role]
    return sum(one.run_delay_ns for one in used) / max(1, sum(one.slices for one in used))
