"""The report of doctor on the link of this machine."""

from __future__ import annotations

import os
from typing import Any

import pytest

from wirelab.cli.commands import doctor
from wirelab.lab import link
from wirelab.model.errors import BadInput


def lab_of(monkeypatch: pytest.MonkeyPatch, realtime: bool) -> str:
    """The output of doctor if a check found packets late by 31.2 us."""

    def checked(text: str, seed: int) -> dict[str, Any]:
        return {"realtime": realtime, "checks": [{"what": "own lateness p99", "measured": 31_200.0}]}

    monkeypatch.setattr(link, "check", checked)
    return doctor._lab()


def test_doctor_reports_lateness_and_the_effect_of_privileges(monkeypatch: pytest.MonkeyPatch) -> None:
    with_it, without = lab_of(monkeypatch, realtime=True), lab_of(monkeypatch, realtime=False)
    for said in (with_it, without):
        assert "leave late by 31 us at the 99th percentile just now" in said
        assert "1 to 268 ms" in said
        assert "docs/explanation/emulator.md" in said
    assert "no real-time scheduling" in without
    assert "CAP_SYS_NICE" in without
    assert "no real-time scheduling" not in with_it


def test_doctor_reports_the_effect_of_a_closed_tun_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(BadInput, match="backend tun is not available; the default"):
        doctor._tun()
