"""CPU time of the whole machine is read as the kernel writes it, and what a hypervisor withheld is a share of what was asked for."""

from __future__ import annotations

from pathlib import Path

from wirelab.lab.machine import CpuTime, cpu_time, stolen_share


def test_cpu_time_asked_for_is_all_but_idle_and_waiting_for_a_disk(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text("cpu  100 2 30 4000 500 6 7 80 9 1\ncpu0 1 1 1 1 1 1 1 1 1 1\n")
    assert cpu_time(tmp_path) == CpuTime(asked=100 + 2 + 30 + 6 + 7 + 80, stolen=80)


def test_a_kernel_that_tells_of_no_stolen_time_stole_none(tmp_path: Path) -> None:
    assert cpu_time(tmp_path) == CpuTime(0, 0)
    for text in ("", "cpu  100 2 30 4000\n", "cpu  a b c d e f g h\n"):
        (tmp_path / "stat").write_text(text)
        assert cpu_time(tmp_path) == CpuTime(0, 0)


def test_the_stolen_share_is_of_what_was_asked_for_in_between() -> None:
    assert stolen_share(CpuTime(300, 100), CpuTime(100, 50)) == 0.25
    assert stolen_share(CpuTime(100, 50), CpuTime(100, 50)) == 0.0
