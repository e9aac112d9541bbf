"""Studies with their own instrument: published values in tables, and options that are refused."""

from __future__ import annotations

import numpy as np
import pytest

from tests.end_to_end.cli_runner import wirelab
from wirelab.model.estimate import Estimate
from wirelab.studies.claims import Figure
from wirelab_reproductions.friesel2021 import tables as friesel_tables
from wirelab_reproductions.friesel2021.measurement import Cell
from wirelab_reproductions.maltsev2024 import tables as maltsev_tables
from wirelab_reproductions.maltsev2024.lag import Plan
from wirelab_reproductions.proos2020_serialization import measurement as proos


def test_a_median_is_next_to_the_published_one_and_a_missing_one_is_a_dash() -> None:
    cells = [
        Cell("avr", "xdr/wirelab", "cycles", 11, 11, 747.0, 940.0, 726.0, 94.0),
        Cell("avr", "json/arduinojson", "cycles", 0, 11, why="not there"),
    ]
    published = {
        "avr": {"xdr": {"serialize": 1476, "deserialize": 1332, "text": 2238, "ram": 0}},
        "bytes": {"xdr": 46},
    }
    device, sizes = friesel_tables.tables(cells, {"xdr": 45.04, "bson": 115.0}, published)
    assert device.rows == [
        ("xdr/wirelab", ["747 (published 1,476)", "940 (published 1,332)", "726 (published 2,238)", "94", "11 of 11"]),
        ("json/arduinojson", ["-", "-", "-", "-", "0 of 11"]),
    ]  # fmt: skip
    assert device.drawing is not None
    assert [(mark.low, mark.at) for mark in device.drawing.annotations] == [(1476, 0), (1332, 0)]
    assert sizes.rows == [("xdr", ["45.0", "46"]), ("bson", ["115.0", "-"])]


def test_a_time_is_next_to_the_published_one() -> None:
    found = {
        "serialize.dom.protobuf": Figure(9500.0, Estimate(9500.0, 9400.0, 9600.0, "ns", 5, 50, "t")),
        "bytes.json": Figure(12000.0),
    }
    times, sizes, _ = proos.tables(found, {"serialize.dom.protobuf": 708e3}, ["dom.protobuf"])
    assert times.rows == [("dom.protobuf", ["9.50 us [9.40 us, 9.60 us] (published 708 us)"])]
    assert sizes.rows == [("json", ["12,000"])]


def test_a_format_that_was_not_measured_is_not_in_the_tables_of_times() -> None:
    published = {"json": [6.59, 0.0], "capnp": [0.80, 89.54]}
    parts = {"small": published, "large": published}
    study = {"codecs": {}, "published": {"serialize": parts, "deserialize": parts}}
    found = {"bytes.small.json": Figure(100.0), "bytes.large.json": Figure(100.0)}
    for key in (f"{phase}.{part}.json" for phase in ("serialize", "deserialize") for part in parts):
        found[key] = Figure(np.array([7e3]), Estimate(7e3, 7e3, 7e3, "ns", 1, 1, "t"))
        found[f"reduction.{key}"] = Figure(np.array([0.0]))
    plan = Plan(each=1, samples_per_link=1, last=1, link="", warmup=1, repeats=1, linked_repeats=1)
    *times, _ = maltsev_tables.tables(study, found, plan)
    assert [[name for name, _ in table.rows] for table in times] == [["json"]] * 4


@pytest.mark.parametrize(
    ("study", "flag"),
    [
        ("maltsev2024", "--dry-run"),
        ("friesel2021", "--seed=2"),
        ("proos2020-serialization", "--resume"),
        ("friesel2021", "--spacing=published"),
    ],
)
def test_an_option_of_trials_is_refused_where_a_study_has_none(study: str, flag: str) -> None:
    done = wirelab("reproduce", study, flag)
    assert done.returncode == 3
    assert flag.partition("=")[0] in done.stderr
    assert "instrument of its own" in done.stderr
