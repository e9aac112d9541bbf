"""The verdicts of a study's claims, from its measured figures (docs/explanation/claims.md)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

import numpy as np
from msgspec import Struct

from wirelab.model.estimate import Estimate
from wirelab.model.units import show
from wirelab.stats.intervals import mean_interval
from wirelab.studies import expression
from wirelab.studies.comparison import Floats, Outcome, compare

Verdict = Literal["confirmed", "refuted", "inconclusive", "not applicable"]
CONFIRMED: Verdict = "confirmed"
REFUTED: Verdict = "refuted"
# Measured, but the intervals are too wide to decide.
INCONCLUSIVE: Verdict = "inconclusive"
# Its system, hardware or data is missing here.
NOT_APPLICABLE: Verdict = "not applicable"
CONFIDENCE = 0.95
MOST_NAMED = 4
NEVER: Mapping[str, int] = {}


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """A statement of a paper, its place there (`locator`), and the figure it gave (`published`).

    Each of `tests` is a chain of comparisons (docs/reference/study-file.md). The claim takes all
    of them. `tolerance` is the relative difference that counts as none. A claim without tests is
    not applicable, for the `reason` given. `display` are figures to print.
    """

    text: str
    published: str
    locator: str = ""
    tests: list[str] = []
    display: list[str] = []
    tolerance: float = 0.01
    reason: str = ""
    note: str = ""


class Checked(Struct, frozen=True):
    """A claim with its verdict, and our `figures`, each with its name.

    `reason` explains any verdict other than `confirmed`.
    `open` are the names of the figures that need more replicates before the claim is decided.
    """

    text: str
    verdict: Verdict
    published: str
    reason: str = ""
    figures: tuple[str, ...] = ()
    locator: str = ""
    note: str = ""
    open: tuple[str, ...] = ()


class Figure(Struct, frozen=True):
    """One value per replicate (NaN: none) and the estimate over them; or one exact value."""

    values: Floats | float
    estimate: Estimate | None = None

    def __str__(self) -> str:
        if self.estimate is not None:
            return str(self.estimate)
        exact = float(np.mean(self.values))
        return f"{exact:,.0f}" if math.isfinite(exact) else "not measured"


def measured(values: Floats, unit: str = "ns", bounds: tuple[float, float] | None = None) -> Figure:
    """A figure of one value per replicate (NaN: none), estimated by their mean.

    The interval of the mean ends at `bounds`.
    """
    seen = [np.atleast_1d(value) for value in values[np.isfinite(values)]]
    return Figure(values, mean_interval(seen, unit, bounds=bounds) if seen else None)


def exact(figures: Mapping[str, float]) -> dict[str, Figure]:
    """Plain numbers as figures without error."""
    return {name: Figure(float(value)) for name, value in figures.items()}


def check(
    claims: Iterable[Claim],
    figures: Mapping[str, Figure],
    missing: Callable[[str], str] = lambda name: name,
    looks: Mapping[str, int] = NEVER,
) -> list[Checked]:
    """Each claim's verdict. Raises BadInput for a test that is not a comparison.

    `missing` gives the reason why a figure is missing. `looks` has, by a claim's text, how often
    the claim was inconclusive and measured further: look k is tested at 5 %/k.
    """
    return [
        _check(claim, figures, missing, (1 - CONFIDENCE) / (1 + looks.get(claim.text, 0))) for claim in claims
    ]


def looked_again(looks: Mapping[str, int], checked: Iterable[Checked]) -> dict[str, int]:
    """`looks` after the inconclusive claims were measured further."""
    return {**looks, **{claim.text: looks.get(claim.text, 0) + 1 for claim in checked if claim.open}}


def _check(
    claim: Claim, figures: Mapping[str, Figure], missing: Callable[[str], str], error: float
) -> Checked:
    def told(verdict: Verdict, reason: str = "", undecided: Iterable[str] = ()) -> Checked:
        shown = tuple(f"{name} {figures[name]}" for name in _shown(claim, figures))
        return Checked(
            claim.text, verdict, claim.published, reason, shown, claim.locator, claim.note, tuple(undecided)
        )

    if not claim.tests:
        return told(NOT_APPLICABLE, claim.reason)
    tests = [one for test in claim.tests for one in expression.instances(test, figures)]
    compared = [step for test in tests for step in expression.steps(test)]
    absent = dict.fromkeys(name for test in tests for name in expression.names(test) if name not in figures)
    known = [step for step in compared if absent.keys().isdisjoint(expression.names(" ".join(step)))]

    def value(term: str) -> Floats | float:
        return expression.value(term, lambda name: figures[name].values)

    shared = error / max(1, len(compared))
    found = [
        (f"{a} {sign} {b}", compare(value(a), sign, value(b), claim.tolerance, error, shared))
        for a, sign, b in known
    ]
    wrong = [test for test, outcome in found if outcome is Outcome.REFUTED]
    if wrong:
        # One refuted comparison is enough, whether or not the others were measured.
        return told(REFUTED, f"contradicted: {_few(_filled(test, figures) for test in wrong)}")
    if absent:
        return told(NOT_APPLICABLE, f"not measured: {_few(dict.fromkeys(map(missing, absent)))}")
    unknown = [test for test, outcome in found if outcome is Outcome.INCONCLUSIVE]
    if unknown:
        filled = _few(_filled(test, figures) for test in unknown)
        reason = f"too few replicates to decide {len(unknown)} of {len(found)} comparisons: {filled}"
        return told(INCONCLUSIVE, reason, expression.names(" ".join(unknown)))
    return told(CONFIRMED)


def _shown(claim: Claim, figures: Mapping[str, Figure]) -> list[str]:
    written = [one for name in claim.display for one in expression.instances(name, figures)]
    return [name for name in written if name in figures]


def _few(texts: Iterable[str]) -> str:
    every = list(texts)
    more = f" and {len(every) - MOST_NAMED} more" if len(every) > MOST_NAMED else ""
    return ", ".join(every[:MOST_NAMED]) + more


def _filled(test: str, figures: Mapping[str, Figure]) -> str:
    """A test with the values of its figures."""

    def fill(name: str) -> str:
        figure = figures[name]
        if figure.estimate is None:
            return f"{name} ({figure})"
        return f"{name} ({show(figure.estimate.value, figure.estimate.unit)})"

    return expression.NAME.sub(lambda found: fill(found[0]), test)
