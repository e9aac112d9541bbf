"""The parts of the tests that a change needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import run_tests

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("file", "parts"),
    [
        ("crates/link-model/src/impairment/loss/mod.rs", ["link", "lab"]),
        ("crates/peer-mqtt/src/main.rs", ["contract", "lab"]),
        ("firmware/stm32f4/port.c", ["devices"]),
        ("tests/java/test_trees.py", ["java"]),
        ("src/wirelab/codecs/cpp/registry.py", ["unit", "codecs", "cpp"]),
        ("docs/index.md", ["unit"]),
        ("LICENSE", []),
    ],
)
def test_a_changed_file_selects_the_parts_that_depend_on_it(file: str, parts: list[str]) -> None:
    assert run_tests.changed_parts([file]) == parts


def test_a_changed_lock_file_selects_all_parts() -> None:
    assert run_tests.changed_parts(["Cargo.lock"]) == list(run_tests.PARTS)


def test_every_test_belongs_to_a_part() -> None:
    owned = tuple(path for part in run_tests.PARTS.values() for path in part.tests)
    files = [str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py")]
    assert [file for file in files if not file.startswith(owned)] == []


def test_a_part_owns_the_tests_below_its_folders() -> None:
    assert run_tests.owner("tests/link/test_rows.py::test_x") == "link"


def test_a_time_is_read_with_its_unit() -> None:
    assert run_tests.seconds("20min") == 1200
    assert run_tests.seconds("90s") == 90
    assert run_tests.seconds("") == float("inf")
