"""Claims against figures."""

import pytest

from wirelab.devices.claims import Claim, check
from wirelab.devices.friesel import objects, study_claims
from wirelab.model.errors import BadInput

FIGURES = {"m.a.time": 10.0, "m.b.time": 25.0, "m.c.time": 30.0}


def verdict(*tests: str) -> str:
    return check([Claim("x", "y", list(tests))], FIGURES)[0].verdict


def test_a_chain_holds_when_every_step_does() -> None:
    assert verdict("m.a.time < m.b.time < m.c.time") == "holds"
    assert verdict("m.a.time < m.c.time < m.b.time") == "does not hold"


def test_one_failed_test_fails_the_claim_and_is_shown_with_its_figures() -> None:
    (checked,) = check([Claim("x", "y", ["m.a.time < m.b.time", "m.c.time < m.b.time"])], FIGURES)
    assert checked.verdict == "does not hold"
    assert checked.ours == "not so: m.c.time (30) < m.b.time (25)"


def test_terms_are_products_and_quotients() -> None:
    assert verdict("2*m.a.time < m.b.time", "m.c.time/m.a.time >= 3") == "holds"


def test_a_claim_whose_figures_are_missing_cannot_be_tested() -> None:
    (checked,) = check([Claim("x", "y", ["m.a.time < m.z.time"])], FIGURES)
    assert (checked.verdict, checked.ours) == ("cannot be tested here", "not measured: m.z.time")


def test_a_claim_without_a_test_says_why() -> None:
    (checked,) = check([Claim("x", "y", why="not public")], FIGURES)
    assert (checked.verdict, checked.ours) == ("cannot be tested here", "not public")


@pytest.mark.parametrize("test", ["m.a.time", "m.a.time < ", "m.a.time < fast"])
def test_what_is_no_comparison_is_refused(test: str) -> None:
    with pytest.raises(BadInput):
        verdict(test)


def test_the_study_reads_and_every_claim_has_a_test_or_a_reason() -> None:
    claims = study_claims()
    assert len(claims) == 19
    assert all(claim.tests or claim.why for claim in claims)


def test_the_object_set_is_as_its_description_says() -> None:
    found = objects()
    assert len(found) == 11
    assert {len(one.message) for one in found} >= {1, 13}
