"""Numbers, marks and reasons as all views say them."""

import pytest

from tests.report.made_up import ROWS, answer, estimate, exact, many
from wirelab.model.estimate import Estimate
from wirelab.report import cells


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (estimate(35.2e6, 33.1e6, 41e6), "[33.1, 41.0]"),
        (estimate(1.1e6, 0.9e6, 2e6), "[900 us, 2.00 ms]"),
        (estimate(0, 0, 0.024, "fraction"), "[0, 2.40]"),
        (estimate(5e6, 0, 7e6), "[0, 7.00]"),
        (estimate(120e6, 100e6, 161e6, open_above=True), "[100, >161]"),
        (estimate(161e6, 161e6, 161e6, open_above=True), "[161, >161]"),
        (exact(953), ""),
    ],
)
def test_an_interval_names_its_unit_only_where_it_differs(given: Estimate, shown: str) -> None:
    assert cells.interval(given) == shown


def test_ties_are_bracketed_equal_ranks_marked_and_noisy_rows_questioned() -> None:
    assert cells.brackets(ROWS) == ["┌", "└", "", "", "┌", "└"]
    assert cells.places(ROWS) == ["1", "2", "3?", "4", "5=", "5="]


def test_rows_are_lettered_beyond_z() -> None:
    assert [cells.letter(i) for i in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]


def test_failed_needs_are_grouped_by_way_of_delivery() -> None:
    one = answer()
    assert cells.failures(one.rankings[0], one.needs, cells.choices(one)) == [
        "coap non: lost 4.67 % to 6.00 % fails loss=0 (2 rows)"
    ]


def test_what_ranks_and_what_is_needed_has_a_column() -> None:
    assert cells.metrics(answer(objectives=("deserialize", "loss"))) == [
        "latency_p50", "latency_p99", "loss", "bytes", "wire_bytes",
    ]  # fmt: skip
    assert cells.contexts(many()) == ["link"]
