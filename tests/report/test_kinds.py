"""Trials by kind of message, as each view shows them."""

from __future__ import annotations

import io

import msgspec
from rich.console import Console

from tests.report import fixtures
from tests.report.fixtures import EVIL, MS, ROWS, estimate, exact
from wirelab.model.answer import Answer, KindFigures, Ranking, Row
from wirelab.report import html, markdown, section, terminal

READING = KindFigures(
    "reading",
    1200,
    1197,
    exact(214),
    estimate(41 * MS, 40 * MS, 42 * MS),
    estimate(90 * MS, 80 * MS, 95 * MS),
)
# None of its messages arrived: they have no bytes and no latency.
ALARM = KindFigures("alarm", 3, 0)
FIGURES = r"| 1,200 | 3 | 214 B | 41.0 ms \[40.0, 42.0] | 90.0 ms \[80.0, 95.0] |"


def of_kinds(row: Row, *kinds: KindFigures) -> Row:
    return msgspec.structs.replace(row, kinds=kinds)


def answer_of(*rankings: Ranking) -> Answer:
    return fixtures.answer(rankings=rankings)


ONE = answer_of(Ranking({}, (of_kinds(ROWS[0], READING, ALARM), ROWS[1]), "r"))


def lines(text: str) -> list[str]:
    """The lines of the section in a Markdown page."""
    _, _, rest = text.partition("## Trials by kind of message\n")
    return [line for line in rest.partition("\n## ")[0].splitlines() if line]


def printed(answer: Answer, width: int) -> list[str]:
    out = io.StringIO()
    terminal.print_answer(answer, Console(width=width, file=out))
    found = out.getvalue().splitlines()
    start = found.index("Trials by kind of message:")
    heading, columns, _rule, *rows = (line.rstrip() for line in found[start : start + 5])
    return [heading, columns, *rows]


def test_the_section_is_left_out_of_an_answer_with_one_kind_of_message() -> None:
    assert "kinds" not in section.sections(fixtures.answer())
    assert "kinds" not in section.sections(answer_of(Ranking({}, (of_kinds(ROWS[0]),), "r")))
    assert "kinds" in section.sections(ONE)


def test_each_kind_of_a_row_has_a_line_with_its_losses_and_a_dash_for_what_is_not_known() -> None:
    assert lines(markdown.text(ONE))[2:] == [
        rf"| avro/serde\_avro\_fast mqtt qos 0 | reading {FIGURES}",
        r"| avro/serde\_avro\_fast mqtt qos 0 | alarm | 3 | 3 | - | - | - |",
    ]


def test_a_line_names_its_link_only_if_the_answer_has_several() -> None:
    row = of_kinds(ROWS[0], READING)
    two = answer_of(Ranking({"link": "lte"}, (row,), "r"), Ranking({"link": "wifi"}, (row,), "r"))
    assert lines(markdown.text(two))[2:] == [
        rf"| avro/serde\_avro\_fast mqtt qos 0 link {link} | reading {FIGURES}" for link in ("lte", "wifi")
    ]


def test_a_wide_terminal_shows_all_figures() -> None:
    heading, columns, reading, alarm = printed(ONE, 160)
    assert heading == "Trials by kind of message:"
    assert columns.split() == [
        "combination",
        "kind",
        "messages",
        "lost",
        "bytes",
        "latency,",
        "median",
        "99",
        "%",
    ]
    name = "avro/serde_avro_fast mqtt qos 0"
    assert (
        " ".join(reading.split()) == f"{name} reading 1,200 3 214 B 41.0 ms [40.0, 42.0] 90.0 ms [80.0, 95.0]"
    )
    assert " ".join(alarm.split()) == f"{name} alarm 3 3 - - -"


def test_a_narrow_terminal_drops_the_last_figures_first_and_breaks_no_name() -> None:
    _, columns, reading, _ = printed(ONE, 70)
    assert columns.split() == ["combination", "kind", "messages", "lost", "bytes"]
    assert reading.split() == [
        "avro/serde_avro_fast",
        "mqtt",
        "qos",
        "0",
        "reading",
        "1,200",
        "3",
        "214",
        "B",
    ]


def test_the_page_has_the_table_under_its_heading_and_escapes_the_name_of_a_kind() -> None:
    evil = msgspec.structs.replace(READING, kind=EVIL)
    page = html.page(answer_of(Ranking({}, (of_kinds(ROWS[0], evil),), "r")), fixtures.View())
    assert '<a href="#kinds">Trials by kind of message</a>' in page
    assert "<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>" in page
    assert EVIL not in page
    assert "the messages of each kind in the trials above, the warm-up left out." in page
