"""The sections of the report: those of this package and of other packages."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from tests.report import fixtures
from wirelab.model.errors import BadInput
from wirelab.report import html, markdown, section, terminal

CODE = """
from wirelab.report.section import Part, Section

SECTION = Section(
    45,
    lambda answer: True,
    html=lambda answer, view: [Part("acme", "Acme <score>", f"<b>{len(answer.rankings)}</b>")],
    markdown=lambda answer: ["## Acme score"],
    terminal=lambda answer, console: console.print("acme score"),
    csv=lambda answer, view: "score\\n1\\n",
)
NUMBER = 3
"""


@pytest.fixture
def register(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Installs a package, as pip leaves it, with these entry points for sections."""
    info = tmp_path / "third_party_acme-1.0.dist-info"
    info.mkdir()
    (tmp_path / "third_party_acme.py").write_text(CODE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: third-party-acme\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(line: str) -> None:
        (info / "entry_points.txt").write_text(f"[wirelab.report_sections]\n{line}\n")

    return write


def test_sections_come_in_their_order_where_they_apply() -> None:
    assert [name for name in section.sections(fixtures.device()) if name in ("ranking", "device", "codecs")] == [
        "ranking", "device", "codecs",
    ]  # fmt: skip
    assert "device" not in section.sections(fixtures.answer())
    assert "overall" in section.sections(fixtures.many())
    assert "overall" not in section.sections(fixtures.answer())


def test_a_section_of_another_package_is_in_every_view_between_those_of_this_one(register) -> None:
    register("acme = third_party_acme:SECTION")
    page = html.page(fixtures.answer(), fixtures.View())
    assert '<a href="#acme">Acme &lt;score&gt;</a>' in page
    assert "&lt;b&gt;1&lt;/b&gt;" in page
    assert page.index('id="codecs"') < page.index('id="acme"') < page.index('id="links"')
    assert "\n## Acme score\n" in markdown.text(fixtures.answer())
    console = Console(width=100, file=io.StringIO())
    terminal.print_answer(fixtures.answer(), console)
    assert isinstance(console.file, io.StringIO)
    assert "acme score\n" in console.file.getvalue()
    assert section.tables(fixtures.answer(), fixtures.View())["acme"] == "score\n1\n"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("acme = third_party_acme:NUMBER", "entry point acme of wirelab.report_sections: not a Section"),
        (
            "acme = third_party_acme:GONE",
            "entry point acme of wirelab.report_sections: third_party_acme:GONE does not load",
        ),
        ("codecs = third_party_acme:SECTION", "entry point codecs of wirelab.report_sections: a duplicate"),
    ],
)
def test_a_broken_section_is_refused_by_its_name(register, line: str, complaint: str) -> None:
    register(line)
    with pytest.raises(BadInput) as refused:
        section.sections(fixtures.answer())
    assert complaint in str(refused.value)


def test_the_codecs_have_a_csv_table_of_their_own() -> None:
    codecs = section.tables(fixtures.answer(), fixtures.View())["codecs"]
    assert codecs.splitlines()[1].startswith("protobuf/prost,0.14.1,rust,1157,1090,1260,")
