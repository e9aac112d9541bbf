"""The declaration of sections of the report, and their discovery.

A module of `wirelab.report.sections` declares one as SECTION. Another package registers one under
the entry points `wirelab.report_sections`, `NAME = "module:SECTION"`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console

from wirelab.advice.answer import StoreView
from wirelab.model.answer import Answer
from wirelab.system import entry_points

GROUP = "wirelab.report_sections"
PACKAGE = "wirelab.report.sections"


@dataclass(frozen=True)
class Part:
    """A titled part of the HTML page. A body that is not Markup is escaped."""

    anchor: str
    title: str
    body: str


@dataclass(frozen=True)
class Section:
    """A section, in the views that it has.

    Sections with a lower `order` come first. `html` gives its parts, `markdown` its blocks in which
    all text is escaped; `terminal` prints it. `csv` is a table of its own, `report-NAME.csv`.
    """

    order: int
    applies: Callable[[Answer], bool]
    html: Callable[[Answer, StoreView], Sequence[Part]] | None = None
    markdown: Callable[[Answer], Sequence[str]] | None = None
    terminal: Callable[[Answer, Console], None] | None = None
    csv: Callable[[Answer, StoreView], str] | None = None


def sections(answer: Answer) -> Mapping[str, Section]:
    """The sections that apply to an answer, by name, in order. Raises BadInput for a broken one."""
    package = importlib.import_module(PACKAGE)
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    known: dict[str, Section] = {name: importlib.import_module(f"{PACKAGE}.{name}").SECTION for name in names}
    known |= entry_points.load(GROUP, Section, known)
    in_order = sorted(known, key=lambda name: known[name].order)
    return {name: known[name] for name in in_order if known[name].applies(answer)}


def tables(answer: Answer, view: StoreView) -> dict[str, str]:
    """The CSV tables of sections, by the section's name."""
    return {name: section.csv(answer, view) for name, section in sections(answer).items() if section.csv}
