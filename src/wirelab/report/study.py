"""The page of a study run again: what it asked, what stood in, each claim, figures with intervals, how to run it again; and the index of all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from msgspec import Struct, to_builtins

from wirelab import __version__
from wirelab.model.metrics import metric
from wirelab.model.units import show_duration
from wirelab.report.markdown_text import escape
from wirelab.report.study_chart import Published, Series, chart
from wirelab.studies.claims import FAILS, HOLDS, UNTESTED, Checked, Figure
from wirelab.studies.expression import number
from wirelab.studies.paper import Chart, Paper
from wirelab.studies.results import Place

RESULT = "study.json"
KEPT = ("name", "title", "quick", "command", "took_s", "page", "tally")
CLASSES = {HOLDS: "yes", FAILS: "no", UNTESTED: "quiet"}


class Seen(Struct, frozen=True):
    """What the page is made of. `about` are pairs of words; `notes` are warnings; `lacking` is by protocol."""

    paper: Paper
    checked: Sequence[Checked]
    figures: Mapping[str, Figure]
    places: Sequence[Place]
    lacking: Mapping[str, str]
    notes: Sequence[str]
    about: Sequence[tuple[str, str]]
    command: str
    quick: bool
    took_s: float = 0.0


def write(seen: Seen, directory: Path) -> None:
    """`report.html`, `report.md` and `study.json` of a study, and the index over all studies beside it."""
    directory.mkdir(parents=True, exist_ok=True)
    _put(
        directory / "report.html",
        _page("study.html", seen=seen, score=scoreboard(seen.checked), pictures=pictures(seen)),
    )
    _put(directory / "report.md", markdown(seen))
    paper = seen.paper
    write_summary(
        directory, paper.name, paper.title, seen.checked, seen.command, seen.took_s, seen.quick, "report.html"
    )


def write_summary(
    directory: Path,
    name: str,
    title: str,
    checked: Sequence[Checked],
    command: str,
    took_s: float,
    quick: bool,
    page: str,
) -> None:
    """`study.json`, which the index and other programs read of a study, and the index over all studies beside it. `page` is its report."""
    told = {
        "name": name, "title": title, "quick": quick, "command": command, "took_s": round(took_s, 1),
        "page": page, "tally": tally(checked), "claims": to_builtins(list(checked)),
    }  # fmt: skip
    _put(directory / RESULT, json.dumps(told, indent=1) + "\n")
    write_index(directory.parent)


def summaries(runs: Path) -> list[dict[str, Any]]:
    """Of every study that was run in a directory what `write_summary` left, and its `folder`; what cannot be read is passed over."""
    found = []
    for file in sorted(runs.glob(f"*/{RESULT}")):
        try:
            one = json.loads(file.read_text())
            found.append({"folder": file.parent.name, **{key: one[key] for key in KEPT}})
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return found


def write_index(runs: Path) -> None:
    """`index.html` over every study that was run in a directory."""
    page = _page("studies.html", studies=summaries(runs), verdicts=(HOLDS, FAILS, UNTESTED))
    _put(runs / "index.html", page)


def scores(runs: Path) -> str:
    """A Markdown table: what the claims of every study run in a directory came to, and how long that took."""
    lines = ["| command | " + " | ".join((HOLDS, FAILS, UNTESTED)) + " | took |", "|---|---:|---:|---:|---:|"]
    for one in summaries(runs):
        counts = " | ".join(str(one["tally"].get(verdict, 0)) for verdict in (HOLDS, FAILS, UNTESTED))
        lines.append(f"| `{one['command']}` | {counts} | {show_duration(one['took_s'] * 1e9)} |")
    return "\n".join(lines) + "\n"


def tally(checked: Sequence[Checked]) -> dict[str, int]:
    """How many claims have each verdict."""
    return {verdict: sum(c.verdict == verdict for c in checked) for verdict in (HOLDS, FAILS, UNTESTED)}


def scoreboard(checked: Sequence[Checked]) -> str:
    """`12 hold, 2 do not hold, 5 cannot be tested here`."""
    found = tally(checked)
    return f"{found[HOLDS]} hold, {found[FAILS]} do not hold, {found[UNTESTED]} cannot be tested here"


def pictures(seen: Seen) -> list[dict[str, Any]]:
    """The study's figures, drawn again."""
    return [one for one in (_picture(seen, each) for each in seen.paper.charts) if one]


def _picture(seen: Seen, asked: Chart) -> dict[str, Any] | None:
    own = [place for place in seen.places if place.part == asked.part and _shown(place, asked.series)]
    levels = _levels(seen, asked, own)
    table, names = {}, dict[str, None]()
    for place in own:
        for measured, after in ((asked.metric, ""), (asked.beside, f", {asked.beside}")):
            figure = seen.figures.get(f"{place.name}.{measured}")
            if figure is not None and figure.estimate is not None:
                names[place.series + after] = None
                table[place.series + after, place.levels.get(asked.over, "")] = figure.estimate
    series = [Series(name, [table.get((name, level)) for level in levels]) for name in names]
    if not table:
        return None
    unit = next(iter(table.values())).unit
    marks = [
        Published(
            number(m.low), number(m.high or m.low), levels.index(m.at) if m.at in levels else None,
            f"published: {m.series} {m.low} {m.high}".strip(),
        )
        for m in asked.marks
        if not m.at or m.at in levels
    ]  # fmt: skip
    title = metric(asked.metric).title
    return {
        "title": asked.title,
        "where": asked.where,
        "picture": Markup(chart(title, unit, asked.over, levels, series, marks)),
        "key": names,
        "levels": levels,
        "rows": [(one.name, [str(e) if e else "-" for e in one.estimates]) for one in series],
        "marked": bool(marks),
    }


def _levels(seen: Seen, asked: Chart, own: Sequence[Place]) -> list[str]:
    """The levels of a figure that were measured, in the order of the study file: trials run in an order of their own."""
    measured = dict.fromkeys(place.levels[asked.over] for place in own if asked.over in place.levels)
    written = [
        level for p in seen.paper.parts if p.name == asked.part for level in getattr(p.study, asked.over, ())
    ]
    return sorted(measured, key=lambda level: written.index(level) if level in written else len(written)) or [
        ""
    ]


def _shown(place: Place, series: str) -> bool:
    """Requests of one kind are shown where a figure names them."""
    return fnmatchcase(place.series, series) and (not place.request or series != "*")


def markdown(seen: Seen) -> str:
    """The page for wikis."""
    paper = seen.paper
    lines = [f"# {paper.name}: {escape(paper.title)}", "", escape(paper.source), "", escape(paper.asked), ""]
    lines += [f"**{scoreboard(seen.checked)}**{' (quick look)' if seen.quick else ''}", ""]
    lines += [f"- {escape(note)}" for note in seen.notes]
    lines += ["", "| claim | where | verdict | here | published |", "|---|---|---|---|---|"]
    lines += [
        f"| {escape(c.text)} | {escape(c.where)} | {c.verdict} | {escape(c.ours)}{f' ({escape(c.note)})' if c.note else ''} | {escape(c.published)} |"
        for c in seen.checked
    ]
    lines += ["", "## What stood in", "", "| in the study | here | |", "|---|---|---|"]
    lines += [f"| {escape(s.wanted)} | {escape(s.here)} | {escape(s.why)} |" for s in paper.stand_ins]
    for one in pictures(seen):
        lines += ["", f"## {escape(one['title'])} {escape(one['where'])}", ""]
        lines += [f"| | {' | '.join(map(escape, one['levels']))} |", "|---" * (len(one["levels"]) + 1) + "|"]
        lines += [f"| {escape(name)} | {' | '.join(map(escape, cells))} |" for name, cells in one["rows"]]
    lines += ["", "## Run it again", "", f"    {seen.command}", ""]
    return "\n".join(lines)


def _page(template: str, **values: Any) -> str:
    environment = Environment(
        loader=PackageLoader("wirelab.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(version=__version__, classes=CLASSES, **values)


def _put(path: Path, text: str) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8", errors="replace")
    os.replace(part, path)
