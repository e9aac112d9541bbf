"""Requests end to end: a study of the car park at a utilization, and `compare` with an echo."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.end_to_end.cli_runner import measured

pytestmark = [pytest.mark.lab, pytest.mark.quiet]

STUDY = """
name = "park"
service = "parking"
workload = "parking,cars=1"
link = "rtt=50ms"
protocol = ["mqtt", "coap"]
qos = ["0", "con"]
utilization = ["60%", "90%"]
count = 8
warmup = 12
replicates = 3
options = { nstart = "100" }

[[part]]
name = "kept"

[[part]]
name = "each"
utilization = "90%"
protocol = "mqtt"
qos = "0"
options = { connection = "each" }

[[figure]]
title = "GET"
part = "kept"
metric = "mean"
beside = "expected"
x_axis = "rate"
series = "mqtt-0-get"

[[claim]]
text = "Every request is answered"
published = "all"
tests = ["kept.{mqtt-0,coap-con}.*.loss = 0", "each.mqtt-0.loss = 0"]

[[claim]]
text = "Nothing is answered at once"
published = "50 ms"
tests = ["kept.{mqtt-0,coap-con}-{get,put,delete}.*.mean > 10ms"]
display = ["kept.mqtt-0-get.60.mean", "kept.mqtt-0-get.60.expected"]

[[claim]]
text = "A connection for each request takes longer"
published = "longer"
tests = ["each.mqtt-0.p50 > kept.mqtt-0.90.p50"]

[[claim]]
text = "Requests queue as an M/M/1 queue would have them, though the link carries many at once"
published = "at 90 % ten times the service time"
tests = ["kept.mqtt-0.90.mean ~ kept.mqtt-0.90.expected"]
"""


def test_a_car_park_gets_requests_at_utilization_levels(tmp_path: Path) -> None:
    file = tmp_path / "park.toml"
    file.write_text(STUDY)
    done, out = measured(tmp_path / "runs", "reproduce", file, "--quiet")
    assert done.returncode == 0, done.stderr
    verdicts = {c["text"]: c["verdict"] for c in json.loads((out / "study.json").read_text())["claims"]}
    assert list(verdicts.values()) == ["confirmed", "confirmed", "confirmed", "refuted"], done.stdout
    assert "mqtt-0-get, expected" in (out / "report.html").read_text()


def test_compare_times_requests_and_their_answers(tmp_path: Path) -> None:
    sample = tmp_path / "sample.json"
    sample.write_text('{"speed": 12.5, "name": "car"}\n')
    done, _ = measured(
        tmp_path,
        "compare", sample, "--service", "echo", "--protocol", "mqtt,coap", "--qos", "0,con", "--format", "json",
        "--link", "rtt=200ms", "--count", "5", "--replicates", "2", "--rate", "2/s", "--output-format", "json", "--quiet",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["answer"]["rankings"][0]["rows"]
    assert len(rows) == 2
    for row in rows:
        assert 200e6 < row["estimates"]["latency_p50"]["value"] < 300e6
        assert row["counts"]["delivered"] in (5, 10)
