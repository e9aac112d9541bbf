"""Progress as plain lines, with a fake clock."""

from __future__ import annotations

import pytest

from wirelab.report.progress import Lines, progress


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_line_is_due_after_each_tenth() -> None:
    said: list[str] = []
    lines = Lines("measuring", 40, said.append, Clock())
    for done in range(1, 41):
        lines.update(done, left_s=40.0 - done)
    assert said[:3] == [
        "measuring",
        "measuring: 4 of 40 (10 %), 36.0 s left",
        "measuring: 8 of 40 (20 %), 32.0 s left",
    ]
    assert said[-1] == "measuring: 40 of 40 (100 %)"
    assert len(said) == 11


def test_a_line_is_due_after_a_long_silence() -> None:
    said: list[str] = []
    clock = Clock()
    lines = Lines("measuring", 1000, said.append, clock)
    lines.update(1)
    clock.now = 31
    lines.update(2)
    lines.update(3)
    assert said == ["measuring", "measuring: 2 of 1000 (0 %)"]


def test_quiet_prints_no_progress_and_a_pipe_gets_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("measuring", quiet=True, total=10) as bar:
        bar.update(5)
    with progress("checking", total=2) as bar:
        bar.update(1)
    assert capsys.readouterr().err == "checking\nchecking: 1 of 2 (50 %)\n"


def test_a_pipe_gets_a_step_at_most_every_three_seconds() -> None:
    said: list[str] = []
    clock = Clock()
    lines = Lines("compiling", 0, said.append, clock)
    for now, step in [(0.0, "serde in Rust"), (1.0, "prost in Rust"), (3.0, "the generated code in Rust")]:
        clock.now = now
        lines.tell(step)
    assert said == ["compiling", "serde in Rust", "the generated code in Rust"]
