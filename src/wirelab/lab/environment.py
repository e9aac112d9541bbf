"""The environment of a run: versions, machine, and sources of disturbance."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from pathlib import Path

from wirelab import __version__
from wirelab.model.origin import Origin
from wirelab.system.data_root import checkout


def environment() -> dict[str, str]:
    """The machine and its state, as texts."""
    return {
        "wirelab": __version__,
        "python": platform.python_version(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "cpu": _first("/proc/cpuinfo", "model name"),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": _first("/proc/meminfo", "MemTotal"),
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") or "not visible",
        "clock_source": _read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        "load_1min": f"{os.getloadavg()[0]:.2f}",
        "user": "root" if os.geteuid() == 0 else "rootless",
    }


def origin(compiler: str = "") -> Origin:
    """When, with what and where a measurement that begins now is made."""
    seen = environment()
    machine = f"{seen['cpu'] or seen['machine']}, {seen['cores']} cores, Linux {seen['kernel']}"
    now = datetime.datetime.now(datetime.UTC)
    return Origin(f"{now:%Y-%m-%d %H:%M} UTC", __version__, _commit(), compiler, machine)


def _commit() -> str:
    """The commit of wirelab's own checkout; "" for an installed package or without git."""
    root = checkout()
    if root is None or not (root / ".git").exists():
        return ""
    words = ["git", "-C", str(root), "describe", "--always", "--dirty=+", "--abbrev=12", "--exclude=*"]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def warnings(seen: dict[str, str]) -> list[str]:
    """Sources of disturbance on this machine, with remedies."""
    found = []
    if seen["governor"] not in ("performance", "not visible"):
        found.append(
            f"CPU governor is '{seen['governor']}': times of short operations wander; "
            "set it to performance (cpupower frequency-set -g performance)"
        )
    if float(seen["load_1min"]) > 0.5 * int(seen["cores"]):
        found.append(
            f"load average is {seen['load_1min']} on {seen['cores']} cores: something else is running; wait or end it"
        )
    if seen["clock_source"] not in ("tsc", "kvm-clock", "arch_sys_counter"):
        found.append(f"clock source is '{seen['clock_source']}': reading the time is slow here")
    if seen["user"] != "root":
        found.append(
            "no real-time scheduling without root: the link's own lateness is larger (see wirelab doctor)"
        )
    return found


def _read(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def _first(path: str, key: str) -> str:
    lines = (line.partition(":") for line in _read(path).splitlines())
    return next((value.strip() for name, _, value in lines if name.strip() == key), "")
