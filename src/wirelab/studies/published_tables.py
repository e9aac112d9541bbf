"""A study's figures and tables as measured here, beside what was published: what its page shows, as plain data."""

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
    """A value the text gives, from `low` to `high` in stored units, at the level `at` (None: at all)."""

    low: float
    high: float
    at: int | None
    title: str


def marked(values: Mapping[str, float], names: Sequence[str]) -> list[Published]:
    """A mark for each value that the text gives by one of `names`, which stand for the levels in their order."""
    return [
        Published(values[name], values[name], index, f"published: {name}")
        for index, name in enumerate(names)
        if name in values
    ]


class Drawing(Struct, frozen=True):
    """A quantity (`title`, in the stored `unit`) over the levels of a factor; `joined` by lines where those have an order."""

    title: str
    unit: str
    x_axis: str
    levels: Sequence[str]
    series: Sequence[Series]
    annotations: Sequence[Published] = ()
    joined: bool = True


class Table(Struct, frozen=True):
    """A figure or table of the study (`locator` in it): its rows are a name and cells, `corner` heads the names; and a drawing of it."""

    title: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[str]]]
    locator: str = ""
    corner: str = ""
    drawing: Drawing | None = None


class InstrumentResult(Struct, frozen=True):
    """What a study run again on an instrument of its own came to. `about` are pairs of words, `notes` warnings, `before_s` the seconds
    of earlier sittings of a run that was gone on with.
    """

    checked: list[Checked]
    tables: list[Table]
    notes: list[str] = []
    about: list[tuple[str, str]] = []
    before_s: float = 0.0
