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


class Recorder:
    """Replaces the runner of one part: records its calls. Each takes a minute."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **codes: int) -> None:
        self.calls: list[tuple[tuple[str, ...], str, list[str]]] = []
        self.codes = {run_tests.PARTS[name].tests: code for name, code in codes.items()}
        self.now = 0.0
        monkeypatch.setattr(run_tests, "run", self.run)
        monkeypatch.setattr(run_tests.time, "monotonic", lambda: self.now)

    def run(self, paths: tuple[str, ...], marks: str, words: list[str]) -> int:
        self.calls.append((paths, marks, words))
        self.now += 60.0
        return self.codes.get(paths, 0)


def test_parts_run_in_order_with_their_own_tests_and_the_words_given(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = Recorder(monkeypatch)
    assert run_tests.run_parts(["link", "cpp"], ["-k", "mqtt"]) == 0
    assert parts.calls == [(("tests/link",), "", ["-k", "mqtt"]), (("tests/cpp",), "", ["-k", "mqtt"])]
    assert capsys.readouterr().out == "part link\npart cpp\n"


def test_a_part_that_fails_does_not_keep_the_next_from_running_and_fails_the_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts = Recorder(monkeypatch, link=1)
    assert run_tests.run_parts(["link", "cpp"], []) == 1
    assert [paths for paths, _, _ in parts.calls] == [("tests/link",), ("tests/cpp",)]


def test_parts_that_the_time_does_not_suffice_for_are_named_and_do_not_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = Recorder(monkeypatch)
    assert run_tests.run_parts(["link", "cpp", "java", "lab"], [], within_s=90) == 0
    assert [paths for paths, _, _ in parts.calls] == [("tests/link",), ("tests/cpp",)]
    assert capsys.readouterr().out.splitlines()[2:] == [
        "not run for want of time: java, lab; make test-all PART=NAME"
    ]


def test_a_part_that_was_begun_in_time_is_run_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = Recorder(monkeypatch, cpp=1)
    assert run_tests.run_parts(["link", "cpp"], [], within_s=60) == 1
    assert len(parts.calls) == 2
