"""Studies with a placement: their plan and their errors."""

from __future__ import annotations

from typing import Any

import pytest

from tests.factories import a_payload
from wirelab.model.errors import BadInput
from wirelab.model.study import Study
from wirelab.studies.plan import trials
from wirelab.studies.preparation import check_study
from wirelab.studies.toml_reader import from_table
from wirelab.workloads.load import is_sparse

PLACED = ["publishers=2,server", "publishers=1,subscriber", "subscriber"]


def study(**more: Any) -> Study:
    table = {
        "size": "100B",
        "protocol": "mqtt",
        "qos": "0",
        "rate": "5/s",
        "replicates": 2,
        "placement": PLACED,
    }
    return from_table({**table, **more}, "study.toml")


def test_a_placed_trial_is_heavy_has_no_link_and_as_many_subscribers_as_nodes_hear() -> None:
    planned = trials(check_study(study()), (), a_payload(codec=""))
    assert {trial.link.text for trial in planned} == {"between nodes"}
    assert {trial.workload.subscribers for trial in planned} == {2}
    assert {trial.workload.placement for trial in planned} == {tuple(PLACED)}
    assert not any(is_sparse(trial.workload) for trial in planned)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"link": "lte-drive"}, "link: a placement has .*; leave link out"),
        ({"loss": "1%"}, "loss: a placement has"),
        ({"shared_medium": "rate=1Mbit/s"}, "shared_medium: a placement has"),
        ({"topology": "round-trip"}, "topology: a placement has"),
        ({"subscribers": "3"}, "subscribers: a placement has"),
        ({"protocol": "zmq", "qos": "drop"}, "protocol 'zmq': has no server for its roles to meet at"),
        ({"transport": "tls"}, "transport 'tls': is for roles on one node"),
        ({"workload": "closed-loop"}, "workload 'closed-loop': is for one publisher"),
        ({"workload": "closed-loop,spacing=10s"}, "workload 'closed-loop,spacing=10s': is for one publisher"),
        (
            {"protocol": "amqp", "qos": "auto"},
            "server 'rabbitmq': is not started outside a lab; start it yourself",
        ),
        (
            {"server": "mosquitto", "placement": ["publishers=1,subscriber", "server=h:1"]},
            "server: runs at h:1 already",
        ),
        ({"placement": ["publishers=2,server"]}, "placement: no subscriber on any node"),
    ],
)
def test_studies_that_cannot_be_placed_are_refused(more: dict[str, Any], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        check_study(study(**more))


def test_every_publisher_has_something_to_send() -> None:
    with pytest.raises(BadInput, match="count: 2 messages for 3 publishers"):
        trials(check_study(study(count=2, warmup=0)), (), a_payload(codec=""))
