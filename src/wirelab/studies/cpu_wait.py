"""What waiting for a CPU, or being stopped by the machine, added to a trial's latencies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wirelab.engine.disturbance import TURNS
from wirelab.lab.outcome import Outcome
from wirelab.model.host_role import PUBLISHER, SUBSCRIBER, role_of
from wirelab.model.result import Usage
from wirelab.stats.sample_join import Joined

# A sender with nothing else to do that starts a message later than this was stopped by the machine:
# being woken takes less.
STALL_NS = 2_000_000
# A sender that the machine stops stalls up to about twice as long as the kernel counts it as
# waiting for a CPU, because a hypervisor's pauses are in no count. For a window or an
# acknowledgement of its protocol it waits a hundred times as long.
STALL_PER_WAIT = 3


def wait_ns(outcome: Outcome, joined: Joined) -> float:
    """ns per sent message by which waiting for a CPU may have made the latency longer.

    Waiting while idle costs no message anything. Of a publisher's waiting, the part that shows
    between planned and sent counts; of a subscriber's, no more than the average wait of the few
    wake-ups that a message takes.
    """
    publisher = sum(usage.run_delay_ns for usage in _of_role(outcome, PUBLISHER))
    subscriber = sum(usage.run_delay_ns for usage in _of_role(outcome, SUBSCRIBER))
    slices = sum(used.slices for used in _of_role(outcome, SUBSCRIBER))
    sent, planned = (joined.columns[name].astype(np.int64) for name in ("sent", "planned"))
    was_sent = sent > 0
    late = int((sent - planned)[was_sent].sum())
    messages = max(1, int(np.count_nonzero(was_sent)))
    turns = min(slices, TURNS * messages) if slices else messages
    receiving = subscriber / messages * (turns / slices if slices else 1.0)
    return float(min(publisher, late) / messages + receiving)


def _of_role(outcome: Outcome, role: str) -> list[Usage]:
    return [used for name, used in outcome.usage.items() if role_of(name) == role]


def stalls_ns(outcome: Outcome, joined: Joined) -> NDArray[np.int64]:
    """ns by which each message sent after the warm-up was started late by a stalled sender; else 0.

    A sender stalls if it does not run although all messages planned before have been handed over.
    Messages that come due during a stall are late with it. If a sender stalled for far longer in
    all than it waited for a CPU, it waited for its protocol, for a window or an acknowledgement;
    then only the stalls count during which nothing was on its way that it could have waited for.
    """
    columns = joined.columns
    used = columns["sent"].astype(np.int64) > 0
    if "subscriber" in columns:
        # There, each message has a row for each subscriber.
        used &= columns["subscriber"] == 0
    planned, start, sent = (columns[name][used].astype(np.int64) for name in ("planned", "start", "sent"))
    handed_over = np.concatenate([planned[:1], np.maximum.accumulate(sent)[:-1]])
    idle = start - np.maximum(planned, handed_over)
    stalls = np.flatnonzero(idle > STALL_NS)
    late = np.zeros(len(planned), dtype=np.int64)
    waited = sum(usage.run_delay_ns for usage in _of_role(outcome, PUBLISHER))
    if idle[stalls].sum() > STALL_PER_WAIT * waited:
        stalls = stalls[_settled_ns(columns, used)[stalls] <= (start - idle)[stalls]]
    for stall in stalls:
        due = slice(stall, np.searchsorted(planned, start[stall]))
        late[due] = (start - planned)[due]
    counted: NDArray[np.int64] = late[~columns["warmup"][used].astype(bool)]
    return counted


def _settled_ns(columns: dict[str, NDArray[np.generic]], used: NDArray[np.bool_]) -> NDArray[np.int64]:
    """When all that was sent before each message had arrived and was acknowledged, ns.

    Never, where a message did not arrive or other subscribers may still get it.
    """
    received, done = (columns[name][used].astype(np.int64) for name in ("received", "done"))
    known = (received > 0) & ("subscriber" not in columns)
    ended = np.where(known, np.maximum(received, done), np.iinfo(np.int64).max)
    settled: NDArray[np.int64] = np.concatenate([[0], np.maximum.accumulate(ended)[:-1]])
    return settled
