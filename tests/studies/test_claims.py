"""Claims against figures: confirmed, refuted, or inconclusive by the intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from wirelab.model.errors import BadInput
from wirelab.studies.claims import Checked, Claim, Figure, check, exact, looked_again, measured
from wirelab.studies.study_file import texts
from wirelab_reproductions.friesel2021 import REPRODUCTION
from wirelab_reproductions.friesel2021.measurement import objects

EXACT = exact({"m.a.time": 10.0, "m.b.time": 25.0, "m.c.time": 30.0})


def verdict(*tests: str) -> str:
    return check([Claim("x", "y", tests=list(tests))], EXACT)[0].verdict


def seen(figures: dict[str, list[float]], *tests: str, tolerance: float = 0.01) -> Checked:
    found = {name: Figure(np.array(values)) for name, values in figures.items()}
    return check([Claim("x", "y", tests=list(tests), tolerance=tolerance)], found)[0]


def test_a_chain_is_confirmed_if_every_step_is() -> None:
    assert verdict("m.a.time < m.b.time < m.c.time") == "confirmed"
    assert verdict("m.a.time < m.c.time < m.b.time") == "refuted"


def test_one_failed_test_fails_the_claim_and_is_shown_with_its_figures() -> None:
    (checked,) = check([Claim("x", "y", tests=["m.a.time < m.b.time", "m.c.time < m.b.time"])], EXACT)
    assert checked.verdict == "refuted"
    assert checked.reason == "contradicted: m.c.time (30) < m.b.time (25)"


def test_terms_are_products_quotients_and_sums() -> None:
    assert verdict("2*m.a.time < m.b.time", "m.c.time/m.a.time >= 3") == "confirmed"
    assert verdict("m.c.time - m.b.time < 0.6*m.a.time", "m.a.time + 15 = m.b.time") == "confirmed"


def test_numbers_have_units() -> None:
    figures = {"m.a.time": [0.16e9, 0.17e9, 0.18e9], "m.a.loss": [0.05, 0.05, 0.05]}
    assert seen(figures, "100ms < m.a.time < 300ms", "m.a.loss < 6%").verdict == "confirmed"


def test_a_claim_whose_figures_are_missing_cannot_be_tested() -> None:
    (checked,) = check([Claim("x", "y", tests=["m.a.time < m.z.time"])], EXACT)
    assert (checked.verdict, checked.reason) == ("not applicable", "not measured: m.z.time")


def test_a_claim_with_a_refuted_part_is_refuted() -> None:
    (checked,) = check([Claim("x", "y", tests=["m.a.time < m.z.time", "m.c.time < m.b.time"])], EXACT)
    assert (checked.verdict, checked.reason) == ("refuted", "contradicted: m.c.time (30) < m.b.time (25)")
    (checked,) = check([Claim("x", "y", tests=["m.b.time < m.a.time < m.z.time"])], EXACT)
    assert checked.verdict == "refuted"
    (checked,) = check([Claim("x", "y", tests=["m.a.time < m.z.time", "m.b.time < m.c.time"])], EXACT)
    assert checked.verdict == "not applicable"


def test_one_replicate_alone_is_shown_without_an_interval() -> None:
    assert str(measured(np.array([2.5e6]))) == "2.50 ms [one value, no interval]"


def test_a_claim_without_a_test_shows_its_reason() -> None:
    (checked,) = check([Claim("x", "y", reason="not public")], EXACT)
    assert (checked.verdict, checked.reason) == ("not applicable", "not public")


@pytest.mark.parametrize("test", ["m.a.time", "m.a.time < ", "m.a.time < fast"])
def test_a_test_that_is_not_a_comparison_is_refused(test: str) -> None:
    with pytest.raises(BadInput):
        verdict(test)


def test_a_significant_difference_is_confirmed_and_its_opposite_refuted() -> None:
    figures = {"m.a.time": [100, 101, 99, 100], "m.b.time": [150, 152, 149, 151]}
    assert seen(figures, "m.a.time < m.b.time").verdict == "confirmed"
    assert seen(figures, "m.b.time < m.a.time").verdict == "refuted"


def test_replicates_are_compared_in_pairs() -> None:
    figures = {"m.a.time": [100, 200, 300, 400], "m.b.time": [111, 209, 310, 412]}
    assert seen(figures, "m.a.time < m.b.time").verdict == "confirmed"


def test_intervals_that_overlap_too_much_are_inconclusive() -> None:
    figures = {"m.a.time": [100, 200, 150], "m.b.time": [210, 120, 190]}
    checked = seen(figures, "m.a.time < m.b.time")
    assert checked.verdict == "inconclusive"
    assert checked.reason.startswith("too few replicates to decide 1 of 1 comparisons")


def test_an_inconclusive_claim_names_only_the_figures_that_need_replicates() -> None:
    figures = {"m.a.time": [100, 200, 150], "m.b.time": [210, 120, 190], "m.c.time": [900, 901, 902]}
    checked = seen(figures, "m.a.time < m.b.time < m.c.time")
    assert checked.open == ("m.a.time", "m.b.time")
    assert seen(figures, "m.c.time < m.a.time").open == ()
    assert seen(figures, "m.a.time < m.c.time").open == ()


def test_look_k_of_a_claim_is_tested_at_5_percent_over_k() -> None:
    # The t interval of the differences 10, 20, 30, 40 ends above 0 at 95 % (25 - 20.5), at 97.5 %
    # no more (25 - 27.0).
    found = {"m.a.time": Figure(np.zeros(4)), "m.b.time": Figure(np.array([10.0, 20.0, 30.0, 40.0]))}
    claims = [Claim("x", "y", tests=["m.a.time < m.b.time"])]
    (once,), (twice,) = check(claims, found), check(claims, found, looks={"x": 1})
    assert (once.verdict, twice.verdict) == ("confirmed", "inconclusive")
    assert looked_again({"x": 1}, [once]) == {"x": 1}
    assert looked_again({"x": 1, "w": 1}, [twice]) == {"x": 2, "w": 1}


def test_one_replicate_shows_no_order() -> None:
    assert seen({"m.a.time": [1], "m.b.time": [900]}, "m.a.time < m.b.time").verdict == "inconclusive"


def test_an_equality_within_the_tolerance_is_confirmed() -> None:
    figures = {"m.a.time": [100, 101, 99, 100], "m.b.time": [101, 102, 99.5, 101]}
    assert seen(figures, "m.a.time < m.b.time", tolerance=0.05).verdict == "refuted"
    assert seen(figures, "m.a.time ~ m.b.time", tolerance=0.05).verdict == "confirmed"
    assert seen(figures, "m.b.time <= m.a.time", tolerance=0.05).verdict == "confirmed"


def test_less_means_by_more_than_the_tolerance_however_many_replicates_show_it() -> None:
    # 4 % less, with intervals from 0 to 8 and from 3.8 to 4.2 %.
    few = {"m.a.time": [94.4, 96, 97.6], "m.b.time": [100, 100, 100]}
    many = {"m.a.time": [95.5, 96, 96.5] * 10, "m.b.time": [100.0] * 30}
    for figures in (few, many):
        assert seen(figures, "m.a.time < m.b.time", tolerance=0.1).verdict == "refuted"
    assert seen(few, "m.a.time < m.b.time", tolerance=0.05).verdict == "inconclusive"
    assert seen(many, "m.a.time < m.b.time", tolerance=0.05).verdict == "refuted"
    assert seen(many, "m.a.time < m.b.time", tolerance=0.03).verdict == "confirmed"


def test_a_figure_not_less_by_more_than_the_tolerance_is_refuted() -> None:
    # 8 % more on average, from 4 to 12 %: no interval around nothing, and surely not 5 % less.
    figures = {"m.a.time": [106.4, 108, 109.6], "m.b.time": [100, 100, 100]}
    assert seen(figures, "m.a.time < m.b.time", tolerance=0.05).verdict == "refuted"


def test_about_the_same_is_refuted_if_the_interval_is_outside_the_tolerance() -> None:
    figures = {"m.a.time": [100, 101, 99, 100], "m.b.time": [151, 150, 149, 150]}
    assert seen(figures, "m.a.time ~ m.b.time", tolerance=0.1).verdict == "refuted"


def test_exactly_means_in_every_replicate() -> None:
    assert seen({"m.a.loss": [0, 0, 0]}, "m.a.loss = 0").verdict == "confirmed"
    assert seen({"m.a.loss": [0, 0.01, 0]}, "m.a.loss = 0").verdict == "refuted"


def test_a_replicate_that_is_missing_in_one_is_left_out_of_both() -> None:
    figures = {"m.a.time": [100, math.nan, 100, 101], "m.b.time": [150, 1, 151, 149]}
    assert seen(figures, "m.a.time < m.b.time").verdict == "confirmed"


def test_a_star_matches_every_level_the_same_on_both_sides() -> None:
    figures = {
        "m.a.0.time": [1, 1, 1],
        "m.a.5.time": [8, 8, 8],
        "m.b.0.time": [2, 2, 2],
        "m.b.5.time": [9, 9, 9],
    }
    assert seen(figures, "m.a.*.time < m.b.*.time").verdict == "confirmed"
    assert seen(figures | {"m.b.5.time": [7, 7, 7]}, "m.a.*.time < m.b.*.time").verdict == "refuted"


def test_braces_name_several_figures_and_a_missing_one_leaves_the_claim_untested() -> None:
    figures = {"m.a.time": [1, 1, 1], "m.b.time": [2, 2, 2]}
    checked = seen(figures, "m.a.time < m.{b,c}.time")
    assert (checked.verdict, checked.reason) == ("not applicable", "not measured: m.c.time")


def test_many_comparisons_contradict_only_with_a_share_of_the_chance_each() -> None:
    figures = {f"m.a{i}.time": [100.0, 101.0, 102.0] for i in range(30)}
    figures |= {"m.b.time": [97.0, 98.5, 98.0]}
    one = seen(figures, "m.a0.time < m.b.time", tolerance=0)
    many = seen(figures, *(f"m.a{i}.time < m.b.time" for i in range(30)), tolerance=0)
    assert (one.verdict, many.verdict) == ("refuted", "inconclusive")


def test_the_device_study_reads_and_every_claim_has_a_test_or_a_reason() -> None:
    claims = texts(REPRODUCTION.study).claims
    assert len(claims) == 19
    assert all(claim.tests or claim.reason for claim in claims)


def test_the_object_set_is_as_its_description_says() -> None:
    found = objects()
    assert len(found) == 11
    assert {len(one.message) for one in found} >= {1, 13}
