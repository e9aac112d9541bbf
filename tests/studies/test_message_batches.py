"""A study with batches plans whole ones, of the messages that are sent without batches."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.studies.test_plan import plan
from wirelab.model.errors import BadInput
from wirelab.model.study import Study
from wirelab.studies.message_batches import stated_batches
from wirelab.studies.message_count import automatic_count
from wirelab.studies.workload_options import workload

MQTT = Study(payload="p.json", protocol=("mqtt",), qos=("0",), replicates=2)


def test_a_batch_is_a_level_only_where_there_are_several() -> None:
    several = plan(replace(MQTT, batch=("1", "10")))
    assert {(t.levels["batch"], t.workload.batch) for t in several} == {("1", 1), ("10", 10)}
    alone = plan(replace(MQTT, batch=("10",)))
    assert {(t.levels.get("batch"), t.workload.batch) for t in alone} == {(None, 10)}


@pytest.mark.parametrize(
    ("study", "size", "count", "warmup"),
    [
        (Study(count="25"), "10", 30, 10),
        (Study(count="25", warmup="0"), "1", 25, 0),
        (Study(count="25", publishers="2"), "10", 40, 20),
        (Study(count="", workload=("stages,10/s:5s",)), "10", 40, 10),
    ],
)
def test_count_and_warm_up_are_whole_batches_of_every_publisher(
    study: Study, size: str, count: int, warmup: int
) -> None:
    found = workload(study, "5/s", "one-way", study.workload[0], size)
    assert (found.count, found.warmup, found.batch) == (count, warmup, int(size))


def test_an_automatic_count_has_a_few_of_the_largest_batches() -> None:
    assert automatic_count(Study(batch=("1", "50")), 5.0) == 150
    assert automatic_count(Study(batch=("1", "5")), 5.0) == 30


def test_another_count_than_asked_for_is_said() -> None:
    study = replace(MQTT, batch=("1", "10"), count="25")
    assert stated_batches(study, plan(study)) == [
        "batches of 10: 30 messages a trial instead of 25, after 10 of warm-up: every batch is full"
    ]
    assert stated_batches(replace(study, count="30"), plan(replace(study, count="30"))) == []


@pytest.mark.parametrize(
    ("study", "size", "complaint"),
    [
        (Study(), "0", "batch '0': not a number from 1 to 1,000; write it like 1,10"),
        (Study(), "ten", "batch 'ten': not a number from 1 to 1,000; write it like 1,10"),
        (
            Study(count="20"),
            "30",
            "batch 30: the 20 messages of a trial do not fill a batch; "
            "send at least 30 (--count 30), or collect fewer",
        ),
        (
            Study(count="", duration="2s"),
            "10",
            "batch 10: the 10 messages of a trial, of which 10 are a warm-up, do not fill a batch; "
            "give a longer --duration, or collect fewer",
        ),
        (
            Study(workload=("closed-loop",)),
            "10",
            "batch 10 with workload 'closed-loop': its next message is sent when the one before has arrived, "
            "so a batch would never be full; "
            "use constant-rate, poisson, burst, stages or replay, or leave out --batch",
        ),
        (
            Study(service="echo"),
            "10",
            "batch 10: requests are sent and answered one by one; leave out --batch or --service",
        ),
    ],
)
def test_a_batch_that_cannot_be_is_refused(study: Study, size: str, complaint: str) -> None:
    with pytest.raises(BadInput) as caught:
        workload(study, "5/s", "one-way", study.workload[0], size)
    assert str(caught.value) == complaint
