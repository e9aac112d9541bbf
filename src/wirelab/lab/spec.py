"""The lab of a trial: its hosts and their links (docs/contracts/lab.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wirelab.lab.servers import responds
from wirelab.model.host_role import CONSUMER, DEVICE, PUBLISHER, RESPONDER, SERVER, SUBSCRIBER, numbered
from wirelab.model.trial import Trial

# The capture in a trial's folder.
CAPTURE = "packets.pcapng"
# The hosts of the cross traffic.
CROSS_DEVICE, CROSS_CONSUMER = "cross-device", "cross-consumer"


def consumers(trial: Trial) -> list[str]:
    """The hosts of subscribers beyond the link, one each.

    A responder is on the host of the server.
    """
    if trial.workload.application:
        return [] if responds(trial.server) else [SERVER]
    return numbered(CONSUMER, trial.workload.subscribers)


def subscribers(trial: Trial) -> list[str]:
    """The names of subscribers in samples, counters and usage.

    A responder's wait for a CPU belongs to the service under test, not to the measurement.
    """
    if trial.workload.application:
        return [] if responds(trial.server) else [RESPONDER]
    workload = trial.workload
    # If there are several publishers, each has its own subscriber, all on one host.
    return numbered(SUBSCRIBER, workload.subscribers if workload.publishers == 1 else workload.publishers)


def publishers(trial: Trial) -> list[str]:
    """The names of the publishers."""
    return numbered(PUBLISHER, trial.workload.publishers)


def devices(trial: Trial) -> list[str]:
    """The hosts of the publishers, one each."""
    return numbered(DEVICE, trial.workload.publishers)


def lab_spec(trial: Trial, folder: Path) -> dict[str, Any]:
    """The specification for `wirelab-link lab`.

    The publisher's host, `device`, is behind the link.
    """
    device = {"name": DEVICE, "link": trial.link.text, "trace_offset_s": trial.link.trace_offset_s}
    hosts = [{**device, "name": name} for name in devices(trial)] + [{"name": SERVER, "link": "ideal"}]
    if trial.workload.topology == "one-way":
        hosts += [{"name": name, "link": "ideal"} for name in consumers(trial) if name != SERVER]
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
        "pcap": str(folder / CAPTURE) if trial.capture else None,
    }
