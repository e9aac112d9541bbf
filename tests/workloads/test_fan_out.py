"""One publisher, several subscribers: a host for each, a row for each message and subscriber."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.factories import a_payload, a_trial
from wirelab.lab.outcome import Outcome
from wirelab.lab.spec import lab_spec
from wirelab.model.errors import BadInput
from wirelab.model.study import Study
from wirelab.model.trial import Link, State, Workload
from wirelab.store.sample_file import RECORD, sample_file
from wirelab.studies.plan import trials
from wirelab.studies.trial_result import evaluate

MS = 1_000_000
TRIAL = a_trial(link=Link('ideal', 0.0, 'ethernet-95'), workload=Workload(rate_hz=10.0, count=4, warmup=1, subscribers=3))  # fmt: skip


def write(path: Path, rows: list[dict[str, int]]) -> None:
    records = np.zeros(len(rows), dtype=RECORD)
    for index, row in enumerate(rows):
        for key, value in row.items():
            records[index][key] = value
    path.write_bytes(sample_file(records))


def test_every_subscriber_has_a_host_and_all_share_the_segment(tmp_path: Path) -> None:
    spec = lab_spec(TRIAL, tmp_path)
    assert [host["name"] for host in spec["hosts"]] == [
        "device",
        "server",
        "consumer",
        "consumer-2",
        "consumer-3",
    ]
    assert spec["segment"] == "ethernet-95"


def test_a_message_counts_once_for_each_subscriber_and_its_losses_too(tmp_path: Path) -> None:
    sent = [
        {
            "seq": i,
            "planned": (1 + 100 * i) * MS,
            "start": (1 + 100 * i) * MS,
            "sent": (1 + 100 * i) * MS,
            "bytes": 9,
        }
        for i in range(5)
    ]
    write(tmp_path / "publisher.samples", sent)
    for name, missing in (("subscriber", 99), ("subscriber-2", 3), ("subscriber-3", 0)):
        got = [
            {"seq": i, "received": (6 + 100 * i) * MS, "decoded": (6 + 100 * i) * MS}
            for i in range(5)
            if i != missing
        ]
        write(tmp_path / f"{name}.samples", got)
    seen = Outcome(messages=5, settled=True, counters={"publisher": {"sent": 5}})
    result, joined = evaluate(TRIAL, seen, tmp_path)
    assert result.verdict.state is State.VALID
    # The warm-up (message 0) is left out, so the third subscriber's loss is not counted.
    assert (result.counts.planned, result.counts.delivered, result.counts.lost) == (12, 11, 1)
    assert result.carried == 5
    assert joined is not None
    assert joined.columns["subscriber"].tolist() == [0] * 5 + [1] * 5 + [2] * 5


def test_subscribers_are_a_factor() -> None:
    planned = trials(
        Study(size=("64B",), protocol=("mqtt",), subscribers=("1", "7"), replicates=1),
        (),
        a_payload(codec=""),
    )
    assert {(t.levels["subscribers"], t.workload.subscribers) for t in planned} == {("1", 1), ("7", 7)}


@pytest.mark.parametrize("text", ["0", "65", "many"])
def test_too_many_or_no_subscribers_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match="count 'many'|not between"):
        trials(Study(size=("64B",), protocol=("mqtt",), subscribers=(text,)), (), a_payload(codec=""))
