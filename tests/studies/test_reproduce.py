"""A study file end to end: real packets, claims, pages, and a continued run."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.end_to_end.cli_runner import Family, measured, refused, wait_for, wirelab
from wirelab.store.run import RunStore

pytestmark = pytest.mark.lab

STUDY = """
name = "tiny"
title = "A tiny study"
size = "10B"
link = "rtt=1s"
protocol = ["mqtt", "coap"]
qos = ["0", "non"]
topology = "round-trip"
workload = "closed-loop"
rate = "5/s"
count = 3
warmup = 1
replicates = 2

[[part]]
name = "best"

[[part]]
name = "three"
protocol = "mqtt"
qos = "0"
topology = "one-way"
subscribers = 3
shared_medium = "ethernet-95"
quick = { subscribers = 2 }

# They find the publisher by themselves, each when its library next tries.
[[part]]
name = "flood"
protocol = "zmq"
qos = "block"
topology = "one-way"
subscribers = 3
shared_medium = "ethernet-95"
workload = "constant-rate"
rate = "max"
count = 2000
warmup = 0

[[figure]]
title = "Losses"
part = "best"
metric = "loss"
x_axis = "link"

[[claim]]
text = "Nothing is lost"
published = "0 %"
locator = "Fig. 1"
tests = ["best.{mqtt-0,coap-non}.loss = 0"]
display = ["best.mqtt-0.loss"]

[[claim]]
text = "Everything is lost"
published = "100 %"
tests = ["best.mqtt-0.loss = 1"]

[[claim]]
text = "Another continent"
published = "far"
reason = "there is one machine here"
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(STUDY)
    return path


def test_a_study_is_run_and_every_claim_gets_its_verdict(study: Path, tmp_path: Path) -> None:
    done, out = measured(tmp_path / "runs", "reproduce", study, "--quiet")
    assert done.returncode == 0, done.stderr
    verdicts = {c["text"]: c["verdict"] for c in json.loads((out / "study.json").read_text())["claims"]}
    assert verdicts == {
        "Nothing is lost": "confirmed",
        "Everything is lost": "refuted",
        "Another continent": "not applicable",
    }
    assert "1 confirmed, 1 refuted, 0 inconclusive, 1 not applicable" in done.stdout
    page = (out / "report.html").read_text()
    assert "A tiny study" in page
    assert "<svg" in page
    assert "there is one machine here" in (out / "report.md").read_text()
    assert f"{out.name}/report.html" in (tmp_path / "runs" / "index.html").read_text()
    with RunStore.open(out) as store:
        counts = {r.trial.levels["part"]: r.result.counts for r in store.results() if r.result is not None}
    # Three subscribers get all messages each.
    assert (counts["best"].delivered, counts["three"].delivered) == (3, 9)
    assert counts["flood"].delivered == 6000


@pytest.mark.matrix
def test_an_interrupted_study_continues(study: Path, tmp_path: Path) -> None:
    out = tmp_path / "tiny"
    family = Family(tmp_path, "reproduce", study, "-o", out)
    wait_for(lambda: "measuring" in family.errors.read_text(), "the run has begun")
    family.process.send_signal(signal.SIGINT)
    assert family.process.wait(30) == 130
    assert "--resume" in family.errors.read_text()
    family.expect_nothing_left()
    done = wirelab("reproduce", study, "-o", out, "--resume", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "1 confirmed" in done.stdout


@pytest.mark.matrix
def test_only_inconclusive_claims_get_more_replicates(study: Path, tmp_path: Path) -> None:
    claim = '[[claim]]\ntext = "It takes longer than half a second"\npublished = "yes"\ntests = ["best.mqtt-0.mean > 500ms"]'
    study.write_text(STUDY.replace("replicates = 2", "replicates = 1") + claim)
    out = tmp_path / "tiny"
    done = wirelab("reproduce", study, "-o", out, "--quiet")
    assert (
        f"1 claims are inconclusive; add replicates: wirelab reproduce {study} -o {out} --extra-replicates 5\n"
        in done.stdout
    )
    done = wirelab("reproduce", study, "-o", out, "--extra-replicates", "3", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "2 confirmed, 1 refuted, 0 inconclusive, 1 not applicable\n" in done.stdout
    assert "inconclusive; add" not in done.stdout
    with RunStore.open(out) as store:
        ran = sorted((r.trial.levels["part"], r.trial.protocol, r.trial.replicate) for r in store.results())
    further = [("best", "mqtt", number) for number in range(4)]
    assert ran == sorted([*further, ("best", "coap", 0), ("three", "mqtt", 0), ("flood", "zmq", 0)])
    assert "3 trials added for inconclusive claims" in (out / "report.md").read_text()


@pytest.mark.matrix
def test_remaining_time_goes_to_replicates_for_inconclusive_claims(study: Path, tmp_path: Path) -> None:
    claim = '[[claim]]\ntext = "It takes longer than half a second"\npublished = "yes"\ntests = ["best.mqtt-0.mean > 500ms"]'
    study.write_text(STUDY.replace("replicates = 2", 'replicates = 1\ntime_budget = "1min"') + claim)
    planned = wirelab("reproduce", study, "--dry-run").stdout
    assert planned.endswith("then more replicates for inconclusive claims, within 60.0 s in all\n")
    out = tmp_path / "tiny"
    done = wirelab("reproduce", study, "-o", out, "--quiet")
    assert "2 confirmed, 1 refuted, 0 inconclusive, 1 not applicable\n" in done.stdout
    with RunStore.open(out) as store:
        ran = sorted((r.trial.levels["part"], r.trial.protocol, r.trial.replicate) for r in store.results())
        assert store.meta()["took_s"] < 60
    further = [("best", "mqtt", number) for number in range(len(ran) - 3)]
    assert len(further) > 1
    assert ran == sorted([*further, ("best", "coap", 0), ("three", "mqtt", 0), ("flood", "zmq", 0)])
    # Decided claims need no more replicates: resuming measures nothing.
    wirelab("reproduce", study, "-o", out, "--resume", "--quiet")
    with RunStore.open(out) as store:
        assert len(store.results()) == len(ran)


def test_errors_of_a_study_are_reported_before_anything_runs(study: Path, tmp_path: Path) -> None:
    study.write_text(STUDY.replace("best.mqtt-0.loss = 1", "best.mqtt-9.loss = 1"))
    assert "did you mean best.mqtt-0?" in refused("reproduce", study, "-o", tmp_path / "x")
    study.write_text(STUDY + 'quick = { tests = ["best.mqtt-8.loss = 1"], reason = "" }')
    assert "did you mean best.mqtt-0?" in refused("reproduce", study, "-o", tmp_path / "x")
    assert "did you mean proos2020?" in refused("reproduce", "proos2021", "-o", tmp_path / "x")
    assert "does not exist" in refused("reproduce", study, "-o", tmp_path / "x", "--extra-replicates", "2")
    assert "leave --dry-run out" in refused(
        "reproduce", study, "-o", tmp_path / "x", "--extra-replicates", "2", "--dry-run"
    )
    assert "new one, without" in refused(
        "reproduce", "maltsev2024", "-o", tmp_path / "y", "--extra-replicates", "2"
    )
    assert not (tmp_path / "x").exists()


def test_a_directory_with_a_run_is_not_overwritten(study: Path, tmp_path: Path) -> None:
    (tmp_path / "run.db").write_text("")
    assert "--resume" in refused("reproduce", study, "-o", tmp_path)
