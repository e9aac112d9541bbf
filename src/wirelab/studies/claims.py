"""Claims of a study, checked against what was measured: holds, does not hold, cannot be tested here (docs/method.md)."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from scipy import special

from wirelab.model.estimate import Estimate
from wirelab.model.units import show
from wirelab.stats.intervals import mean_interval
from wirelab.studies import expression

Floats = NDArray[np.float64]
Verdict = Literal["holds", "does not hold", "cannot be tested here"]
HOLDS: Verdict = "holds"
FAILS: Verdict = "does not hold"
UNTESTED: Verdict = "cannot be tested here"
CONFIDENCE = 0.95
MOST_NAMED = 4


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """A statement of a paper, `where` it stands there, and the figure it gave (`published`).

    All of `tests` must hold; each is a chain of comparisons as docs/studies.md explains. `tolerance` is the relative
    difference that counts as none. Without tests it cannot be tested here, and `why` says so. `show` are figures to print.
    """

    text: str
    published: str
    where: str = ""
    tests: list[str] = []
    show: list[str] = []
    tolerance: float = 0.01
    why: str = ""
    note: str = ""


class Checked(Struct, frozen=True):
    """A claim and what became of it: the `reason` of a verdict other than `holds`, and our `figures`, each with its name."""

    text: str
    verdict: Verdict
    published: str
    reason: str = ""
    figures: tuple[str, ...] = ()
    where: str = ""
    note: str = ""


class Figure(Struct, frozen=True):
    """A figure by name: one value for each replicate (NaN: none), and the estimate over them. Or one exact value."""

    values: Floats | float
    estimate: Estimate | None = None

    def __str__(self) -> str:
        if self.estimate is not None:
            return str(self.estimate)
        return f"{float(np.mean(self.values)):,.0f}"


def measured(values: Floats, unit: str = "ns", bounds: tuple[float, float] | None = None) -> Figure:
    """A figure of one value for each replicate, estimated by their mean with its interval, which ends at `bounds`."""
    return Figure(values, mean_interval([np.atleast_1d(value) for value in values], unit, bounds=bounds))


class Said(enum.Enum):
    """What one comparison says."""

    SO = "so"
    NOT_SO = "not so"
    OPEN = "open"


def exact(figures: Mapping[str, float]) -> dict[str, Figure]:
    """Plain numbers as figures without error."""
    return {name: Figure(float(value)) for name, value in figures.items()}


def check(
    claims: Iterable[Claim],
    figures: Mapping[str, Figure],
    missing: Callable[[str], str] = lambda name: name,
) -> list[Checked]:
    """Each claim's verdict. `missing` says why a figure is not there. Raises BadInput for a test that is no comparison."""
    return [_check(claim, figures, missing) for claim in claims]


def _check(claim: Claim, figures: Mapping[str, Figure], missing: Callable[[str], str]) -> Checked:
    def told(verdict: Verdict, reason: str = "") -> Checked:
        shown = tuple(f"{name} {figures[name]}" for name in _shown(claim, figures))
        return Checked(claim.text, verdict, claim.published, reason, shown, claim.where, claim.note)

    if not claim.tests:
        return told(UNTESTED, claim.why)
    tests = [one for test in claim.tests for one in expression.instances(test, figures)]
    compared = [step for test in tests for step in expression.steps(test)]
    absent = dict.fromkeys(name for test in tests for name in expression.names(test) if name not in figures)
    known = [step for step in compared if absent.keys().isdisjoint(expression.names(" ".join(step)))]

    def value(term: str) -> Floats | float:
        return expression.value(term, lambda name: figures[name].values)

    level = (1 - CONFIDENCE) / max(1, len(compared))
    found = [
        (f"{a} {sign} {b}", compare(value(a), sign, value(b), claim.tolerance, level)) for a, sign, b in known
    ]
    wrong = [test for test, said in found if said is Said.NOT_SO]
    if wrong:
        # Whatever else was not measured: all of it would have to be so.
        return told(FAILS, f"not so: {_few(_filled(test, figures) for test in wrong)}")
    if absent:
        return told(UNTESTED, f"not measured: {_few(dict.fromkeys(map(missing, absent)))}")
    unknown = [test for test, said in found if said is Said.OPEN]
    if unknown:
        filled = _few(_filled(test, figures) for test in unknown)
        return told(
            UNTESTED, f"too few replicates to tell {len(unknown)} of {len(found)} comparisons: {filled}"
        )
    return told(HOLDS)


def compare(a: Floats | float, sign: str, b: Floats | float, tolerance: float, level: float) -> Said:
    """One comparison. It is so if the interval of the difference lies on its side, at 95 %.

    It is not so if the interval at 1 - `level` lies on the other side, or, for `<` and `>`, if the interval at 95 % lies
    within `tolerance` of no difference. `> 0` of what is never negative is so if any replicate has it. Else it is open. `level` is 5 % shared among all comparisons of a claim.
    """
    if sign in (">", ">="):
        a, b, sign = b, a, sign.replace(">", "<")
    difference = _numbers(a, b)
    known = isinstance(a, float) and isinstance(b, float)
    sure, safe = _interval(difference, 1 - CONFIDENCE, known), _interval(difference, level, known)
    slack = tolerance * abs(float(np.nanmean(b)))
    tied = -slack <= sure[0] and sure[1] <= slack
    if sign == "=":
        so, not_so = len(difference) > 0 and not difference.any(), bool(difference.any())
    elif sign == "~":
        so, not_so = tied, safe[0] > slack or safe[1] < -slack
    elif sign == "<" and isinstance(a, float) and a == 0 and bool(np.all(difference <= 0)):
        # Of what cannot be negative, one that is not zero shows that it is not always zero.
        so, not_so = bool(np.any(difference < 0)), known and not difference.any()
    elif sign == "<":
        so, not_so = sure[1] < 0, safe[0] > 0 or (tied and (not known or sure[1] >= 0))
    else:
        limit = 0.0 if known else slack
        so, not_so = sure[1] <= limit, safe[0] > limit
    return Said.NOT_SO if not_so else Said.SO if so else Said.OPEN


def _numbers(a: Floats | float, b: Floats | float) -> Floats:
    """The differences of the replicates that have both."""
    difference = np.atleast_1d(np.subtract(a, b))
    finite: Floats = difference[np.isfinite(difference)]
    return finite


def _interval(values: Floats, level: float, known: bool) -> tuple[float, float]:
    """The t interval of the mean; NaN where one replicate cannot give one. Exact values have no error."""
    if known and len(values):
        return float(values[0]), float(values[0])
    if len(values) < 2:
        return math.nan, math.nan
    half = float(special.stdtrit(len(values) - 1, 1 - level / 2) * values.std(ddof=1)) / math.sqrt(
        len(values)
    )
    return float(values.mean()) - half, float(values.mean()) + half


def _shown(claim: Claim, figures: Mapping[str, Figure]) -> list[str]:
    written = [one for name in claim.show for one in expression.instances(name, figures)]
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
