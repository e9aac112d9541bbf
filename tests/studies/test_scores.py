"""The scores of several studies: one table, one index, unreadable ones skipped."""

from __future__ import annotations

import json
from pathlib import Path

from tests.end_to_end.cli_runner import wirelab
from wirelab.model.estimate import Estimate
from wirelab.model.study import Study
from wirelab.report import study as pages
from wirelab.report.replot import redraw
from wirelab.studies.claims import CONFIRMED, INCONCLUSIVE, NOT_APPLICABLE, REFUTED, Checked, Figure
from wirelab.studies.results import Place
from wirelab.studies.study_file import Chart, Paper, Part


def left(runs: Path, name: str, verdicts: list[str], took_s: float) -> None:
    checked = [Checked(f"claim {i}", verdict, "", "") for i, verdict in enumerate(verdicts)]  # type: ignore[arg-type]
    page = pages.Page(
        name, f"About {name}", "", "", [], checked, [], f"wirelab reproduce {name}", took_s=took_s
    )
    pages.write(page, runs / name)


def test_the_scores_of_all_studies_are_one_table(tmp_path: Path) -> None:
    left(tmp_path, "one", [CONFIRMED, CONFIRMED, REFUTED, NOT_APPLICABLE], 272.04)
    left(tmp_path, "two", [INCONCLUSIVE], 32.0)
    (tmp_path / "three").mkdir()
    (tmp_path / "three" / "study.json").write_text('{"name": "of an older version"}')
    done = wirelab("report", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "| command | confirmed | refuted | inconclusive | not applicable | took |\n|---|---:|---:|---:|---:|---:|\n"
        "| `wirelab reproduce one` | 2 | 1 | 0 | 1 | 272 s |\n"
        "| `wirelab reproduce two` | 0 | 0 | 1 | 0 | 32.0 s |\n"
    )
    index = (tmp_path / "index.html").read_text()
    assert 'href="one/report.html"' in index
    assert 'href="two/report.html"' in index
    assert "About two" in index


def test_a_figure_has_the_levels_in_the_order_of_the_study_file() -> None:
    places = [Place("flood", "mqtt-1", {"size": size}) for size in ("16KiB", "64B", "256B")]
    value = Figure(0.0, Estimate(5.0, 4.0, 6.0, "1/s", 3, 3, "t"))
    paper = Paper(
        "made-up",
        (Part("flood", Study("made-up", size=("64B", "256B", "1KiB", "16KiB"))),),
        charts=(Chart("Flood", "flood", "throughput", "size"),),
    )
    (table,) = redraw(paper, {f"{place.name}.throughput": value for place in places}, places)
    assert table.columns == ["64B", "256B", "16KiB"]


def test_a_score_with_three_verdicts_is_counted_by_the_current_four(tmp_path: Path) -> None:
    left(tmp_path, "old", [CONFIRMED], 32.0)
    file = tmp_path / "old" / "study.json"
    former = json.loads(file.read_text())
    claims = [
        ("holds", []),
        ("does not hold", []),
        ("cannot be tested here", ["a.mean"]),
        ("cannot be tested here", []),
    ]
    former["claims"] = [{"text": "x", "verdict": verdict, "open": undecided} for verdict, undecided in claims]
    former["tally"] = {"holds": 1, "does not hold": 1, "cannot be tested here": 2}
    file.write_text(json.dumps(former))
    assert (
        wirelab("report", tmp_path).stdout.splitlines()[2]
        == "| `wirelab reproduce old` | 1 | 1 | 1 | 1 | 32.0 s |"
    )
