"""Extra replicates for inconclusive claims: their combinations, their draws and their number."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirelab.advice.rows import combination
from wirelab.model.answer import Record
from wirelab.model.result import TrialResult
from wirelab.model.trial import VALID, Trial
from wirelab.studies import run_parts, study_file
from wirelab.studies.adaptive_replication import fitting, further
from wirelab.studies.claims import Checked
from wirelab.studies.results import place

STUDY = """
name = "small"
size = "10B"
protocol = ["mqtt", "coap"]
qos = ["0", "con"]
count = 20
replicates = 2

[[part]]
name = "lossy"
loss = [0, "5%"]

[[part]]
name = "park"
protocol = "mqtt"
qos = "0"
service = "parking"
rate = ["20/s", "40/s"]
warmup = 4
replicates = 3
"""


@pytest.fixture
def small(tmp_path: Path) -> study_file.Paper:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return study_file.read(path)


def undecided(*names: str) -> list[Checked]:
    return [Checked("x", "inconclusive", "y", open=names), Checked("z", "confirmed", "y")]


def front(trial: Trial, own: study_file.Paper) -> str:
    studies = {part.name: part.study for part in own.parts}
    return place(trial, studies[trial.levels["part"]]).name


def test_only_combinations_of_inconclusive_comparisons_get_more_replicates(small: study_file.Paper) -> None:
    done = run_parts.sketch(small)
    added = further(
        small, run_parts.sketch, done, undecided("lossy.mqtt-0.5.mean", "lossy.mqtt-0.5.p99"), lambda _: 3
    )
    assert [(front(trial, small), trial.replicate) for trial in added] == [
        ("lossy.mqtt-0.5", 2),
        ("lossy.mqtt-0.5", 3),
        ("lossy.mqtt-0.5", 4),
    ]


def test_a_combination_continues_from_its_own_last_replicate(small: study_file.Paper) -> None:
    names = ("lossy.coap-con.0.mean", "park.mqtt-0-get.40_s.mean")
    added = further(small, run_parts.sketch, run_parts.sketch(small), undecided(*names), lambda _: 1)
    assert {(front(trial, small), trial.replicate) for trial in added} == {
        ("lossy.coap-con.0", 2),
        ("park.mqtt-0.40_s", 3),
    }
    again = further(
        small, run_parts.sketch, [*run_parts.sketch(small), *added], undecided(*names), lambda _: 1
    )
    assert sorted(trial.replicate for trial in again) == [3, 4]


def test_added_replicates_meet_the_same_link_as_in_a_longer_study(
    small: study_file.Paper, tmp_path: Path
) -> None:
    path = tmp_path / "longer.toml"
    path.write_text(STUDY.replace("replicates = 2", "replicates = 4"))
    longer = run_parts.sketch(study_file.read(path))
    added = further(
        small, run_parts.sketch, run_parts.sketch(small), undecided("lossy.mqtt-0.5.mean"), lambda _: 2
    )
    assert {t.id: (t.seed, t.link) for t in added}.items() <= {t.id: (t.seed, t.link) for t in longer}.items()


def test_no_replicates_are_added_without_an_inconclusive_claim(small: study_file.Paper) -> None:
    assert further(small, run_parts.sketch, run_parts.sketch(small), undecided(), lambda _: 5) == []


def lasting(trial: Trial, seconds: float) -> Record:
    result = TrialResult(trial.id, VALID, elapsed_ns=int(seconds * 1e9))
    return Record(trial, "done", 1, result)


def test_the_time_of_finished_trials_limits_the_number_of_replicates(small: study_file.Paper) -> None:
    done = run_parts.sketch(small)
    # With 0.8 s around each: 8 trials on the loop of 1 s each, 6 in the park of 5.3 s each, so 40
    # s; they took 80.
    records = [lasting(trial, 0.2 if trial.levels["part"] == "lossy" else 4.5333333333) for trial in done]
    one = further(
        small, run_parts.sketch, done, undecided("lossy.mqtt-0.5.mean", "lossy.mqtt-0.0.mean"), lambda _: 1
    )
    names = [combination(trial) for trial in one]
    assert fitting(17.0, one, records, took_s=80.0) == dict.fromkeys(names, 4)
    assert fitting(3.9, one, records, took_s=80.0) == dict.fromkeys(names, 0)
    assert fitting(-5.0, one, records, took_s=80.0) == dict.fromkeys(names, 0)
    assert fitting(1e6, one, records, took_s=80.0) == dict.fromkeys(names, 100)
    assert fitting(17.0, [], records, took_s=80.0) == {}


def test_combinations_share_the_time_so_that_short_trials_get_more_replicates(
    small: study_file.Paper,
) -> None:
    done = run_parts.sketch(small)
    records = [lasting(trial, 0.2 if trial.levels["part"] == "lossy" else 4.5333333333) for trial in done]
    names = undecided("lossy.mqtt-0.5.mean", "park.mqtt-0.40_s.mean")
    one = further(small, run_parts.sketch, done, names, lambda _: 1)
    number = fitting(25.0, one, records, took_s=80.0)
    assert {(trial.levels["part"], number[combination(trial)]) for trial in one} == {
        ("lossy", 6),
        ("park", 1),
    }
    added = further(small, run_parts.sketch, done, names, number.__getitem__)
    assert [trial.replicate for trial in added if trial.levels["part"] == "lossy"] == [2, 3, 4, 5, 6, 7]
    assert [trial.replicate for trial in added if trial.levels["part"] == "park"] == [3]
