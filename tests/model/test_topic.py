"""Topics of publishers."""

from __future__ import annotations

import pytest

from wirelab.model.errors import BadInput
from wirelab.model.topic import check_topic, fill


def test_each_publisher_of_each_trial_has_its_own_topic() -> None:
    assert fill("wirelab/t", 0, 1, 0) == "wirelab/t"
    assert fill("wirelab/t", 0, 1, 3) == "wirelab/t3"
    assert [fill("a/b", k, 2, 0) for k in range(2)] == ["a/b/0", "a/b/1"]


def test_topics_with_an_id_have_the_same_length_for_all_devices() -> None:
    assert fill("dt/{id}/telemetry", 0, 1, 0) == "dt/0000/telemetry"
    assert fill("dt/{id}/telemetry", 2, 7, 1) == "dt/0009/telemetry"


@pytest.mark.parametrize(
    ("topic", "why"),
    [
        ("", "empty level"),
        ("/a", "empty level"),
        ("a//b", "empty level"),
        ("a/+/b", "wildcard"),
        ("a/#", "wildcard"),
        ("a b", "space"),
        ("a\0", "space"),
        ("a/{device}/b", "placeholder"),
        ("a" * 65_536, "65535 bytes"),
    ],
)
def test_a_topic_that_cannot_be_published_to_is_refused(topic: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        check_topic(topic)


def test_real_topics_are_taken() -> None:
    for topic in ("spBv1.0/Plant1/DDATA/Gateway07/Press12", "$aws/rules/meter/dt/{id}", "messwerte/küche"):
        assert check_topic(topic) == topic
