"""The time limit of a link check. No link is checked."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from wirelab.lab import host_cpu, link


@pytest.mark.parametrize(
    ("text", "limit_s"),
    [
        ("ideal", 120.0),
        ("rtt=600s", 120.0 + 4 * 600),
        # Ten packets of 12,000 bits each way. A check of it took 132 s.
        ("rate=300bit/s,rtt=2s", 120.0 + 4 * 2 + 2 * 10 * 40),
    ],
)
def test_a_check_may_take_as_long_as_its_link_makes_it(
    monkeypatch: pytest.MonkeyPatch, text: str, limit_s: float
) -> None:
    limits: list[float] = []
    shown = link.show(text)

    def run(argv: list[str], **how: Any) -> subprocess.CompletedProcess[str]:
        limits.append(how["timeout"])
        return subprocess.CompletedProcess(argv, 0, "{}", "")

    monkeypatch.setattr(host_cpu.os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    monkeypatch.setattr(link, "show", lambda _text: shown)
    monkeypatch.setattr(link.subprocess, "run", run)
    link.check(text, 1)
    assert limits == [limit_s]
