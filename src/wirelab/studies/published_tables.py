"""The figures and tables of a study's page as plain data: measured and published values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from wirelab.model.estimate import Estimate
from wirelab.studies.claims import Checked


class Series(Struct, frozen=True):
    """One line of a drawing: estimates by index of the level; None where there is none."""

    name: str
    estimates: Sequence[Estimate | None]


class Published(Struct, frozen=True):
    """A published value from `low` to `high` in stored units, at the level `at` (None: at all)."""

    low: float
    high: float
    at: int | None
    title: str


def marked(values: Mapping[str, float], names: Sequence[str]) -> list[Published]:
    """The published values by `names`, one name for each level, in the order of the levels."""
    return [
        Published(values[name], values[name], index, f"published: {name}")
        for index, name in enumerate(names)
        if name in values
    ]


class Drawing(Struct, frozen=True):
    """A quantity (`title`, in the stored `unit`) over the levels of a factor.

    `joined`: the levels have an order, so lines connect the estimates.
    """

    title: str
    unit: str
    x_axis: str
    levels: Sequence[str]
    series: Sequence[Series]
    annotations: Sequence[Published] = ()
    joined: bool = True


class Table(Struct, frozen=True):
    """A figure or table of the study (`locator` in it).

    A row is a name and cells; `corner` heads the names. `drawing` is its picture, if it has one.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]
    locator: str = ""
    corner: str = ""
    drawing: Drawing | None = None


class InstrumentResult(Struct, frozen=True):
    """The claims and tables that an instrument measured.

    `about` are names and values, `notes` are warnings. `before_s` are the seconds that earlier
    parts of a resumed run took.
    """

    checked: list[Checked]
    tables: list[Table]
    notes: list[str] = []
    about: list[tuple[str, str]] = []
    before_s: float = 0.0
