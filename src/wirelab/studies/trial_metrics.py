"""Figures of a trial from samples and accounting: latency breakdown, bytes, lateness, duration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from wirelab.lab.critical_path import mean_path
from wirelab.lab.outcome import Outcome
from wirelab.lab.packets import read, server_times
from wirelab.model.result import Lateness, MessagePath, Shares, Wire
from wirelab.model.trial import Trial
from wirelab.stats.batches import as_sent
from wirelab.stats.sample_join import DELIVERED, Joined

# The server's share is computed if the exchanges of this share of messages overlap no other.
SEPARABLE_SHARE = 0.8


def shares(joined: Joined, outcome: Outcome, folder: Path) -> Shares:
    """Mean ns per delivered message in each part of the latency, without the warm-up."""
    sent = as_sent(joined)
    found = _shares(sent, outcome, folder)
    if sent is joined or not len(whole := joined.latency()):
        return found
    # All messages of a batch end together, and its last waits for no other.
    return replace(found, batch=float(whole.mean() - sent.latency().mean()))


def _shares(joined: Joined, outcome: Outcome, folder: Path) -> Shares:
    columns: dict[str, Any] = joined.columns
    used = np.flatnonzero(columns["outcome"] == DELIVERED)
    if not len(used):
        return Shares(separable=False)
    planned, start, sent, received, decoded = (
        columns[name][used].astype(np.int64) for name in ("planned", "start", "sent", "received", "decoded")
    )
    log = folder / "packets.bin"
    flows = outcome.link.get("flows", [])
    server = server_times(read(log), flows, sent, received) if log.exists() else None
    counted = ~columns["warmup"][used].astype(bool)
    if not np.any(counted):
        return Shares(separable=False)

    def mean(values: Any) -> float:
        return float(values[counted].mean())

    own = server[counted] if server is not None else np.full(1, np.nan)
    told = ~np.isnan(own)
    separable = bool(told.mean() >= SEPARABLE_SHARE)
    held = float(own[told].mean()) if separable else 0.0
    return Shares(
        queue=mean(start - planned),
        encode=mean(sent - start),
        wire=mean(received - sent) - held,
        server=held,
        decode=mean(decoded - received),
        separable=separable,
    )


def path(trial: Trial, joined: Joined, outcome: Outcome, folder: Path) -> MessagePath:
    """The mean path of delivered messages without the warm-up; empty without a packet log, and
    where several peers or answers share it.
    """
    columns: dict[str, Any] = as_sent(joined).columns
    log, several = folder / "packets.bin", bool(outcome.streams) or trial.workload.subscribers > 1
    if several or trial.workload.application or not log.exists():
        return MessagePath()
    used = (columns["outcome"] == DELIVERED) & ~columns["warmup"].astype(bool)
    sent, received = (columns[name][used].astype(np.int64) for name in ("sent", "received"))
    return mean_path(read(log), outcome.link.get("flows", []), sent, received)


def lateness_of(link: dict[str, Any]) -> Lateness:
    """The emulator's own lateness, from its accounting."""
    late = link.get("lateness", {})
    return Lateness(
        packets=int(late.get("packets", 0)),
        p50_ns=float(late.get("p50_ns", 0)),
        p99_ns=float(late.get("p99_ns", 0)),
        max_ns=float(late.get("max_ns", 0)),
        own_drops=int(link.get("own_drops", 0)),
    )


def wire_of(link: dict[str, Any]) -> dict[str, Wire]:
    """The traffic of each host's access link, by `host.direction`."""
    return {
        f"{host}.{direction}": Wire(
            packets=int(counted["packets"]),
            l2_bytes=int(counted["l2_bytes"]),
            l3_bytes=int(counted["l3_bytes"]),
            data_l2_bytes=int(counted.get("data_l2_bytes", 0)),
            dropped=sum(int(n) for n in counted["dropped"].values()),
            retransmissions=int(counted["retransmissions"]),
        )
        for host, directions in link.get("hosts", {}).items()
        for direction, counted in directions.items()
    }


def elapsed_ns(outcome: Outcome, joined: Joined) -> int:
    """ns from the first counted message's intended send time to the last arrival.

    The wait for lost messages is not included.
    """
    columns = joined.columns
    used = (columns["outcome"] == DELIVERED) & ~columns["warmup"].astype(bool)
    planned, received = (columns[name][used].astype(np.int64) for name in ("planned", "received"))
    return int(received.max() - planned.min()) if len(received) else outcome.elapsed_ns


def sent_once(trial: Trial, joined: Joined) -> int:
    """Messages sent, each counted once however many subscribers there are."""
    return int(np.count_nonzero(joined.columns["sent"])) // trial.workload.subscribers
