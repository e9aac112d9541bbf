"""The lab of a trial: which hosts there are, and behind which link each stands (docs/contracts/lab.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wirelab.model.trial import Trial


def lab_spec(trial: Trial, folder: Path) -> dict[str, Any]:
    """The specification `wirelab-link lab` reads. The publisher's host is always `device`, behind the link under test."""
    device = {"name": "device", "link": trial.link.text, "trace_offset_s": trial.link.trace_offset_s}
    hosts = [device, {"name": "server", "link": "ideal"}]
    if trial.workload.topology == "uplink":
        hosts.append({"name": "consumer", "link": "ideal"})
    return {
        "seed": trial.seed,
        "realtime": "auto",
        "hosts": hosts,
        "accounting": str(folder / "link.json"),
        "packets": str(folder / "packets.bin"),
    }
