"""The page of a study run again: what it asked, what stood in, each claim, figures with intervals, how to run it again; and the index of all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup
from msgspec import Struct, to_builtins

from wirelab.model.units import show_duration
from wirelab.report.markdown_text import bullets, escape, table
from wirelab.report.rendering import filled, put
from wirelab.report.study_chart import chart
from wirelab.studies.claims import FAILS, HOLDS, UNTESTED, Checked
from wirelab.studies.published_tables import Table
from wirelab.studies.study_file import StandIn

REPORT, RESULT = "report.html", "study.json"
KEPT = ("name", "title", "quick", "command", "took_s", "page", "tally")
VERDICTS = (HOLDS, FAILS, UNTESTED)
CLASSES = {HOLDS: "yes", FAILS: "no", UNTESTED: "quiet"}


class Page(Struct, frozen=True):
    """What a study's page is made of. `about` are pairs of words; `notes` are warnings; `lacking` says by name what is not here."""

    name: str
    title: str
    source: str
    asked: str
    stand_ins: Sequence[StandIn]
    checked: Sequence[Checked]
    tables: Sequence[Table]
    command: str
    quick: bool = False
    took_s: float = 0.0
    lacking: Mapping[str, str] = {}
    notes: Sequence[str] = ()
    about: Sequence[tuple[str, str]] = ()


def write(page: Page, directory: Path) -> None:
    """`report.html`, `report.md` and `study.json` of a study, and the index over all studies beside it."""
    directory.mkdir(parents=True, exist_ok=True)
    put(directory / REPORT, html(page))
    put(directory / "report.md", markdown(page))
    put(directory / RESULT, json.dumps(_summary(page), indent=1) + "\n")
    write_index(directory.parent)


def html(page: Page) -> str:
    """The page for a browser."""
    drawn = [Markup(chart(table.drawing)) if table.drawing else "" for table in page.tables]
    shown = list(zip(page.tables, drawn, strict=True))
    score = scoreboard(page.checked)
    return filled("study.html", page=page, score=score, shown=shown, classes=CLASSES)


def _summary(page: Page) -> dict[str, Any]:
    """What the index and other programs read of a study."""
    return {
        "name": page.name, "title": page.title, "quick": page.quick, "command": page.command, "took_s": round(page.took_s, 1),
        "page": REPORT, "tally": tally(page.checked), "claims": to_builtins(list(page.checked)),
    }  # fmt: skip


def summaries(runs: Path) -> list[dict[str, Any]]:
    """Of every study that was run in a directory what `write` left, and its `folder`; what cannot be read is passed over."""
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
    page = filled("studies.html", studies=summaries(runs), verdicts=VERDICTS)
    put(runs / "index.html", page)


def scores(runs: Path) -> str:
    """A Markdown table: what the claims of every study run in a directory came to, and how long that took."""
    lines = ["| command | " + " | ".join(VERDICTS) + " | took |", "|---|---:|---:|---:|---:|"]
    for one in summaries(runs):
        counts = " | ".join(str(one["tally"].get(verdict, 0)) for verdict in VERDICTS)
        lines.append(f"| `{one['command']}` | {counts} | {show_duration(one['took_s'] * 1e9)} |")
    return "\n".join(lines) + "\n"


def tally(checked: Sequence[Checked]) -> dict[str, int]:
    """How many claims have each verdict."""
    return {verdict: sum(c.verdict == verdict for c in checked) for verdict in VERDICTS}


def scoreboard(checked: Sequence[Checked]) -> str:
    """`12 hold, 2 do not hold, 5 cannot be tested here`."""
    found = tally(checked)
    return f"{found[HOLDS]} hold, {found[FAILS]} do not hold, {found[UNTESTED]} cannot be tested here"


def markdown(page: Page) -> str:
    """The page for wikis."""
    quick = " (quick look)" if page.quick else ""
    blocks = [f"# {page.name}: {escape(page.title)}", escape(page.source), escape(page.asked)]
    blocks += [f"**{scoreboard(page.checked)}**{quick}", *([bullets(page.notes)] if page.notes else [])]
    blocks.append(table(("claim", "where", "verdict", "here", "published"), map(_claim, page.checked)))
    stood = [(one.wanted, one.here, one.why) for one in page.stand_ins]
    blocks += ["## What stood in", table(("in the study", "here", ""), stood)]
    for one in page.tables:
        rows = [(name, *cells) for name, cells in one.rows]
        blocks += [
            f"## {escape(f'{one.title} {one.where}')}",
            table((one.corner, *one.columns), rows),
        ]
    return "\n\n".join([*blocks, "## Run it again", f"    {page.command}"]) + "\n"


def _claim(one: Checked) -> tuple[str, ...]:
    here = "; ".join(filter(None, [one.reason, ", ".join(one.figures)]))
    return one.text, one.where, one.verdict, f"{here} ({one.note})" if one.note else here, one.published
