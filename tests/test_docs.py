"""What the documentation shows is whole: rows as wide as their tables, links to files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)")


every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def cells(row: str) -> int:
    """How many a table's row has."""
    return len(re.split(r"(?<!\\)\|", row.strip().strip("|")))


@every_page
def test_every_row_of_a_table_has_as_many_cells_as_its_head(page: Path) -> None:
    tables = re.findall(r"(?:^\|.*\n?)+", FENCED.sub("", page.read_text()), re.MULTILINE)
    uneven = [
        row for table in tables for row in table.splitlines() if cells(row) != cells(table.splitlines()[0])
    ]
    assert uneven == []


@every_page
def test_every_link_to_a_file_leads_to_one(page: Path) -> None:
    links = LINK.findall(FENCED.sub("", page.read_text()))
    assert [link for link in links if not (page.parent / link).exists()] == []
