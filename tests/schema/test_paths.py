"""The words for values in messages about them."""

from __future__ import annotations

from wirelab.schema.numerals import Numeral
from wirelab.schema.paths import kind_of


def test_a_number_that_keeps_its_digits_is_of_the_kind_of_its_value() -> None:
    assert kind_of(Numeral("1.50")) == "float"
    assert (kind_of(1.5), kind_of(True), kind_of(7), kind_of("x"), kind_of(None)) == (
        "float", "bool", "int", "string", "null",
    )  # fmt: skip
