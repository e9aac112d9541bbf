"""The meaning and the check of a link text, both by `wirelab-link`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from typing import Any

from wirelab.lab.host_cpu import slower
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.system.binaries import find
from wirelab.system.child_guard import tied

SHOW_TIMEOUT_S = 30.0
# A check takes some seconds, some delays of the link, and the time of some full packets. These are
# several times as much.
CHECK_TIMEOUT_S, CHECK_DELAYS, CHECK_PACKETS, FULL_BITS = 120.0, 4, 10, 12_000


def show(text: str) -> dict[str, Any]:
    """A link's parameters and the source of its numbers. Raises BadInput for an invalid text."""
    done = _run(["show", text, "--json"], SHOW_TIMEOUT_S * slower())
    if done.returncode != 0:
        raise _refused(text, done)
    return _object(done)


def profiles() -> list[dict[str, Any]]:
    """Every named profile."""
    done = _run(["profiles", "--json"], SHOW_TIMEOUT_S * slower())
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def check(text: str, seed: int) -> dict[str, Any]:
    """Compare specified and measured values with real packets through a separate lab.

    Raises MeasurementFailed, BadInput.
    """
    limit_s = check_limit_s(show(text)) * slower()
    done = _run(["check", text, "--json", "--seed", str(seed)], limit_s)
    if done.returncode == 3:
        raise _refused(text, done)
    try:
        return _object(done)
    except ValueError:
        raise MeasurementFailed(f"check of link '{text}'", _sentence(done)) from None


def check_limit_s(shown: Mapping[str, Any]) -> float:
    """Seconds in which a check of a link with these parameters ends on an idle machine."""
    limit_s = CHECK_TIMEOUT_S
    for way in (shown["up"], shown["down"]):
        rate = way["rate"]["mean_bit_per_s"]
        limit_s += CHECK_DELAYS * float(way["delay_ns"]) / 1e9 + (
            CHECK_PACKETS * FULL_BITS / float(rate) if rate else 0.0
        )
    return limit_s


def own_lateness_us(figures: dict[str, Any]) -> float:
    """The emulator's own lateness in a check at the 99th percentile, in us."""
    late = [row["measured"] for row in figures["checks"] if row["what"] == "own lateness p99"]
    return float(late[0]) / 1e3 if late else 0.0


def _run(arguments: list[str], timeout_s: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [find("wirelab-link"), *arguments],
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
            preexec_fn=tied(),
        )
    except subprocess.TimeoutExpired:
        raise MeasurementFailed(
            f"wirelab-link {' '.join(arguments)}", f"no answer in {timeout_s:g} s"
        ) from None


def _refused(text: str, done: subprocess.CompletedProcess[str]) -> BadInput:
    why = _sentence(done)
    return BadInput(
        f"link '{text}'",
        why,
        "" if "; " in why else "docs/reference/link-language.md says how links and traces are written",
    )


def _object(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def _sentence(done: subprocess.CompletedProcess[str]) -> str:
    lines = done.stderr.strip().splitlines()
    return lines[-1].removeprefix("wirelab-link: ") if lines else f"exit code {done.returncode}"
