"""friesel2021's medians as measured and as published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wirelab.model.estimate import Estimate
from wirelab.studies.published_tables import Drawing, Series, Table, marked

if TYPE_CHECKING:
    from wirelab_reproductions.friesel2021.measurement import Cell

MEASURED = ("serialize", "deserialize", "text", "ram")
COLUMNS = ["serialize", "deserialize", "text, B", "data, bss and stack, B", "objects"]
TIMES = MEASURED[:2]


def tables(cells: Sequence[Cell], sizes: Mapping[str, float], published: Mapping[str, Any]) -> list[Table]:
    """A table of medians for each device, and the bytes by format.

    `published` is the study file's.
    """
    devices = dict.fromkeys(cell.device for cell in cells)
    shown = [
        _device([cell for cell in cells if cell.device == device], published.get(device, {}))
        for device in devices
    ]
    return [*shown, _bytes(sizes, published["bytes"])]


def _device(cells: Sequence[Cell], published: Mapping[str, Mapping[str, float]]) -> Table:
    rows = []
    for cell in cells:
        given = published.get(cell.codec.partition("/")[0], {})
        told = [_told(getattr(cell, what), given.get(what, 0)) for what in MEASURED]
        rows.append((cell.codec, [*told, f"{cell.of} of {cell.out_of}"]))
    done = [cell for cell in cells if cell.serialize is not None]
    names = [cell.codec.partition("/")[0] for cell in done]
    series = [Series(what, [_exact(getattr(cell, what), cell.of) for cell in done]) for what in TIMES]
    times = {f"{name} {what}": own[what] for name, own in published.items() for what in TIMES}
    marks = [mark for what in TIMES for mark in marked(times, [f"{name} {what}" for name in names])]
    counted = cells[0].counted
    drawing = Drawing(counted, "", "format", names, series, marks, joined=False) if done else None
    title = f"{cells[0].device}: {counted}, medians over the objects"
    return Table(title, COLUMNS, rows, "", "codec", drawing)


def _bytes(sizes: Mapping[str, float], published: Mapping[str, float]) -> Table:
    order = sorted(sizes, key=lambda name: sizes[name])
    rows = [(name, [f"{sizes[name]:.1f}", f"{published.get(name, '-')}"]) for name in order]
    series = [Series("here", [_exact(sizes[name], 1) for name in order])]
    marks = marked(published, order)
    drawing = Drawing("bytes of an object", "B", "format", order, series, marks, joined=False)
    return Table("Mean bytes of an object", ["here", "published"], rows, "", "format", drawing)


def _told(value: float | None, published: float) -> str:
    here = f"{value:,.0f}" if value is not None else "-"
    return f"{here} (published {published:,})" if published else here


def _exact(value: float, n: int) -> Estimate:
    """The same build gives the same figure: no error."""
    return Estimate(value, value, value, "B", 1, n, "exact")
