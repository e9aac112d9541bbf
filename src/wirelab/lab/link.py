"""The meaning and the check of a link text, both by `wirelab-link`."""

from __future__ import annotations

import functools
import json
import math
import subprocess
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from wirelab.lab.host_cpu import slower
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.system.binaries import find
from wirelab.system.child_guard import tied

SHOW_TIMEOUT_S = 30.0
# A check takes some seconds, some delays of the link, and the time of some full packets. These are
# several times as much.
CHECK_TIMEOUT_S, CHECK_DELAYS, CHECK_PACKETS = 120.0, 4, 10
# A full packet, as a handshake sends it: certificates, or a queue of other connections' packets.
PACKET_BYTES = 1500
# Links that are not recorded are sampled over this time. Start offsets are drawn over at least as
# much.
TRACE_S = 600.0
# With fewer round trips that arrive, no limit would end.
LEAST_ARRIVING = 0.01


class Way(Struct, frozen=True):
    """One direction: its mean rate (None: unlimited), delay and loss.

    `spread_s` is what few packets take longer than the delay, `outage` the share of time that a
    generated capacity is zero.
    """

    bit_per_s: float | None = None
    delay_s: float = 0.0
    spread_s: float = 0.0
    loss: float = 0.0
    outage: float = 0.0

    def serialization_s(self, size_bytes: float) -> float:
        """The mean time from a packet's first bit to its last."""
        return 8 * size_bytes / self.bit_per_s if self.bit_per_s else 0.0

    def takes_s(self, size_bytes: float) -> float:
        """The mean time of a packet on an idle link."""
        return self.delay_s + self.serialization_s(size_bytes)


class LinkFacts(Struct, frozen=True):
    """Both directions of a link, and the seconds of its recorded trace (the longer; 0: none)."""

    up: Way = Way()
    down: Way = Way()
    recorded_s: float = 0.0

    @property
    def trace_s(self) -> float:
        """The seconds of time that messages can be spread over."""
        return self.recorded_s or TRACE_S

    def round_trip_s(self, there_bytes: float, back_bytes: float) -> float:
        """The mean time of a packet each way."""
        return self.up.takes_s(there_bytes) + self.down.takes_s(back_bytes)

    @property
    def exchange_s(self) -> float:
        """The longest usual round trip of full packets; longer where losses repeat it."""
        longest = self.round_trip_s(PACKET_BYTES, PACKET_BYTES) + self.up.spread_s + self.down.spread_s
        return longest / max((1 - self.up.loss) * (1 - self.down.loss), LEAST_ARRIVING)


def show(text: str) -> dict[str, Any]:
    """A link's parameters and the source of its numbers. Raises BadInput for an invalid text."""
    done = _run(["show", text, "--json"], SHOW_TIMEOUT_S * slower())
    if done.returncode != 0:
        raise _refused(text, done)
    return _object(done)


@functools.cache
def link_facts(text: str) -> LinkFacts:
    """The facts of a link. Raises BadInput for an invalid one."""
    shown = show(text)
    recorded_ns = [int(shown[way]["rate"].get("period_ns", 0)) for way in ("up", "down")]
    return LinkFacts(_way(shown["up"]), _way(shown["down"]), max(recorded_ns) / 1e9)


def _way(shown: Mapping[str, Any]) -> Way:
    jitter, rate = shown["jitter"] or {}, shown["rate"]["mean_bit_per_s"]
    return Way(
        None if rate is None or math.isinf(rate) else float(rate),
        float(shown["delay_ns"]) / 1e9,
        4 * float(jitter.get("sd_ns", 0.0)) / 1e9,  # four deviations
        float(shown["loss"]["mean"]) if shown["loss"] else 0.0,
        _outage(shown["rate"]),
    )


def _outage(rate: Mapping[str, Any]) -> float:
    begins, ends = float(rate.get("outage_per_s", 0.0)), float(rate.get("recovery_per_s", 0.0))
    return begins / (begins + ends) if begins else 0.0


def profiles() -> list[dict[str, Any]]:
    """Every named profile."""
    done = _run(["profiles", "--json"], SHOW_TIMEOUT_S * slower())
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def check(text: str, seed: int) -> dict[str, Any]:
    """Compare specified and measured values with real packets through a separate lab.

    Raises MeasurementFailed, BadInput.
    """
    limit_s = check_limit_s(link_facts(text)) * slower()
    done = _run(["check", text, "--json", "--seed", str(seed)], limit_s)
    if done.returncode == 3:
        raise _refused(text, done)
    try:
        return _object(done)
    except ValueError:
        raise MeasurementFailed(f"check of link '{text}'", _sentence(done)) from None


def check_limit_s(link: LinkFacts) -> float:
    """Seconds in which a check of a link ends on an idle machine."""
    ways = (link.up, link.down)
    return CHECK_TIMEOUT_S + sum(
        CHECK_DELAYS * way.delay_s + CHECK_PACKETS * way.serialization_s(PACKET_BYTES) for way in ways
    )


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
