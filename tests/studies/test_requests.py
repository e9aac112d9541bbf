"""Requests of one kind, the rate from an idle service, and the M/M/1 reference."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from tests.factories import a_payload, a_trial
from wirelab.model.arrivals import ServiceRequests
from wirelab.model.errors import BadInput
from wirelab.model.sample_flags import ACKNOWLEDGED
from wirelab.model.study import Study
from wirelab.model.trial import Workload
from wirelab.store.sample_file import RECORD
from wirelab.studies.plan import trials
from wirelab.studies.requests import expected_ns, meant
from wirelab.studies.results import places
from wirelab.studies.trial_samples import answers
from wirelab.workloads import services, utilization_levels

STUDY = Study(
    service="parking",
    workload=("parking",),
    protocol=("mqtt",),
    qos=("0",),
    utilization=("20%", "80%"),
    count="40",
    warmup="12",
    replicates=1,
)
WORKLOAD = Workload(
    count=4,
    warmup=12,
    arrivals=ServiceRequests("parking"),
    application="parking",
    utilization=(0.75,),
    rate_hz=1000.0,
)
TRIAL = a_trial(workload=WORKLOAD)
US = 1000


def columns() -> dict[str, np.ndarray]:
    """Idle: a GET takes 10 us, a PUT 20 us, a DELETE 40 us; the first four, cold, take 1 ms."""
    took = {"get": 10 * US, "put": 20 * US, "delete": 40 * US}
    named = services.kinds(WORKLOAD, TRIAL.seed)
    seq = np.arange(16)
    decoded = [1000 * US if number < 4 else took[named[number]] for number in seq]
    return {
        "seq": seq,
        "planned": np.zeros(16, dtype=np.int64),
        "decoded": np.array(decoded),
        "outcome": np.zeros(16, dtype=np.uint8),
        "warmup": seq < 12,
    }


def test_a_share_of_the_rate_is_planned_as_such() -> None:
    planned = trials(STUDY, (), a_payload(codec=""))
    assert sorted(trial.workload.utilization for trial in planned) == [(0.2,), (0.8,)]
    assert {trial.levels["utilization"] for trial in planned} == {"20%", "80%"}
    assert all(trial.workload.application == "parking" for trial in planned)


def test_requests_of_each_kind_have_figures_of_their_own() -> None:
    trial = trials(STUDY, (), a_payload(codec=""))[0]
    word = trial.levels["utilization"].removesuffix("%")
    assert [place.name for place in places(trial, STUDY)] == [
        f"mqtt-0.{word}", f"mqtt-0-get.{word}", f"mqtt-0-put.{word}", f"mqtt-0-delete.{word}",
    ]  # fmt: skip


def test_interleaved_utilizations_are_one_trial_with_figures_for_each() -> None:
    study = replace(STUDY, utilization=("20%", "80%"), interleave=True, replicates=2)
    planned = trials(study, (), a_payload(codec=""))
    assert [trial.workload.utilization for trial in planned] == [(0.2, 0.8)] * 2
    assert planned[0].workload.count == 80
    assert [(place.name, place.share) for place in places(planned[0], study)][::4] == [
        ("mqtt-0.20", 0.2),
        ("mqtt-0.80", 0.8),
    ]
    assert len(places(planned[0], study)) == 8


def test_rows_at_a_share_are_those_of_its_turns_after_the_warm_up() -> None:
    """Eight requests, two at a quarter and six at three quarters."""
    trial = replace(TRIAL, workload=replace(WORKLOAD, count=8, utilization=(0.25, 0.75)))
    low_first = utilization_levels.turns((0.25, 0.75), 8, trial.seed)[0] == 0.25
    low = [12, 13] if low_first else [18, 19]
    rows = {"seq": np.arange(20)}
    assert meant(trial, rows, "", 0.25)["seq"].tolist() == low
    assert meant(trial, rows, "", 0.75)["seq"].tolist() == [n for n in range(12, 20) if n not in low]
    kinds = services.kinds(trial.workload, trial.seed)
    assert meant(trial, rows, "get", 0.25)["seq"].tolist() == [n for n in low if kinds[n] == "get"]


def test_each_share_has_an_expectation_of_its_own() -> None:
    trial = replace(TRIAL, workload=replace(WORKLOAD, utilization=(0.2, 0.75)))
    assert expected_ns(trial, columns(), "get", 0.75) == pytest.approx(40 * US)
    assert expected_ns(trial, columns(), "get", 0.2) == pytest.approx(12.5 * US)
    assert np.isnan(expected_ns(trial, columns(), "get"))


def test_rows_of_a_kind_are_those_of_its_requests() -> None:
    named = services.kinds(WORKLOAD, TRIAL.seed)
    found = meant(TRIAL, columns(), "delete")
    assert found["seq"].tolist() == [number for number, kind in enumerate(named) if kind == "delete"]
    assert len(found["seq"]) == 8


def test_an_mm1_queue_at_three_quarters_takes_four_times_the_idle_median() -> None:
    assert expected_ns(TRIAL, columns(), "get") == pytest.approx(40 * US)
    assert expected_ns(TRIAL, columns(), "delete") == pytest.approx(160 * US)
    mean = (10 + 20 + 2 * 40) / 4
    assert expected_ns(TRIAL, columns(), "") == pytest.approx(4 * mean * US)


def test_arrivals_at_a_requester_are_the_answers() -> None:
    records = np.zeros(3, dtype=RECORD)
    records["seq"], records["done"] = [0, 1, 2], [7, 8, 9]
    records["flags"] = [ACKNOWLEDGED, 2, ACKNOWLEDGED]
    found = answers(records)
    assert found["seq"].tolist() == [0, 2]
    assert found["received"].tolist() == found["decoded"].tolist() == [7, 9]
    assert not found["flags"].any()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"service": "fridge", "size": ("10B",)}, "unknown"),
        ({"service": "", "size": ("10B",)}, "needs its service"),
        ({"count": "30"}, "multiples of four"),
        ({"warmup": "8"}, "warm-up"),
        ({"utilization": ("100%",)}, "not between 0 % and 100 %"),
        ({"utilization": ("20%", "20%"), "interleave": True}, "duplicate level"),
        (
            {
                "utilization": ("20%", "80%"),
                "interleave": True,
                "workload": ("burst,on=1s,off=1s",),
                "service": "echo",
                "size": ("10B",),
            },
            "take turns",
        ),
        ({"topology": ("round-trip",)}, "needs one subscriber behind one link"),
        ({"workload": ("constant-rate",), "service": "", "size": ("10B",)}, "needs a service that answers"),
    ],
)
def test_invalid_requests_of_a_study_are_refused(changes: dict[str, object], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        trials(replace(STUDY, **changes), (), a_payload(codec=""))
