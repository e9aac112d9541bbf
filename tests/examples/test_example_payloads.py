"""The shipped examples are those of their generator, with the sizes of their README."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.examples.protobuf_sizes import EXAMPLES, json_sizes, protobuf_sizes, table
from wirelab.model.schema import String
from wirelab.schema.check import check
from wirelab.schema.corpus import Corpus
from wirelab.schema.examples import vehicle_status
from wirelab.schema.inference import infer
from wirelab.schema.payload import read

FILES = ["vehicle-status.jsonl", "small.jsonl", "sensor.jsonl"]


def test_seed_1_draws_the_shipped_files_again(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wirelab.schema.examples", str(tmp_path), "--seed", "1"]
    subprocess.run(command, check=True)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (EXAMPLES / name).read_bytes(), name


def test_another_seed_draws_other_messages() -> None:
    assert list(vehicle_status(3, 1)) != list(vehicle_status(3, 2))
    assert list(vehicle_status(3, 1)) == list(vehicle_status(5, 1))[:3]


@pytest.mark.parametrize("name", FILES)
def test_an_example_fits_its_inferred_schema_and_has_distinct_messages(name: str) -> None:
    corpus = read(EXAMPLES / name)
    check(corpus, infer(corpus))
    assert len(corpus.messages) == 100
    assert len({json.dumps(message) for message in corpus.messages}) == 100


def test_small_are_the_ten_byte_messages_of_the_study() -> None:
    corpus = read(EXAMPLES / "small.jsonl")
    assert corpus.messages[0] == "message001"
    assert corpus.messages[99] == "message100"
    assert infer(corpus).root == String()


def test_sensor_messages_have_about_100_bytes() -> None:
    assert 95 < statistics.mean(json_sizes(read(EXAMPLES / "sensor.jsonl"))) < 115


def test_vehicle_status_has_the_sizes_of_the_study() -> None:
    messages = tuple(vehicle_status(600, 7))
    corpus = Corpus(messages, b"", "vehicle-status")
    wide, slim = json_sizes(corpus), protobuf_sizes(corpus)
    assert 11_500 < statistics.mean(wide) < 12_900
    assert 1_000 < statistics.mean(slim) < 1_300
    assert 9 < statistics.mean(wide) / statistics.mean(slim) < 12
    small = sum(size < 3_000 for size in wide)
    assert 0.01 < small / len(wide) < 0.06
    bins = Counter(size // 1_000 for size in wide if size >= 3_000)
    assert bins[11] > 200
    assert bins[13] > 200
    assert bins[12] < 20


def test_the_readme_states_the_measured_sizes() -> None:
    assert table() in (EXAMPLES / "README.md").read_text(encoding="utf-8")
