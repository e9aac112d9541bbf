"""The page of a reproduced study, and the index of all studies in a directory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup
from msgspec import Struct, to_builtins

from wirelab.model.origin import Origin
from wirelab.model.units import show_duration
from wirelab.report.markdown import origin_line
from wirelab.report.markdown_text import bullets, escape, table
from wirelab.report.rendering import put, render_page
from wirelab.report.study_chart import chart
from wirelab.studies.claims import CONFIRMED, INCONCLUSIVE, NOT_APPLICABLE, REFUTED, Checked
from wirelab.studies.published_tables import Table
from wirelab.studies.study_file import Deviation

REPORT, RESULT = "report.html", "study.json"
KEPT = ("name", "title", "quick", "command", "took_s", "page", "tally")
VERDICTS = (CONFIRMED, REFUTED, INCONCLUSIVE, NOT_APPLICABLE)
CLASSES = {CONFIRMED: "yes", REFUTED: "no", INCONCLUSIVE: "open", NOT_APPLICABLE: "quiet"}


class Page(Struct, frozen=True):
    """The contents of a study's page.

    `about` are names and values, `notes` are warnings. `lacking` has, by the name of what is not
    installed, the reason.
    """

    name: str
    title: str
    source: str
    question: str
    deviations: Sequence[Deviation]
    checked: Sequence[Checked]
    tables: Sequence[Table]
    command: str
    quick: bool = False
    took_s: float = 0.0
    lacking: Mapping[str, str] = {}
    notes: Sequence[str] = ()
    about: Sequence[tuple[str, str]] = ()
    origin: Origin | None = None


def write(page: Page, directory: Path) -> None:
    """Write `report.html`, `report.md` and `study.json`, and the index of the parent directory."""
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
    return render_page("study.html", page=page, score=score, shown=shown, classes=CLASSES, origin=page.origin)


def _summary(page: Page) -> dict[str, Any]:
    """The summary of a study for the index and other programs."""
    return {
        "name": page.name, "title": page.title, "quick": page.quick, "command": page.command, "took_s": round(page.took_s, 1),
        "page": REPORT, "tally": tally(page.checked), "claims": to_builtins(list(page.checked)),
        "origin": to_builtins(page.origin),
    }  # fmt: skip


def summaries(runs: Path) -> list[dict[str, Any]]:
    """The `study.json` of every run in a directory, with its `folder`.

    Unreadable ones are skipped.
    """
    found = []
    for file in sorted(runs.glob(f"*/{RESULT}")):
        try:
            one = json.loads(file.read_text())
            kept = {key: one[key] for key in KEPT}
            found.append({"folder": file.parent.name, **kept, "tally": _verdicts(one)})
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return found


def _verdicts(one: Mapping[str, Any]) -> dict[str, int]:
    """How many claims of a `study.json` have each verdict. Older files had three verdicts."""
    if set(one["tally"]) <= set(VERDICTS):
        return dict(one["tally"])
    former = {"holds": CONFIRMED, "does not hold": REFUTED}
    found: dict[str, int] = dict.fromkeys(VERDICTS, 0)
    for claim in one["claims"]:
        found[former.get(claim["verdict"], INCONCLUSIVE if claim["open"] else NOT_APPLICABLE)] += 1
    return found


def write_index(runs: Path) -> None:
    """`index.html` over every study that was run in a directory."""
    page = render_page("studies.html", studies=summaries(runs), verdicts=VERDICTS)
    put(runs / "index.html", page)


def scores(runs: Path) -> str:
    """A Markdown table of the verdicts and the duration of every study run in a directory."""
    lines = ["| command | " + " | ".join(VERDICTS) + " | took |", "|---|" + "---:|" * (len(VERDICTS) + 1)]
    for one in summaries(runs):
        counts = " | ".join(str(one["tally"].get(verdict, 0)) for verdict in VERDICTS)
        lines.append(f"| `{one['command']}` | {counts} | {show_duration(one['took_s'] * 1e9)} |")
    return "\n".join(lines) + "\n"


def tally(checked: Sequence[Checked]) -> dict[str, int]:
    """How many claims have each verdict."""
    return {verdict: sum(c.verdict == verdict for c in checked) for verdict in VERDICTS}


def scoreboard(checked: Sequence[Checked]) -> str:
    """`12 confirmed, 2 refuted, 4 inconclusive, 1 not applicable`."""
    return ", ".join(f"{number} {verdict}" for verdict, number in tally(checked).items())


def markdown(page: Page) -> str:
    """The page for wikis."""
    quick = " (quick look)" if page.quick else ""
    blocks = [f"# {page.name}: {escape(page.title)}", escape(page.source), escape(page.question)]
    blocks += [f"**{scoreboard(page.checked)}**{quick}", *([bullets(page.notes)] if page.notes else [])]
    blocks.append(table(("claim", "locator", "verdict", "here", "published"), map(_claim, page.checked)))
    stood = [(one.published, one.used, one.reason) for one in page.deviations]
    blocks += ["## Deviations", table(("in the study", "here", "what it may change"), stood)]
    for one in page.tables:
        rows = [(name, *cells) for name, cells in one.rows]
        blocks += [
            f"## {escape(f'{one.title} {one.locator}')}",
            table((one.corner, *one.columns), rows),
        ]
    blocks += ["## Run it again", f"    {page.command}", *origin_line(page.origin)]
    return "\n\n".join(blocks) + "\n"


def _claim(one: Checked) -> tuple[str, ...]:
    here = "; ".join(filter(None, [one.reason, ", ".join(one.figures)]))
    return one.text, one.locator, one.verdict, f"{here} ({one.note})" if one.note else here, one.published
