"""Trials whose messages are sent in batches: every figure is one of messages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.factories import a_trial
from wirelab.lab.outcome import Outcome
from wirelab.model.arrivals import Arrivals, ConstantRate, Poisson
from wirelab.model.host_role import PUBLISHER, SUBSCRIBER
from wirelab.model.note import NoteCode
from wirelab.model.result import Usage
from wirelab.model.trial import VALID, Trial, Workload
from wirelab.store.sample_file import RECORD, sample_file
from wirelab.studies.batch_join import waits_ns
from wirelab.studies.trial_result import evaluate
from wirelab.workloads.load import planned_times

MS = 1_000_000
BEGIN = 10**12


STEADY = ConstantRate()


def of_five(arrivals: Arrivals = STEADY, rate_hz: float | None = 10.0, publishers: int = 1) -> Trial:
    """40 messages in batches of five, the first two of them a warm-up."""
    workload = Workload(
        rate_hz=rate_hz, count=30, warmup=10, arrivals=arrivals, publishers=publishers, batch=5
    )
    return a_trial(workload=workload)


def write(path: Path, records: list[tuple[int, ...]]) -> None:
    path.write_bytes(sample_file(np.array(records, dtype=RECORD)))


@pytest.fixture
def ran(tmp_path: Path) -> tuple[Trial, Outcome, Path]:
    """A batch of 103 bytes every 500 ms, each delivered after 20 ms but the last, which is lost."""
    due = [BEGIN + 400 * MS + k * 500 * MS for k in range(8)]
    write(
        tmp_path / f"{PUBLISHER}.samples",
        [(k, at, at + MS, at + 2 * MS, 0, 0, 0, 103, 0) for k, at in enumerate(due)],
    )
    write(
        tmp_path / f"{SUBSCRIBER}.samples",
        [(k, 0, 0, 0, 0, at + 19 * MS, at + 20 * MS, 103, 0) for k, at in enumerate(due[:7])],
    )
    return of_five(), Outcome(identity="header", messages=8, settled=True), tmp_path


def test_counts_bytes_and_latency_are_those_of_messages(ran: tuple[Trial, Outcome, Path]) -> None:
    result, joined = evaluate(*ran)
    assert joined is not None
    assert result.verdict == VALID
    assert (result.counts.sent, result.counts.delivered, result.counts.lost) == (30, 25, 5)
    assert (result.carried, result.payload_bytes, result.header_bytes) == (40, 20.6, 1.6)
    assert np.unique(joined.latency() // MS).tolist() == [20, 120, 220, 320, 420]


def test_waiting_for_the_batch_is_a_part_of_the_latency_and_no_queue(
    ran: tuple[Trial, Outcome, Path],
) -> None:
    parts = evaluate(*ran)[0].shares
    assert (parts.batch, parts.queue, parts.encode, parts.decode) == (200 * MS, MS, MS, MS)


def test_a_rate_is_that_of_messages(ran: tuple[Trial, Outcome, Path]) -> None:
    """Eight batches in 3.5 s are 10 messages a second, as planned."""
    assert NoteCode.RATE_MISSED not in {note.code for note in evaluate(*ran)[0].notes}


def test_waiting_for_a_cpu_is_judged_by_the_latency_of_messages(
    ran: tuple[Trial, Outcome, Path],
) -> None:
    """1.5 ms of a batch is 8 % of the 20 ms that its last message takes, and 1 % of 220 ms."""
    trial, outcome, folder = ran
    outcome.usage = {str(PUBLISHER): Usage(run_delay_ns=12 * MS)}
    assert evaluate(trial, outcome, folder)[0].verdict == VALID


def test_messages_wait_by_the_times_at_which_they_are_due() -> None:
    assert waits_ns(of_five(), 1).tolist() == [[400 * MS, 300 * MS, 200 * MS, 100 * MS, 0]]
    assert waits_ns(of_five(publishers=2), 1, 2, 1).tolist() == [[800 * MS, 600 * MS, 400 * MS, 200 * MS, 0]]
    random = of_five(Poisson())
    times = planned_times(random.workload, random.seed)
    assert waits_ns(random, 8)[1].tolist() == [times[9] - at for at in times[5:10]]


def test_at_the_maximum_rate_no_message_waits_for_others() -> None:
    assert waits_ns(of_five(rate_hz=None), 2).tolist() == [[0] * 5] * 2
