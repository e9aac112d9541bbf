"""The language of claims, not Python's: figures are `large.mqtt-1.5.mean`, numbers `150ms`, levels
`*`.

A test is a chain of comparisons (`<`, `<=`, `>`, `>=`, `=`, `~`) of sums of products of figures and
numbers. `{a,b}` and `*` write a test out for several levels. Python's `ast` reads none of these
tokens: each would have to be replaced first and put back for the reason of a verdict, which takes
more code than splitting at the operators. There are no parentheses.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from wirelab.model import units
from wirelab.model.errors import BadInput
from wirelab.studies.figure_key import ANY, FigureKey

Floats = NDArray[np.float64]

NAME = re.compile(r"[a-z][a-z0-9_-]*(?:\.(?:[a-z0-9_-]+|\*|\{[a-z0-9_,-]+\}))+")
_COMPARED = re.compile(r"\s*(<=|>=|<|>|=|~)\s*")
_SUMMED = re.compile(r"\s+([+-])\s+")
_MULTIPLIED = re.compile(r"\s*([*/])\s*(?![.}])")
_CHOICE = re.compile(r"\{([^}]*)\}")
_UNITS: tuple[Callable[[str], float], ...] = (units.fraction, units.duration_ns, units.size_bytes)
MOST_INSTANCES = 1000
WRITE = "write it like large.mqtt-1.5.mean < 1.5*large.mqtt-1.0.mean"


def steps(test: str) -> list[tuple[str, str, str]]:
    """`a < b < c` as (a, <, b), (b, <, c). Raises BadInput for anything else."""
    terms = _COMPARED.split(test.strip())
    if len(terms) < 3 or not all(terms[::2]):
        raise BadInput(f"claim test '{test}'", "is not a comparison", WRITE)
    return list(zip(terms[0::2], terms[1::2], terms[2::2], strict=False))


def names(test: str) -> list[str]:
    """The figures a test names, in the order of their naming."""
    return list(dict.fromkeys(NAME.findall(test)))


def instances(test: str, known: Iterable[str]) -> list[str]:
    """A test written out: once for each alternative in `{a,b}` and each word that `*` can match.

    Equal braces mean the same alternative, and all `*` of a test the same word. The words are those
    with which the first name that has a `*` is a known figure. A `*` without a match leaves the
    test as it is. Raises BadInput for more than a thousand tests.
    """
    found = [test]
    while any(_CHOICE.search(one) for one in found):
        found = [written for one in found for written in _written_out(one)]
        if len(found) > MOST_INSTANCES:
            raise BadInput(
                f"claim test '{test}'", f"more than {MOST_INSTANCES} comparisons", "name fewer levels"
            )
    every = [FigureKey.parse(name) for name in known] if f".{ANY}" in test else []
    return [starred for one in found for starred in _starred(one, every)]


def _written_out(test: str) -> list[str]:
    found = _CHOICE.search(test)
    return [test.replace(found[0], word) for word in found[1].split(",")] if found else [test]


def _starred(test: str, known: list[FigureKey]) -> list[str]:
    starred = next((key for key in map(FigureKey.parse, NAME.findall(test)) if ANY in key.words), None)
    if starred is None:
        return [test]
    words = dict.fromkeys(map(starred.star, known))
    return [test.replace(f".{ANY}", f".{word}") for word in words if word is not None] or [test]


def value(text: str, figures: Callable[[str], Floats | float]) -> Floats | float:
    """A sum of products of figures and numbers: one value, or one per replicate.

    Raises BadInput.
    """
    parts = _SUMMED.split(text.strip())
    total = _product(parts[0], figures)
    for sign, part in zip(parts[1::2], parts[2::2], strict=True):
        total = total + _product(part, figures) if sign == "+" else total - _product(part, figures)
    return total


def _product(text: str, figures: Callable[[str], Floats | float]) -> Floats | float:
    factors = _MULTIPLIED.split(text.strip())
    result = _factor(factors[0], figures)
    for sign, factor in zip(factors[1::2], factors[2::2], strict=True):
        other = _factor(factor, figures)
        result = result * other if sign == "*" else _quotient(result, other)
    return result


def _quotient(a: Floats | float, b: Floats | float) -> Floats | float:
    with np.errstate(divide="ignore", invalid="ignore"):
        divided = np.divide(a, b)
    found = np.where(np.isfinite(divided), divided, math.nan)
    return float(found) if found.ndim == 0 else found


def _factor(text: str, figures: Callable[[str], Floats | float]) -> Floats | float:
    return figures(text) if NAME.fullmatch(text) else number(text)


def number(text: str) -> float:
    """`0.5`, `5%`, `150ms`, `250B` in stored units. Raises BadInput."""
    try:
        return float(text)
    except ValueError:
        pass
    for read in _UNITS:
        try:
            return float(read(text))
        except BadInput:
            continue
    raise BadInput(f"claim term '{text}'", "is neither a number nor a figure", WRITE)
