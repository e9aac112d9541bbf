"""A published study as a file: parts with factors and levels, deviations, figures, claims."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from wirelab.model import units
from wirelab.model.deprecated import renewed_file
from wirelab.model.errors import BadInput
from wirelab.model.study import Study
from wirelab.model.suggestions import nearest
from wirelab.studies.claims import Claim
from wirelab.studies.registry import INSTRUMENT
from wirelab.studies.toml_reader import converted, from_table, merged, read_table, resolved

T = TypeVar("T")


class Deviation(Struct, frozen=True, forbid_unknown_fields=True):
    """What the study used, what is used here in its place, and the reason or what it may change."""

    published: str
    used: str
    reason: str = ""


class Annotation(Struct, frozen=True, forbid_unknown_fields=True):
    """A published value from `low` to `high` (as users write values), drawn into a figure.

    It is of one series (`coap-non`, or "" for all), and of one level (`at`, or "" for all).
    """

    low: str
    high: str = ""
    series: str = ""
    at: str = ""


class Chart(Struct, frozen=True, forbid_unknown_fields=True):
    """A figure of the study: one metric over the levels of one factor.

    It has a line for each delivery that `series` (a glob) matches. `second_metric` is drawn too.
    """

    title: str
    part: str
    metric: str
    x_axis: str
    locator: str = ""
    annotations: list[Annotation] = []
    series: str = "*"
    second_metric: str = ""


class Part(Struct, frozen=True):
    """One set of factors that is a full product."""

    name: str
    study: Study


class Paper(Struct, frozen=True):
    """A study file. A plain one, without `[[part]]`, is one part without a name."""

    name: str
    parts: tuple[Part, ...]
    title: str = ""
    source: str = ""
    question: str = ""
    deviations: tuple[Deviation, ...] = ()
    charts: tuple[Chart, ...] = ()
    claims: tuple[Claim, ...] = ()
    # Time that remains after the planned trials goes to replicates for inconclusive claims.
    time_budget_s: float = 0.0


TEXTS = ("title", "source", "question")
TIME_BUDGET = "time_budget"
TABLES = ("part", "deviation", "figure", "claim", "quick", "spacing")


def read(path: Path, quick: bool = False, spacing: str = "", over: Mapping[str, Any] | None = None) -> Paper:
    """The study in a file; its paths are relative to the file. Raises BadInput.

    `quick` and `spacing` apply the tables of these names. The keys of `over` replace those of every
    part.
    """
    source = f"study file {path}"
    table = renewed_file(read_table(path), source)
    if INSTRUMENT in table:
        # Its other keys are that instrument's own.
        again = f"run it with: wirelab reproduce {table.get('name', path.stem)}"
        raise BadInput(source, f"measures {table[INSTRUMENT]}, no links and protocols", again)
    plain = {key: value for key, value in table.items() if key not in (*TEXTS, *TABLES, TIME_BUDGET)}
    given = _tables(table, "part", source)
    every = [_part(plain, table, one, path, quick, spacing, over or {}) for one in given or [{}]]
    names = [part.name for part in every]
    if given and (len(set(names)) < len(names) or not all(names)):
        raise BadInput(f"{source}: part", "each needs a name of its own", 'write name = "large"')
    charts = _structs(table, "figure", Chart, source)
    for chart in charts:
        if chart.part not in names:
            raise BadInput(
                f"{source}: figure '{chart.title}'", f"no part '{chart.part}'", nearest(chart.part, names)
            )
    kept = [part for part, one in zip(every, given or [{}], strict=True) if not (quick and _only_whole(one))]
    if not kept:
        raise BadInput(f"{source}: part", "a quick look leaves all of them out", "run it without --quick")
    names = [part.name for part in kept]
    return replace(
        _texts(table, path, source, quick),
        parts=tuple(kept),
        charts=tuple(chart for chart in charts if chart.part in names),
        time_budget_s=_time_budget_s(_quick(table, source) if quick else table, source),
    )


def texts(path: Path, quick: bool = False) -> Paper:
    """The texts and claims of a study file, without its parts. Raises BadInput."""
    source = f"study file {path}"
    return _texts(renewed_file(read_table(path), source), path, source, quick)


def _texts(table: dict[str, Any], path: Path, source: str, quick: bool) -> Paper:
    title, by, question = (str(table.get(key, "")) for key in TEXTS)
    deviations = _structs(table, "deviation", Deviation, source)
    claims = tuple(_claim(one, quick, source) for one in _tables(table, "claim", source))
    return Paper(str(table.get("name", path.stem)), (), title, by, question, deviations, claims=claims)


def _claim(one: dict[str, Any], quick: bool, source: str) -> Claim:
    """A claim, for a quick run with the keys of its `quick`. Both are checked in either case."""
    own = {key: value for key, value in one.items() if key != "quick"}
    whole, looked = (_struct(table, Claim, source) for table in (own, own | _quick(one, source)))
    return looked if quick else whole


def _only_whole(part: dict[str, Any]) -> bool:
    """Whether a quick run leaves the part out (`quick = false`)."""
    return part.get("quick") is False


def _time_budget_s(table: dict[str, Any], source: str) -> float:
    found = table.get(TIME_BUDGET, "0s")
    if not isinstance(found, str):
        raise BadInput(f"{source}: {TIME_BUDGET} = {found!r}", "is not a duration", "write it like '20min'")
    return units.duration_ns(found) / 1e9


def _quick(table: dict[str, Any], source: str) -> dict[str, Any]:
    found = table.get("quick", {})
    if not isinstance(found, dict):
        raise BadInput(f"{source}: quick", "is not a table", "write quick = { KEY = VALUE }")
    return found


def _part(
    plain: dict[str, Any],
    table: dict[str, Any],
    one: dict[str, Any],
    path: Path,
    quick: bool,
    spacing: str,
    over: Mapping[str, Any],
) -> Part:
    """Later tables win: file, part, `[quick]`, the part's `quick`, `[spacing.NAME]`, `over`."""
    own = {key: value for key, value in one.items() if key not in ("name", "quick")}
    name = str(one.get("name", ""))
    where = f"study file {path}" + (f", part {name}" if name else "")
    looked = [_quick(table, where), {} if _only_whole(one) else _quick(one, where)]
    tables = [plain, own, *(looked if quick else [])]
    if spacing:
        spacings = table.get("spacing", {})
        if spacing not in spacings:
            raise BadInput(
                f"spacing '{spacing}'", "unknown to this study", nearest(spacing, spacings or ["none"])
            )
        tables.append(spacings[spacing])
    found = merged(f"study file {path}", *tables, over)
    found.pop(TIME_BUDGET, None)
    return Part(name, resolved(from_table(found, where), path))


def _tables(table: dict[str, Any], key: str, source: str) -> list[dict[str, Any]]:
    found = table.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise BadInput(f"{source}: {key}", "is not a list of tables", f"write [[{key}]]")
    return found


def _structs(table: dict[str, Any], key: str, kind: type[T], source: str) -> tuple[T, ...]:
    return tuple(_struct(one, kind, source) for one in _tables(table, key, source))


def _struct(table: dict[str, Any], kind: type[T], source: str) -> T:
    fields = [field.name for field in msgspec.structs.fields(kind)]  # type: ignore[arg-type]
    for key in table:
        if key not in fields:
            raise BadInput(f"{source}: key '{key}'", "unknown there", nearest(key, fields))
    return converted(table, kind, source)
