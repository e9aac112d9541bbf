"""Claims of a study, checked against named figures: comparisons of sums and products, and orders."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from wirelab.model.errors import BadInput

Verdict = Literal["holds", "does not hold", "cannot be tested here"]
HOLDS: Verdict = "holds"
FAILS: Verdict = "does not hold"
UNTESTED: Verdict = "cannot be tested here"


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """A statement of a paper. All of `tests` must hold; each is `A < B` or a chain `A < B < C`, with terms like
    `0.5*stm32f4.xdr.serialize`. Without tests it cannot be tested here, and `why` says so. `show` are figures to print.
    """

    text: str
    published: str
    tests: list[str] = []
    show: list[str] = []
    why: str = ""


class Checked(Struct, frozen=True):
    """A claim and what became of it."""

    text: str
    verdict: Verdict
    ours: str
    published: str


def check(claims: list[Claim], figures: dict[str, float]) -> list[Checked]:
    """Each claim's verdict. Raises BadInput for a test that is no comparison."""
    return [_check(claim, figures) for claim in claims]


def _check(claim: Claim, figures: dict[str, float]) -> Checked:
    shown = ", ".join(f"{name} {figures[name]:,.0f}" for name in claim.show if name in figures)
    if not claim.tests:
        return Checked(claim.text, UNTESTED, claim.why, claim.published)
    missing = sorted({name for test in claim.tests for name in _names(test) if name not in figures})
    if missing:
        return Checked(claim.text, UNTESTED, f"not measured: {', '.join(missing)}", claim.published)
    failed = [test for test in claim.tests if not _holds(test, figures)]
    ours = "; ".join(filter(None, [shown, *(f"not so: {_filled(test, figures)}" for test in failed)]))
    return Checked(claim.text, FAILS if failed else HOLDS, ours, claim.published)


def _names(test: str) -> list[str]:
    return re.findall(r"[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)+", test)


def _holds(test: str, figures: dict[str, float]) -> bool:
    terms = re.split(r"\s*(<=|>=|<|>)\s*", test.strip())
    if len(terms) < 3 or len(terms) % 2 == 0:
        raise BadInput(f"claim test '{test}'", "is no comparison", "write it like a.b.c < 0.5*d.e.f")
    values = [_value(term, figures) for term in terms[::2]]
    compare = {"<": float.__lt__, ">": float.__gt__, "<=": float.__le__, ">=": float.__ge__}
    return all(compare[sign](a, b) for sign, a, b in zip(terms[1::2], values, values[1:], strict=False))


def _value(term: str, figures: dict[str, float]) -> float:
    """A product of numbers and figures, one of them divided by: `0.5*a.b/c.d`."""
    result = 1.0
    factors = re.findall(r"([*/]?)\s*([^*/\s]+)", term)
    for sign, factor in factors or [("", term)]:
        value = figures[factor] if factor in figures else _number(factor)
        result = result / value if sign == "/" else result * value
    return result


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadInput(
            f"claim term '{text}'", "is neither a number nor a figure", "see studies/friesel2021.toml"
        ) from None


def _filled(test: str, figures: dict[str, float]) -> str:
    return re.sub(r"[a-z][a-z0-9_-]*(?:\.[a-z0-9_-]+)+", lambda m: f"{m[0]} ({figures[m[0]]:,.0f})", test)
