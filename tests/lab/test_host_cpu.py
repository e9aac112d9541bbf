"""CPU time of the whole machine is read as the kernel writes it; steal time is a share of the
request.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.factories import a_trial
from wirelab.engine.trial_outcome import ready_limit_s
from wirelab.lab import host_cpu
from wirelab.lab.host_cpu import CpuMonitor, CpuTime, cpu_time, slower, stolen_share


def test_requested_cpu_time_is_all_but_idle_and_iowait(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text("cpu  100 2 30 4000 500 6 7 80 9 1\ncpu0 1 1 1 1 1 1 1 1 1 1\n")
    assert cpu_time(tmp_path) == CpuTime(asked=100 + 2 + 30 + 6 + 7 + 80, stolen=80, programs=100 + 2 + 30)


def test_a_kernel_without_steal_time_has_none_stolen(tmp_path: Path) -> None:
    assert cpu_time(tmp_path) == CpuTime(0, 0)
    for text in ("", "cpu  100 2 30 4000\n", "cpu  a b c d e f g h\n"):
        (tmp_path / "stat").write_text(text)
        assert cpu_time(tmp_path) == CpuTime(0, 0)


def test_the_stolen_share_is_of_the_requested_cpu_time() -> None:
    assert stolen_share(CpuTime(300, 100), CpuTime(100, 50)) == 0.25
    assert stolen_share(CpuTime(100, 50), CpuTime(100, 50)) == 0.0


def ran(proc: Path, stat: str, **ticks: str) -> None:
    """A machine with processes 10 and 11 (its child), and their utime, stime, cutime, cstime."""
    (proc / "stat").write_text(f"cpu  {stat}\n")
    for pid, children in (("10", "11"), ("11", "")):
        (proc / pid / "task" / pid).mkdir(parents=True, exist_ok=True)
        (proc / pid / "task" / pid / "children").write_text(children)
        (proc / pid / "stat").write_text(f"{pid} (a) b) S 1 1 1 0 -1 0 0 0 0 0 {ticks[f'p{pid}']} 20 0 1\n")


def test_cpu_time_of_others_excludes_this_program_and_its_children(tmp_path: Path) -> None:
    ran(tmp_path, "1000 0 0 5000 0 0 0 0", p10="10 0 0 0", p11="5 5 0 0")
    watch = CpuMonitor(tmp_path, 10)
    # 200 ticks in programs, of which the family took 120 - 20; 100 more were stolen.
    ran(tmp_path, "1100 0 100 9000 0 0 0 100", p10="20 10 40 10", p11="15 25 0 0")
    assert watch.elsewhere() == (100 + 100) / 300
    ran(tmp_path, "1110 0 100 9000 0 0 0 100", p10="30 10 40 10", p11="15 25 0 0")
    assert watch.elsewhere() == 0.0


@pytest.mark.parametrize(("load", "factor"), [(0.3, 1.0), (2.0, 1.0), (6.0, 3.0), (500.0, 8.0)])
def test_limits_of_what_computes_follow_the_load_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, load: float, factor: float
) -> None:
    monkeypatch.setattr(host_cpu.os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(host_cpu.os, "sched_getaffinity", lambda _pid: {0, 1})
    assert slower() == factor


def test_a_trial_on_a_busy_machine_may_take_longer_to_get_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_cpu.os, "getloadavg", lambda: (6.0, 0.0, 0.0))
    monkeypatch.setattr(host_cpu.os, "sched_getaffinity", lambda _pid: {0, 1})
    assert ready_limit_s(a_trial()) == 3 * 70 + 2 * 10
