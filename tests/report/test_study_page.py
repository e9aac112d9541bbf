"""The page of a study: every claim, every table, published values in the drawing."""

from __future__ import annotations

from pathlib import Path

from tests.report.study_fixtures import PAGE, times
from wirelab.report import study
from wirelab.report.study_chart import chart

MARKDOWN_TAIL = """\
## Opened

| format | small |
| --- | --- |
| capnp | 20 ns |

## Run it again

    wirelab reproduce made-up2026
"""


def test_the_markdown_page_has_claims_and_tables() -> None:
    text = study.markdown(PAGE)
    assert "**1 confirmed, 1 refuted, 0 inconclusive, 0 not applicable**" in text
    assert "| a \\< b | Table 1 | confirmed | a 1, b 2 | 3 against 4 |" in text
    assert "refuted | contradicted: c (5) \\< d (4); c 5, d 4, e 3, f 2 | 6 |" in text
    assert "| format | median |\n| --- | --- |\n| flatbuffers | 1.00 us \\[900 ns, 1.10 us] |" in text
    assert text.endswith(MARKDOWN_TAIL)


def test_levels_without_an_order_are_not_joined_by_lines() -> None:
    drawings = [times(joined=joined).drawing for joined in (True, False)]
    assert [drawn is not None and chart(drawn).count('class="curve') for drawn in drawings] == [1, 0]


def test_the_page_escapes_names_and_marks_published_values(tmp_path: Path) -> None:
    study.write(PAGE, tmp_path / "made-up2026")
    page = (tmp_path / "made-up2026" / "report.html").read_text()
    assert "Serializing &lt;fast&gt;" in page
    assert page.count('class="published"') == 1
    # Why a claim does not hold is read first; of many figures, those who want them open the list.
    assert "<p>contradicted: c (5) &lt; d (4)</p><details><summary>4 figures</summary>" in page
    assert "published: &lt;flatbuffers&gt;" in page
    assert "<fast" not in page
    assert 'href="made-up2026/report.html"' in (tmp_path / "index.html").read_text()
