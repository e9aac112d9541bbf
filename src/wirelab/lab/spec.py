"""The lab of a trial: which hosts there are, and behind which link each stands (docs/contracts/lab.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wirelab.lab.servers import applications
from wirelab.model.trial import Trial

# Where the flow beside the measured one comes from and goes to.
CROSS_DEVICE, CROSS_CONSUMER = "cross-device", "cross-consumer"


def consumers(trial: Trial) -> list[str]:
    """The hosts of the subscribers where they stand beyond the link, one each; an application stands with the server."""
    if trial.workload.application:
        return [] if applications(trial.server) else ["server"]
    return numbered("consumer", trial.workload.subscribers)


def subscribers(trial: Trial) -> list[str]:
    """The names of the subscribers: of their samples, counters and usage. An application's waiting for a CPU is the server's, not the measurement's."""
    if trial.workload.application:
        return [] if applications(trial.server) else ["responder"]
    workload = trial.workload
    # Of several publishers each has a subscriber of its own, all on one host.
    return numbered("subscriber", workload.subscribers if workload.publishers == 1 else workload.publishers)


def publishers(trial: Trial) -> list[str]:
    """The names of the publishers."""
    return numbered("publisher", trial.workload.publishers)


def devices(trial: Trial) -> list[str]:
    """The hosts of the publishers, one each."""
    return numbered("device", trial.workload.publishers)


def numbered(name: str, number: int) -> list[str]:
    """`name`, `name-2`, `name-3` ..."""
    return [name, *(f"{name}-{k}" for k in range(2, number + 1))]


def lab_spec(trial: Trial, folder: Path) -> dict[str, Any]:
    """The specification `wirelab-link lab` reads. The publisher's host is always `device`, behind the link under test."""
    device = {"name": "device", "link": trial.link.text, "trace_offset_s": trial.link.trace_offset_s}
    hosts = [{**device, "name": name} for name in devices(trial)] + [{"name": "server", "link": "ideal"}]
    if trial.workload.topology == "one-way":
        hosts += [{"name": name, "link": "ideal"} for name in consumers(trial) if name != "server"]
    if trial.workload.cross is not None:
        hosts += [{**device, "name": CROSS_DEVICE}, {"name": CROSS_CONSUMER, "link": "ideal"}]
    segment = {"segment": trial.link.segment} if trial.link.segment else {}
    return {
        **segment,
        "seed": trial.seed,
        "realtime": "auto",
        "hosts": hosts,
        "accounting": str(folder / "link.json"),
        "packets": str(folder / "packets.bin"),
    }
