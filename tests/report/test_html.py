"""The page as text: escaped, offline, well formed, with notes on missing parts."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.report import fixtures
from wirelab.report.html import page, write_html
from wirelab.report.provenance import flat, link
from wirelab.report.samples import arrived_by, worth_drawing

NAMES = sorted(fixtures.ANSWERS)
VOID = {"meta", "link", "br", "hr", "img", "input", "rect", "circle", "line", "path"}


def of(name: str) -> str:
    return page(fixtures.ANSWERS[name](), fixtures.View())


class Structure(HTMLParser):
    """Checks that elements are closed in order, and gathers tags, ids, fragments and rows of cells."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.cells = 0
        self.rows: list[tuple[int, int]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.ids += [value or "" for key, value in attrs if key == "id"]
        self.targets += [value or "" for key, value in attrs if key == "href" and tag == "a"]
        if tag == "table":
            self.rows.append((0, 0))
        if tag in ("td", "th"):
            self.cells += 1
        if tag == "tr":
            self.cells = 0
        if tag not in VOID or tag in ("circle", "rect"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag
        if tag == "tr":
            heads, widest = self.rows[-1]
            self.rows[-1] = (heads or self.cells, max(widest, self.cells))
            assert self.rows[-1][0] == self.cells, "a row has more or fewer cells than its heading"


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_well_formed_and_every_row_fits_its_heading(name: str) -> None:
    structure = Structure()
    structure.feed(of(name))
    assert structure.open == []
    assert len(structure.ids) == len(set(structure.ids))
    assert {target.removeprefix("#") for target in structure.targets} <= set(structure.ids)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_refers_to_nothing_outside_and_has_no_script(name: str) -> None:
    text = of(name)
    assert re.findall(r"https?:|//[a-z]|@import|url\(", text) == []
    assert "<script" not in text
    assert re.findall(r"\son\w+=", text) == []


def test_hostile_names_stay_text() -> None:
    text = of("hostile")
    assert text.count("&lt;script&gt;") > 20
    assert "<script" not in text


def test_a_page_without_a_valid_trial_has_the_reason() -> None:
    text = of("nothing")
    assert "No combination has a valid trial" in text
    assert "skipped: messages of 12 kB do not fit a datagram" in text
    assert "<svg" not in text


def test_every_invalid_trial_is_named_with_its_reason() -> None:
    assert "invalid: rate missed: 3.1/s of 5/s" in of("usual")


def test_the_command_versions_limits_and_seed_are_on_the_page() -> None:
    text = of("usual")
    for said in (
        "--need loss=0",
        "rumqttc",
        "0.25.1",
        "max_queued 0",
        "<dt>seed</dt><dd>1</dd>",
        "powersave",
    ):
        assert said in text


def test_the_file_is_written_whole_under_its_name(tmp_path: Path) -> None:
    write_html(fixtures.answer(), fixtures.View(), tmp_path / "report.html")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_a_distribution_counts_lost_messages_and_leaves_the_warm_up_out() -> None:
    points = arrived_by(fixtures.View(), fixtures.ROWS[4])
    assert points[0][1] == 0
    assert points[-1][1] == pytest.approx(143 / 150)
    assert [at for at, _ in points] == sorted(at for at, _ in points)


def test_the_best_of_each_group_is_drawn_even_where_it_ranks_low() -> None:
    assert worth_drawing(fixtures.many().rankings[0].rows, [0] * 20 + [1] * 30 + [2] * 50, 6) == [
        0,
        1,
        2,
        3,
        20,
        50,
    ]


def test_a_link_check_shows_specified_against_measured_and_unknown_keys() -> None:
    shown = link(fixtures.CHECK)
    assert shown["compared"][0] == {
        "what": "rtt, median",
        "specified": "69.5 ms",
        "measured": "69.9 ms",
        "interval": "[69.1 ms, 70.6 ms]",
        "n": "120",
        "ok": True,
    }
    assert shown["rest"] == [("lateness.p50", "8.20 us"), ("lateness.p99", "41.0 us")]
    assert flat({"a": {"b_bytes": 12, "c": [1, 2]}, "d": None}) == [("a.b", "12 B"), ("a.c", "1, 2")]
