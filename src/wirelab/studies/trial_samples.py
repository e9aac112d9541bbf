"""The samples of a trial's peers, joined."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wirelab.lab.outcome import Outcome
from wirelab.lab.spec import subscribers
from wirelab.model import sample_flags
from wirelab.model.host_role import PUBLISHER
from wirelab.model.trial import Trial
from wirelab.stats.sample_join import Joined, join, together
from wirelab.store.sample_file import read_samples
from wirelab.studies.batch_join import in_messages
from wirelab.studies.multi_publisher_join import join_streams
from wirelab.workloads.load import total_batches


def join_samples(trial: Trial, outcome: Outcome, folder: Path) -> Joined:
    """The records of all peers as one row per message and subscriber. Raises MeasurementFailed."""
    if outcome.streams:
        return join_streams(trial, outcome, folder)
    planned = total_batches(trial.workload) if trial.workload.duration_ns is None else None
    if planned is None:
        planned = outcome.counters.get(PUBLISHER, {}).get("sent", 0)
    published = read_samples(folder / f"{PUBLISHER}.samples")
    if trial.workload.application:
        # The requester records both ends of an exchange: its arrivals are the answers.
        return join(
            published,
            answers(published),
            planned=planned,
            identity="header",
            warmup=trial.workload.warmup,
        )
    return together(
        [
            in_messages(
                trial,
                join(
                    published,
                    read_samples(folder / f"{name}.samples"),
                    planned=planned,
                    identity=outcome.identity,
                    messages=max(1, outcome.messages),
                    warmup=trial.workload.warmup // trial.workload.batch,
                ),
            )
            for name in subscribers(trial)
        ]
    )


def answers(requests: NDArray[np.void]) -> NDArray[np.void]:
    """The answers in a requester's records, as records of arrivals."""
    answered = requests[(requests["flags"] & sample_flags.ACKNOWLEDGED) != 0]
    arrivals = np.zeros(len(answered), dtype=answered.dtype)
    arrivals["seq"], arrivals["bytes"] = answered["seq"], answered["bytes"]
    arrivals["received"] = arrivals["decoded"] = answered["done"]
    return arrivals
