"""The documentation: tables, links, anchors, generated parts, and the paths that sources name."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(page for part in ("docs", "reproductions") for page in (ROOT / part).rglob("*.md")),
    ]
)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)")
SOURCES = (
    "src",
    "crates",
    "java",
    "tests",
    "servers",
    "bench",
    "firmware",
    "packs",
    "examples",
    "reproductions",
)


every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def cells(row: str) -> int:
    """The number of cells of a table's row."""
    return len(re.split(r"(?<!\\)\|", row.strip().strip("|")))


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text()), re.MULTILINE)
    kept = [re.sub(r"[^\w\s-]", "", heading.replace("`", "").lower()) for heading in headings]
    return {re.sub(r"\s", "-", heading.strip()) for heading in kept}


def links(page: Path) -> list[tuple[Path, str]]:
    """The relative links of a page: the file each leads to, and the anchor or ""."""
    found = LINK.findall(FENCED.sub("", page.read_text()))
    return [((page.parent / target) if target else page, anchor) for target, anchor in found]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    """docs/generate.py."""
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@every_page
def test_every_row_of_a_table_has_as_many_cells_as_its_head(page: Path) -> None:
    tables = re.findall(r"(?:^\|.*\n?)+", FENCED.sub("", page.read_text()), re.MULTILINE)
    uneven = [
        row for table in tables for row in table.splitlines() if cells(row) != cells(table.splitlines()[0])
    ]
    assert uneven == []


@every_page
def test_every_link_to_a_file_leads_to_one(page: Path) -> None:
    assert [str(target) for target, _ in links(page) if not target.exists()] == []


@every_page
def test_every_link_to_an_anchor_leads_to_a_heading(page: Path) -> None:
    pages = [(target, anchor) for target, anchor in links(page) if anchor and target.suffix == ".md"]
    assert [(str(target), anchor) for target, anchor in pages if anchor not in anchors(target)] == []


def test_every_path_into_docs_that_a_source_names_exists() -> None:
    command = ["git", "grep", "-hoIE", r"docs/[a-zA-Z0-9_/.-]+\.(md|json)", "--", *SOURCES]
    named = set(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split())
    assert "docs/contracts/peer.md" in named
    assert sorted(name for name in named if not (ROOT / name).exists()) == []


@pytest.mark.parametrize("page", ["cli.md", "study-file.md", "results.md"])
def test_the_generated_parts_of_a_page_are_current(generator: ModuleType, page: str) -> None:
    written = (ROOT / "docs" / "reference" / page).read_text()
    assert written == generator.render(page), "run: python docs/generate.py"


def test_the_index_leads_to_every_page_but_those_of_single_protocols_and_studies() -> None:
    index = ROOT / "docs" / "index.md"
    reached = {target.resolve() for target, _ in links(index)}
    single = {"protocols", "studies"}
    pages = {page for page in PAGES if page.is_relative_to(ROOT / "docs") and page != index}
    unlinked = pages - reached
    assert sorted(str(page) for page in unlinked if page.parent.name not in single) == []


def test_the_readme_leaves_the_rust_version_to_cargo() -> None:
    assert re.search(r"Rust(?: version)? 1\.\d", (ROOT / "README.md").read_text()) is None
    assert re.search(r'^rust-version = "', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)


def test_every_path_in_the_architecture_exists() -> None:
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text() + (
        ROOT / "CONTRIBUTING.md"
    ).read_text()
    roots = "src|crates|java|packs|firmware|servers|bench|docs|tests|tools"
    named = re.findall(rf"`((?:{roots})/[a-z0-9_./-]+)`", text)
    assert "src/wirelab/lab/cell.py" in named
    assert [name for name in named if "NAME" not in name and not (ROOT / name).exists()] == []
