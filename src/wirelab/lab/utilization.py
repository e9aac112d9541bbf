"""Rates from utilization levels: the warm-up measures the service time of an idle responder."""

from __future__ import annotations

import time
from pathlib import Path

from wirelab.lab.peer import Peer
from wirelab.lab.peer_contract import Send
from wirelab.model import sample_flags
from wirelab.model.errors import MeasurementFailed
from wirelab.model.trial import Trial
from wirelab.store.sample_file import read_samples
from wirelab.workloads import services, utilization_levels

# Requests of the warm-up are this far apart, so that each meets an idle server, even with a
# connection per request.
GAP_NS = 10_000_000
# A slower answer is waited for, and later requests are delayed as much.
SLOW_NS = 5_000_000_000
LEAD_NS = 100_000_000
POLL_S = 0.005


def send_at_share(requester: Peer, trial: Trial, samples: Path, at_ns: int) -> tuple[int, int]:
    """Send the warm-up slowly, then the rest at the trial's utilization levels.

    Returns when the latter begins and how long it lasts, in ns. Raises MeasurementFailed if the
    idle responder does not answer.
    """
    workload = trial.workload
    answered = _ask_idle(requester, workload.warmup, samples, at_ns)
    service = services.service_ns(workload, trial.seed, answered).get("", 0.0)
    if service <= 0:
        raise MeasurementFailed("requests of the warm-up", "not answered", "see responder.log")
    times = utilization_levels.times_ns(workload, trial.seed, service)
    begin = time.monotonic_ns() + LEAD_NS
    for planned in times:
        requester.send(Send(begin + planned))
    return begin, (times or [0])[-1]


def _ask_idle(requester: Peer, number: int, samples: Path, at_ns: int) -> dict[int, int]:
    """The times of the warm-up's requests from planned to answered, in ns. Each is planned when the
    previous one is over.
    """
    found: dict[int, int] = {}
    for request in range(number):
        planned = max(at_ns, time.monotonic_ns() + GAP_NS)
        requester.send(Send(planned))
        while time.monotonic_ns() - planned < SLOW_NS:
            time.sleep(POLL_S)
            records = read_samples(samples)
            if len(records) > request and records["done"][request]:
                if records["flags"][request] & sample_flags.ACKNOWLEDGED:
                    found[request] = int(records["done"][request] - records["planned"][request])
                break
        requester.drain()
    return found
