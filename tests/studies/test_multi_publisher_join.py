"""Samples of several publishers with their own clocks, merged without losses onto one clock."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.factories import a_payload, a_trial
from wirelab.lab.outcome import Outcome
from wirelab.model.host_role import PUBLISHER, SUBSCRIBER, HostRole
from wirelab.model.json_stream import SAME, Offset, Stream
from wirelab.model.trial import Trial, Workload
from wirelab.store.sample_file import RECORD, sample_file
from wirelab.studies.multi_publisher_join import join_streams
from wirelab.studies.trial_result import evaluate

MS = 1_000_000
BEGIN = 10**12
# Of every publisher: one message in ten of 1 ms is lost, the others take 20 ms.
LATENCY = 20 * MS


def write(path: Path, records: list[tuple[int, ...]]) -> None:
    path.write_bytes(sample_file(np.array(records, dtype=RECORD)))


@pytest.fixture
def two(tmp_path: Path) -> Callable[..., tuple[Trial, Outcome, Path]]:
    """Two publishers that share `total` messages 1 ms apart; the second one's clock is 5 s ahead,
    known within `error`.
    """

    def made(
        total: int, error: float, warmup: int = 0, lost: tuple[int, ...] = ()
    ) -> tuple[Trial, Outcome, Path]:
        for index, ahead in enumerate((0, 5_000 * MS)):
            numbers = range(index, total, 2)
            sent = [BEGIN + n * MS + ahead for n in numbers]
            write(
                tmp_path / f"{HostRole(PUBLISHER, index + 1)}.samples",
                [(k, at, at + 10, at + 20, at + LATENCY // 2, 0, 0, 100, 1) for k, at in enumerate(sent)],
            )
            arrived = [BEGIN + n * MS + LATENCY for n in numbers]
            write(
                tmp_path / f"{HostRole(SUBSCRIBER, index + 1)}.samples",
                [
                    (k, 0, 0, 0, 0, at, at + 5, 100, 0)
                    for k, (n, at) in enumerate(zip(numbers, arrived, strict=True))
                    if n not in lost
                ],
            )
        clock = Offset(theirs=BEGIN, ahead=5_000.0 * MS, error=error)
        outcome = Outcome(
            identity="header",
            messages=1,
            settled=True,
            counters={str(HostRole(PUBLISHER, k + 1)): {"sent": len(range(k, total, 2))} for k in range(2)},
            streams=(
                Stream("publisher", "subscriber", 0, SAME),
                Stream("publisher-2", "subscriber-2", 0, clock),
            ),
        )
        workload = Workload(
            rate_hz=1000.0,
            count=total - warmup,
            warmup=warmup,
            placement=("publishers=1,subscriber", "publishers=1,server"),
        )
        payload = a_payload()
        return a_trial(payload=payload, workload=workload), outcome, tmp_path

    return made


def test_every_message_of_every_publisher_is_there_once_in_planned_order(
    two: Callable[..., tuple[Trial, Outcome, Path]],
) -> None:
    joined = join_streams(*two(1001, error=1000.0, lost=(7, 500)))
    c = joined.columns
    assert c["seq"].tolist() == list(range(1001))
    assert c["planned"].tolist() == [BEGIN + n * MS for n in range(1001)]
    assert c["publisher"].tolist() == [n % 2 for n in range(1001)]
    assert np.flatnonzero(c["outcome"] != 0).tolist() == [7, 500]
    assert (joined.counts.planned, joined.counts.delivered, joined.counts.lost, joined.counts.unknown) == (
        1001,
        999,
        2,
        0,
    )
    assert set(joined.latency().tolist()) == {LATENCY + 5}


def test_the_first_messages_of_all_publishers_together_are_the_warm_up(
    two: Callable[..., tuple[Trial, Outcome, Path]],
) -> None:
    joined = join_streams(*two(20, error=1000.0, warmup=5))
    assert np.flatnonzero(joined.columns["warmup"]).tolist() == [0, 1, 2, 3, 4]
    assert joined.counts.planned == 15


def test_a_clock_error_above_the_latency_loses_no_message_and_gives_no_one_way_time(
    two: Callable[..., tuple[Trial, Outcome, Path]],
) -> None:
    result, joined = evaluate(*two(50, error=3.0 * LATENCY))
    assert joined is not None
    assert (result.counts.delivered, result.counts.unknown) == (50, 0)
    assert (result.one_way, result.clock_error_ns) == (False, 3 * LATENCY)
    assert "no one-way times: the nodes' clocks are known to within 60.0 ms" in " ".join(
        map(str, result.notes)
    )
    assert not result.shares.separable


@pytest.mark.parametrize(("error", "shown"), [(LATENCY // 10, True), (LATENCY // 10 + 1000, False)])
def test_one_way_times_are_shown_up_to_a_tenth_of_them(
    two: Callable[..., tuple[Trial, Outcome, Path]], error: float, shown: bool
) -> None:
    result, _ = evaluate(*two(50, error=error))
    assert result.one_way is shown
