"""What a study says of the deployed device."""

from __future__ import annotations

import pytest

from wirelab.model.errors import BadInput
from wirelab.model.study import Study
from wirelab.studies.deployment import check_deployment, idle_ns

SECOND = 1_000_000_000


def test_messages_a_day_observe_idle_connections_for_two_periods_of_a_minute() -> None:
    assert idle_ns(Study(messages="24/day")) == 190 * SECOND
    assert idle_ns(Study(messages="24/day", idle="10min")) == 600 * SECOND
    assert idle_ns(Study()) == 0


@pytest.mark.parametrize(
    ("study", "why"),
    [
        (Study(messages="24"), "24/day"),
        (Study(messages="0/day"), "above zero"),
        (Study(idle="long"), "duration"),
        (Study(rank_by=("month",)), "--messages 24/day"),
        (Study(thresholds=("month<1MB",)), "--messages 24/day"),
        (Study(messages="24/day", placement=("server",)), "--placement"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_next_step(study: Study, why: str) -> None:
    with pytest.raises(BadInput) as refused:
        check_deployment(study)
    assert why in refused.value.sentence


def test_a_month_may_be_ranked_by_where_the_rate_is_given() -> None:
    check_deployment(Study(messages="24/day", rank_by=("month",), thresholds=("month<1MB",)))
