"""Quantities are read as users write them, and shown as people read them."""

from __future__ import annotations

import pytest

from wirelab.model import units
from wirelab.model.errors import BadInput


@pytest.mark.parametrize(
    ("text", "ns"),
    [("500ms", 500_000_000), ("1.5 s", 1_500_000_000), ("2min", 120_000_000_000), ("7us", 7_000)],
)
def test_a_duration_is_read_with_its_unit(text: str, ns: int) -> None:
    assert units.duration_ns(text) == ns


@pytest.mark.parametrize("text", ["", "5", "s", "-1s", "1 parsec", "1e400x"])
def test_a_duration_without_a_known_unit_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadInput, match="500ms"):
        units.duration_ns(text)


@pytest.mark.parametrize(("text", "hz"), [("500/s", 500.0), ("30/min", 0.5), ("1k/s", 1000.0), ("max", None)])
def test_a_rate_is_messages_per_second_and_max_is_a_flood(text: str, hz: float | None) -> None:
    assert units.rate_hz(text) == hz


@pytest.mark.parametrize("text", ["5", "0/s", "5/parsec", "fast"])
def test_a_rate_without_time_or_above_zero_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="500/s"):
        units.rate_hz(text)


def test_a_fraction_may_be_written_in_percent() -> None:
    assert units.fraction("5%") == pytest.approx(0.05)
    assert units.fraction("0.05") == 0.05
    with pytest.raises(BadInput, match="outside 0 to 1"):
        units.fraction("150%")


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (35_200_000, "ns", "35.2 ms"),
        (999_960, "ns", "1.00 ms"),
        (1157, "B", "1,157 B"),
        (12_187, "B", "12.2 kB"),
        (0.048, "fraction", "4.80 %"),
        (0, "fraction", "0 %"),
    ],
)
def test_a_value_is_shown_with_the_unit_that_reads_best(value: float, unit: str, shown: str) -> None:
    assert units.show(value, unit) == shown
